"""What a model must be able to do. Each ability is a small protocol; a probe asks for one, and a model without it is skipped.

An encoder is cheap to make: `fingerprint` and `card` are known before any network is loaded, which happens on the first
call that needs it. `prepare` may be called from many threads at once; the `encode_*` methods from one.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt
from PIL import Image

from eyechart.arrays import Floats
from eyechart.models.card import ModelCard

Tokens = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TokenizedTexts:
    """`ids[i]` is at the length the tower must run it: its true length for causal towers, padded for the others.
    `truncated[i]` says that the text was longer than the context and lost its end."""

    ids: list[Tokens]
    truncated: npt.NDArray[np.bool_]


@runtime_checkable
class Model(Protocol):
    @property
    def spec(self) -> str:
        """The name it was asked for by, e.g. `open_clip:ViT-B-32/laion2b_s34b_b79k`."""

    @property
    def card(self) -> ModelCard: ...

    @property
    def fingerprint(self) -> str:
        """Hex digest over weights, preprocessing, tokenizer settings and precision; known without loading the network."""


@runtime_checkable
class EncodesImages(Model, Protocol):
    def prepare(self, picture: Image.Image) -> Floats:
        """An upright RGB picture as the array the network takes; thread-safe."""

    def encode_images(self, prepared: Floats) -> Floats:
        """[n, …] prepared pictures → [n, d] vectors, not normalised."""


@runtime_checkable
class KnowsItsWindow(EncodesImages, Protocol):
    def window(self, width: int, height: int) -> tuple[float, float, float, float]:
        """Which part of a picture of this size is prepared: left, top, right, bottom in the picture's own pixels."""


@runtime_checkable
class EncodesTexts(Model, Protocol):
    def tokenize(self, texts: Sequence[str]) -> TokenizedTexts: ...

    def encode_texts(self, ids: Sequence[Tokens]) -> Floats:
        """Token rows of any mix of lengths → [n, d] vectors in the same order, not normalised.
        Rows are grouped by length inside; what that may change is below 1e-5."""


@runtime_checkable
class ScoresPairs(Model, Protocol):
    """A model whose cosines become logits: logit = scale · cosine + bias."""

    @property
    def logit_scale(self) -> float:
        """Multiplicative, after exp."""

    @property
    def logit_bias(self) -> float:
        """0.0 where the model has none."""


@runtime_checkable
class LooksUpTexts(Model, Protocol):
    """A table of text vectors in a text tower's place."""

    def known_texts(self) -> Sequence[str]: ...

    def look_up_texts(self, texts: Sequence[str]) -> Floats:
        """DataError naming the first text that is not in the table, and the nearest one that is."""


@runtime_checkable
class LooksUpImages(Model, Protocol):
    """A table of image vectors by picture id in an image tower's place."""

    def look_up_images(self, ids: Sequence[str]) -> Floats:
        """DataError naming the first id that is not in the table."""


@runtime_checkable
class GivesPatches(EncodesImages, Protocol):
    def patches(self, prepared: Floats) -> Floats:
        """[n, h, w, d] tokens of the last block."""


@runtime_checkable
class GivesAttention(EncodesImages, Protocol):
    def attention(self, prepared: Floats) -> Floats:
        """[n, heads, tokens, tokens] of the last block, CLS first."""


@runtime_checkable
class GivesBlockAttention(EncodesImages, Protocol):
    def block_attention(self, prepared: Floats) -> Floats:
        """[n, blocks, heads, tokens]: what the class token gives to every token in every block, CLS first."""


@runtime_checkable
class GivesClassScores(EncodesImages, Protocol):
    def class_scores(self, prepared: Floats) -> Floats:
        """[n, classes] logits of a fixed classifier."""
