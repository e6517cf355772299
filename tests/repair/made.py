"""A model whose vectors are known: classes are directions, and some templates hear some classes wrongly."""

from collections.abc import Sequence
from functools import cache

import numpy as np
import pyarrow as pa

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.models.card import ModelCard
from eyechart.probes.contract import ProbeInput
from eyechart.prompts.prompt_set import PromptSet
from eyechart.repair.settings import Settings

NAMES = tuple(f"thing{c}" for c in range(10))
CLASSES = ClassList("things", tuple(PictureClass(f"n{c}", name) for c, name in enumerate(NAMES)))
GOOD = tuple(f"good {t} {{}}" for t in range(4))
BAD = tuple(f"bad {t} {{}}" for t in range(8))
_RNG = np.random.default_rng(11)
_BASIS = np.linalg.qr(_RNG.normal(size=(48, 48)))[0]
DIRECTIONS, NOTHING = _BASIS[: len(NAMES)], _BASIS[len(NAMES) :]


def unit(vectors: np.ndarray) -> np.ndarray:
    return (vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)).astype(np.float32)


@cache
def heard(text: str) -> np.ndarray:
    """The class's direction with a little noise. A bad template says of the first two things what no picture shows; a name in
    quotes says it right again."""
    c = next(c for c, name in enumerate(NAMES) if name in text)
    wrong = text.startswith("bad") and c < 2 and "'" not in text
    direction = 0.2 * DIRECTIONS[c] + NOTHING[c] if wrong else DIRECTIONS[c]
    noise = np.random.default_rng([ord(sign) for sign in text]).normal(size=48)
    return direction + 0.01 * noise


def texts(asked: Sequence[str]) -> np.ndarray:
    return unit(np.array([heard(text) for text in asked]))


def inputs(
    templates: Sequence[str], *, n: int = 1200, seed: int = 0, settings: Settings | None = None, **attributes: list
) -> ProbeInput:
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % len(NAMES)
    images = unit(DIRECTIONS[truth] + 0.35 * rng.normal(size=(n, 48)))
    table = pa.table({"id": [str(i) for i in range(n)], "label": [f"n{c}" for c in truth], **attributes})
    dataset = Dataset("made", table, _NoPictures(n), CLASSES)
    prompts = (PromptSet("made", tuple(templates), "a test"),)
    return ProbeInput("made", ModelCard("made", "test"), dataset, images, np.arange(n), texts, prompts, Settings(), 40.0)


class _NoPictures:
    def __init__(self, n: int) -> None:
        self._n = n

    def __len__(self) -> int:
        return self._n

    def take(self, rows: Sequence[int]) -> "_NoPictures":
        return _NoPictures(len(rows))
