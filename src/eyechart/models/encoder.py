"""What a model can do. Each ability is a small protocol; a probe names the abilities it needs and skips models without them.

Opening a model is cheap: `fingerprint` and `card` are known before the network is loaded, which happens on the first call that
needs it. `prepare` may be called from many threads at once, the `encode_*` methods from one thread only.
"""

from collections.abc import Callable, Sequence
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
    """Texts as token ids.

    ids: The token ids of every text, at the length at which the text encoder runs: unpadded for causal encoders, padded for
        others.
    truncated: For every text, whether it was longer than the context and lost its end.
    """

    ids: list[Tokens]
    truncated: npt.NDArray[np.bool_]


@runtime_checkable
class Model(Protocol):
    """What every model has, whatever its abilities."""

    @property
    def spec(self) -> str:
        """The name by which it was opened, such as `open_clip:ViT-B-32/laion2b_s34b_b79k`."""

    @property
    def card(self) -> ModelCard:
        """What is known about the model."""

    @property
    def fingerprint(self) -> str:
        """Hex digest over weights, preprocessing, tokenizer settings and precision; known without loading the network."""


@runtime_checkable
class EncodesImages(Model, Protocol):
    """A model with an image encoder."""

    def prepare(self, picture: Image.Image) -> Floats:
        """An upright RGB picture as the array that the network takes. Thread-safe."""

    def encode_images(self, prepared: Floats) -> Floats:
        """[n, …] prepared pictures → [n, d] vectors, not normalized."""


@runtime_checkable
class StartsImages(EncodesImages, Protocol):
    """A model that computes several batches together, and takes the next one before it returns the vectors of the first."""

    @property
    def in_flight(self) -> int:
        """How many pictures should be started before the first ones are collected; 0 where every batch is computed at once."""

    def start_images(self, prepared: Floats) -> Callable[[], Floats]:
        """Start a batch; the returned function waits for its vectors. The array can be used again at once."""


@runtime_checkable
class KnowsItsWindow(EncodesImages, Protocol):
    """A model that tells which part of a picture it is given after resizing and cropping."""

    def window(self, width: int, height: int) -> tuple[float, float, float, float]:
        """The part of a picture of this size that is encoded: left, top, right, bottom in the picture's own pixels."""


@runtime_checkable
class EncodesTexts(Model, Protocol):
    """A model with a text encoder."""

    def tokenize(self, texts: Sequence[str]) -> TokenizedTexts:
        """Texts → token ids."""

    def encode_texts(self, ids: Sequence[Tokens]) -> Floats:
        """Token rows of any lengths → [n, d] vectors in the same order, not normalized.

        Rows may be grouped by length; the vectors change by less than 1e-5."""


@runtime_checkable
class ScoresPairs(Model, Protocol):
    """A model that turns cosines into logits: logit = scale · cosine + bias."""

    @property
    def logit_scale(self) -> float:
        """The factor itself, after exp."""

    @property
    def logit_bias(self) -> float:
        """The bias; 0.0 where the model has none."""


@runtime_checkable
class LooksUpTexts(Model, Protocol):
    """A model with a table of text vectors in place of a text encoder."""

    def known_texts(self) -> Sequence[str]:
        """The texts of the table."""

    def look_up_texts(self, texts: Sequence[str]) -> Floats:
        """[n, d] vectors. DataError names the first text that is not in the table, and the nearest one that is."""


@runtime_checkable
class LooksUpImages(Model, Protocol):
    """A model with a table of image vectors, by picture id, in place of an image encoder."""

    def look_up_images(self, ids: Sequence[str]) -> Floats:
        """[n, d] vectors. DataError names the first id that is not in the table."""


@runtime_checkable
class GivesPatches(EncodesImages, Protocol):
    """A model that gives its patch tokens."""

    def patches(self, prepared: Floats) -> Floats:
        """[n, h, w, d] patch tokens of the last block."""


@runtime_checkable
class GivesAttention(EncodesImages, Protocol):
    """A model that gives the attention weights of its last block."""

    def attention(self, prepared: Floats) -> Floats:
        """[n, heads, tokens, tokens] attention weights of the last block, class token first."""


@runtime_checkable
class GivesBlockAttention(EncodesImages, Protocol):
    """A model that gives the class token's attention in every block."""

    def block_attention(self, prepared: Floats) -> Floats:
        """[n, blocks, heads, tokens] attention of the class token to every token, class token first."""


@runtime_checkable
class GivesClassScores(EncodesImages, Protocol):
    """A model with a fixed classifier."""

    def class_scores(self, prepared: Floats) -> Floats:
        """[n, classes] logits of a fixed classifier."""


@dataclass(frozen=True)
class PicturePrediction:
    """What was predicted for one picture.

    labels: The predicted label, or the best ones, best first; empty where there is no answer.
    scores: The score of each label; None where there are none.
    numbered: Whether labels are numbers of classes, from 0, and not labels or names.
    """

    labels: tuple[str, ...]
    scores: tuple[float, ...] | None = None
    numbered: bool = False


@runtime_checkable
class LooksUpPredictions(Model, Protocol):
    """A table of predictions, by picture id, in place of a model: nothing can be encoded."""

    def look_up_predictions(self, ids: Sequence[str]) -> list[PicturePrediction]:
        """The prediction of each picture. DataError names the first id that is not in the table."""
