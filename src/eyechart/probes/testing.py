"""Inputs for tests of probes: a model with known predictions, without pictures and without a network."""

from collections.abc import Sequence
from typing import TypeVar

import numpy as np
import pyarrow as pa

from eyechart.arrays import Floats
from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.models.card import ModelCard
from eyechart.probes.contract import ProbeInput
from eyechart.prompts.prompt_set import PromptSet

Settings = TypeVar("Settings")

BARE = PromptSet("bare", ("{}",), "testing")


class NoPictures:
    """Pictures that are never read."""

    def __init__(self, count: int) -> None:
        self.count = count

    def __len__(self) -> int:
        return self.count

    def read(self, row: int) -> bytes:
        raise OSError("a test without pictures")

    def identity(self, row: int) -> None:
        return None

    def place(self, row: int) -> str:
        return f"row {row}"

    def take(self, rows: Sequence[int]) -> "NoPictures":
        return NoPictures(len(rows))


def known_predictions(
    predicted: Sequence[int],
    labels: Sequence[int],
    names: Sequence[str],
    settings: Settings,
    *,
    clusters: Sequence[int] | None = None,
) -> ProbeInput[Settings]:
    """The input of a probe for a model whose predictions are known: class c and the pictures predicted as c point along axis c.

    Args:
        predicted: The predicted class of each picture.
        labels: The true class of each picture.
        names: The class names.
        settings: The probe's settings.
        clusters: Equal numbers mark rows that show the same picture; all differ by default.

    Returns:
        An input with the one prompt set "bare".

    Example:
        >>> from eyechart.probes import get_probe
        >>> from eyechart.probes.testing import known_predictions
        >>> zero_shot = get_probe("zero_shot")
        >>> answer = zero_shot.ask(known_predictions([0, 1, 1, 1], [0, 0, 1, 1], ["cat", "dog"], zero_shot.settings))
        >>> [f.value for f in answer.findings if f.metric == "top1"]
        [0.75]
    """
    axes: Floats = np.eye(len(names), dtype=np.float32)
    vector = dict(zip(names, axes, strict=True))
    rows = len(predicted)
    table = pa.table({"id": [str(row) for row in range(rows)], "label": [names[label] for label in labels]})
    classes = ClassList("testing", tuple(PictureClass(name, name) for name in names))
    return ProbeInput(
        model="known",
        card=ModelCard("known", "testing"),
        dataset=Dataset("testing", table, NoPictures(rows), classes),
        images=axes[list(predicted)],
        clusters=np.arange(rows) if clusters is None else np.asarray(clusters, np.int64),
        texts=lambda texts: np.stack([vector[text] for text in texts]),
        prompts=(BARE,),
        settings=settings,
        logit_scale=10.0,
    )
