"""What the three ways of asking share: the pictures, their classes, two halves, and what other models say about them."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.data.classes import ClassList
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.probes.answers.settings import Settings
from eyechart.probes.contract import NotApplicable, ProbeInput
from eyechart.probes.tasks.asked_rows import asked_rows
from eyechart.probes.tasks.classifier import ONE_CLASS, build_classifier, known_classes


@dataclass(frozen=True, eq=False)
class AnswerTask:
    """The pictures that are asked about.

    inputs: The input of the probe.
    classes: The classes.
    rows: The rows of the pictures.
    ids: Their ids.
    truth: Their true classes.
    clusters: Equal numbers mark rows that are not independent: copies of a picture, and versions of one.
    half: Which of two halves they belong to, every class in both.
    tower: [n, classes] cosines of the tower; None without one.
    selector: [n, classes] cosines of the third model; None without one.
    tower_prompts: The prompt set of the tower's class vectors; empty without a tower.
    """

    inputs: ProbeInput[Settings]
    classes: ClassList
    rows: Indices
    ids: list[str]
    truth: Indices
    clusters: Indices
    half: Flags
    tower: Doubles | None
    selector: Doubles | None
    tower_prompts: str

    @property
    def settings(self) -> Settings:
        return self.inputs.settings

    @property
    def selected(self) -> Flags | None:
        """Which pictures the third model gets wrong; None without one."""
        return None if self.selector is None else np.asarray(self.selector.argmax(axis=1) != self.truth)


def make_task(inputs: ProbeInput[Settings]) -> AnswerTask:
    """The task of an input.

    Raises:
        NotApplicable: If no picture has a label, or there is one class only.
    """
    classes, all_truth, all_ids = known_classes(inputs), inputs.dataset.label_indices(), inputs.dataset.ids()
    if len(classes) < 2:
        raise NotApplicable(ONE_CLASS)
    rows = asked_rows(all_ids, all_truth, inputs.settings.pictures, inputs.settings.seed)
    if not len(rows):
        raise NotApplicable("no readable picture has a label")
    truth, clusters = all_truth[rows], inputs.units[rows]
    half = stratified_split(truth, seed=inputs.settings.seed, clusters=clusters)
    tower, selector = (_cosines(inputs.other_models.get(name), classes, rows) for name in ("tower", "selector"))
    prompts = inputs.other_models["tower"].prompts[0].name if tower is not None else ""
    return AnswerTask(inputs, classes, rows, [all_ids[row] for row in rows], truth, clusters, half, tower, selector, prompts)


def _cosines(other: ProbeInput[Any] | None, classes: ClassList, rows: Indices) -> Doubles | None:
    """[n, classes] cosines under the first prompt set."""
    if other is None:
        return None
    classifier = build_classifier(classes, other.prompts[0], other.texts)
    return np.asarray(other.images[rows] @ classifier.vectors.T, np.float64)
