"""Predictions of a classifier for each picture, as a probe hands them back: by prompts, or by the model's own class scores."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags, Indices
from eyechart.data.classes import ClassList
from eyechart.findings.predictions import Predictions
from eyechart.metrics.classification.top_classes import TopClasses, top_classes
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.attribute_texts import attribute_texts
from eyechart.probes.tasks.classifier import ZeroShotClassifier, class_cosines, class_titles, known_classes
from eyechart.probes.tasks.ood_rows import OodRows
from eyechart.probes.tasks.predictors import has_class_scores
from eyechart.probes.tasks.scorers import Scorer


def top_by_prompts(inputs: ProbeInput[Any], classifier: ZeroShotClassifier) -> TopClasses:
    """The best classes of all pictures of a dataset under one prompt set."""
    return top_classes(class_cosines(inputs, classifier), inputs.dataset.label_indices(), scale=inputs.logit_scale)


def picture_predictions(
    of: ProbeInput[Any],
    top: TopClasses,
    classes: ClassList,
    *,
    prompts: str | None,
    rows: Indices | None = None,
    labeled: bool = True,
    truth: Indices | None = None,
    dataset: str | None = None,
    design: str | None = None,
    attributes: Mapping[str, pa.Array] | None = None,
) -> Predictions:
    """The record that a probe hands back.

    Args:
        of: The pictures.
        top: Their best classes, row by row.
        classes: The classes.
        prompts: The prompt set; None for a classifier without prompts.
        rows: The rows that were classified; all where None.
        labeled: Whether the labels of the pictures are among the classes.
        truth: The true class of each row, where it is not the label of the picture.
        dataset: The dataset of the pictures, where the probe is run on another one.
        design: The class design, where `classes` are not those of a dataset.
        attributes: Further attributes of the rows, besides those of the dataset.
    """
    rows = np.arange(len(of.dataset)) if rows is None else rows
    if truth is None:
        truth = of.dataset.label_indices()[rows] if labeled else np.full(len(rows), -1, np.int64)
    ids = of.dataset.ids()
    return Predictions(
        ids=[ids[row] for row in rows],
        clusters=of.units[rows],
        labels=[c.label for c in classes],
        titles=class_titles(classes),
        truth=truth,
        top=top.classes,
        probabilities=top.probabilities,
        margin=top.margin,
        rank=top.rank,
        ood_score=top.mcm,
        prompts=prompts,
        dataset=dataset,
        design=design,
        attributes={name: values.take(rows) for name, values in attribute_texts(of.dataset).items()} | dict(attributes or {}),
    )


def class_score_predictions(inputs: ProbeInput[Any], scorer: Scorer) -> list[Predictions]:
    """Predictions by the model's own classifier: of the dataset, and of its shifted companions that have exactly its classes."""
    found = []
    for of in (inputs, *(other for other in inputs.companions_of("shift") if _has_class_scores(other))):
        rows = np.arange(len(of.dataset))
        top = top_classes(scorer.raw(of, rows), of.dataset.label_indices(), scale=1.0)
        dataset = None if of is inputs else of.dataset.name
        found.append(picture_predictions(of, top, known_classes(of), prompts=None, dataset=dataset))
    return found


def _has_class_scores(of: ProbeInput[Any]) -> bool:
    return of.dataset.classes is not None and has_class_scores(of)


def ood_predictions(inputs: ProbeInput[Any], scorer: Scorer, group: OodRows, accepted: Mapping[str, Flags]) -> Predictions:
    """Predictions for out-of-distribution pictures of a companion: they have no true class.

    Args:
        inputs: The examined dataset.
        scorer: The classifier.
        group: The pictures.
        accepted: OOD score → which of them it accepts as in-distribution; the leading score first.
    """
    kinds = {"kind": pa.array([kind or None for kind in group.kinds], pa.string())} if group.kinds else {}
    return _marked_predictions(inputs, scorer, group.of, group.rows, _marks(accepted) | kinds)


def own_ood_predictions(
    inputs: ProbeInput[Any], scorer: Scorer, groups: Sequence[OodRows], accepted: Sequence[Mapping[str, Flags]]
) -> list[Predictions]:
    """Likewise for out-of-distribution pictures of the examined table, in its order; empty where it has none.

    The table's own attributes `kind` and `shows` name their set and what they show.
    """
    own = [(group.rows, of_group) for group, of_group in zip(groups, accepted, strict=True) if group.of is inputs]
    if not own:
        return []
    rows = np.concatenate([rows for rows, _ in own])
    order = np.argsort(rows)
    flags = {score: np.concatenate([of_group[score] for _, of_group in own])[order] for score in own[0][1]}
    return [_marked_predictions(inputs, scorer, inputs, rows[order], _marks(flags))]


def _marks(accepted: Mapping[str, Flags]) -> dict[str, pa.Array]:
    return {f"accepted.{score}": pa.array(np.where(flags, "true", "false")) for score, flags in accepted.items()}


def _marked_predictions(
    inputs: ProbeInput[Any], scorer: Scorer, of: ProbeInput[Any], rows: Indices, attributes: Mapping[str, pa.Array]
) -> Predictions:
    scale = scorer.scale if scorer.by_prompts else 1.0
    return picture_predictions(
        of,
        top_classes(scorer.raw(of, rows), np.full(len(rows), -1, np.int64), scale=scale),
        known_classes(inputs),
        prompts=scorer.slice.get("prompts"),
        rows=rows,
        labeled=False,
        dataset=of.dataset.name,
        attributes=attributes,
    )
