"""`eyechart.compare`: models of one run or of several, on the same pictures."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.arrays import Indices
from eyechart.comparison.as_json import plain
from eyechart.comparison.changed import SCHEMA
from eyechart.comparison.metric_differences import UNPAIRED, MetricDifference, group_differences, headline_differences
from eyechart.comparison.pairing import PairedPictures, matching_groups, pair_pictures
from eyechart.comparison.pairs import PAIRED, ModelPair, compare_pair
from eyechart.comparison.protocols import protocol_notices
from eyechart.comparison.reported import accuracy, as_reported, reported_accuracies
from eyechart.comparison.sides import Side, open_sides
from eyechart.errors import DataError
from eyechart.findings.ood_score_kind import ood_score_kind
from eyechart.metrics.intervals.mover import Estimate
from eyechart.metrics.multiplicity import holm
from eyechart.metrics.ranking.compact_letters import compact_letters
from eyechart.notice import Notice


@dataclass(frozen=True)
class Baseline:
    """An accuracy that needs no model.

    name: What it is, as in "not above NAME".
    value: The accuracy.
    """

    name: str
    value: float


@dataclass(frozen=True, eq=False)
class DatasetComparison:
    """All models on one dataset and prompt set.

    dataset: The dataset.
    prompts: The prompt set of each model.
    n: Labelled pictures that all models classified.
    accuracies: Top-1 accuracy of each model on these pictures.
    letters: Models that share a letter are inseparable (exact McNemar, Holm over pairs); the best model has an a.
    pairs: Every two models, in the order of the models.
    baseline: What always predicting the most frequent class would reach on these pictures.
    """

    dataset: str
    prompts: tuple[str | None, ...]
    n: int
    accuracies: tuple[Estimate, ...]
    letters: tuple[str, ...]
    pairs: tuple[ModelPair, ...]
    baseline: Baseline


@dataclass(frozen=True, eq=False)
class Comparison:
    """Models, compared.

    models: Their names; the first is the reference.
    folders: The run of each.
    datasets: Paired by picture.
    probes: Headline metrics of probes, each model against the first: {model: differences}.
    groups: The same for the accuracy of groups.
    notices: Pictures, class lists, prompts and settings that differ.
    """

    models: tuple[str, ...]
    folders: tuple[Path, ...]
    datasets: tuple[DatasetComparison, ...]
    probes: dict[str, tuple[MetricDifference, ...]]
    groups: dict[str, tuple[MetricDifference, ...]]
    notices: tuple[Notice, ...]

    def to_dict(self) -> dict[str, Any]:
        """As `compare.json` holds it."""
        content: dict[str, Any] = plain(self)
        return {"paired": PAIRED, "unpaired": UNPAIRED, **content}

    @property
    def changed(self) -> pa.Table:
        """Every changed prediction of every two models, one row each."""
        return pa.concat_tables([SCHEMA.empty_table(), *(p.changed for d in self.datasets for p in d.pairs)])


def compare(*runs: str | Path, models: Sequence[str] = ()) -> Comparison:
    """Compare models on the same pictures: those of one run, or of several.

    Args:
        runs: The folders of examinations. The first model of the first run is the reference.
        models: Only these models; all by default.

    Returns:
        For every dataset the paired differences of accuracy, over all pictures and by class, changed predictions and thresholds;
        for every probe the differences of its headline metrics.

    Raises:
        UsageError: If there are fewer than two models.
        DataError: If the runs have no picture in common, or different labels.

    Example:
        >>> import eyechart
        >>> options = {"limit": 36, "probes": ["zero_shot"], "prompts": "bare"}
        >>> one = eyechart.examine("demo:", "world-factors", out="exams/a", model_name="a", **options)
        >>> two = eyechart.examine("demo:", "world-factors", out="exams/b", model_name="b", **options)
        >>> comparison = eyechart.compare(one.folder, two.folder)
        >>> comparison.datasets[0].letters  # models that share a letter are inseparable
        ('a', 'a')
    """
    sides = open_sides([Path(run) for run in runs], models)
    names = tuple(side.name for side in sides)
    paired, notices = pair_all(sides)
    others = range(1, len(sides))
    datasets = [compare_dataset(names, sides, pictures) for pictures in paired if len(pictures.labelled)]
    if not datasets:
        raise DataError("no picture that all models classified has a label; examine labelled pictures")
    return Comparison(
        models=names,
        folders=tuple(side.folder for side in sides),
        datasets=tuple(datasets),
        probes={names[place]: tuple(headline_differences(sides, place, paired)) for place in others},
        groups={names[place]: tuple(group_differences(sides, place, paired)) for place in others},
        notices=tuple(dict.fromkeys([*notices, *protocol_notices(sides, list(dict.fromkeys(p.dataset for p in paired)))])),
    )


def pair_all(sides: Sequence[Side]) -> tuple[list[PairedPictures], list[Notice]]:
    """The shared pictures of every dataset and prompt set that all models were examined on.

    Raises:
        DataError: If there is none.
    """
    matching = matching_groups(sides)
    if not matching:
        known = "; ".join(f"{side.name}: {_datasets(side)}" for side in sides)
        raise DataError(
            f"the models have no dataset in common ({known}); examine them on the same data, with the probe zero_shot"
        )
    paired, notices = [], list[Notice]()
    for groups in matching:
        pictures, found = pair_pictures(sides, groups)
        paired.append(pictures)
        notices += found
        if len(set(pictures.prompts)) > 1:
            used = ", ".join(f"{side.name}: {prompts or 'none'}" for side, prompts in zip(sides, pictures.prompts, strict=True))
            notices.append(Notice(pictures.dataset, f"no prompt set in common ({used})", _remedy(pictures.prompts)))
    return paired, notices


def _remedy(prompts: Sequence[str | None]) -> str:
    kinds = {ood_score_kind(p) for p in prompts}
    if kinds == {"MCM"}:
        return "give the same --prompts to both"
    if kinds == {"MSP"}:
        return "both are classified by their own scores of the classes"
    return (
        "OOD scores by prompts (MCM), by class scores (MSP) and of free answers are of different kinds, so no OOD threshold is "
        "carried from one to the other"
    )


def _datasets(side: Side) -> str:
    return ", ".join(dict.fromkeys(group.dataset for group in side.groups)) or "no predictions"


def compare_dataset(names: Sequence[str], sides: Sequence[Side], paired: PairedPictures) -> DatasetComparison:
    """All models on the pictures that they share, at least one of which has a label.

    Args:
        names: What the models are called in the comparison.
        sides: The models.
        paired: Their predictions.
    """
    rows, count = paired.labelled, len(names)
    places = list(combinations(range(count), 2))
    pairs = [compare_pair(paired, (names[a], names[b]), a, b) for a, b in places]
    corrected = holm([pair.top1.p for pair in pairs])
    pairs = [replace(pair, top1=replace(pair.top1, q=float(q))) for pair, q in zip(pairs, corrected, strict=True)]
    different = np.zeros((count, count), bool)
    for (a, b), pair in zip(places, pairs, strict=True):
        different[a, b] = different[b, a] = pair.top1.separable
    reported = [reported_accuracies(s, paired.dataset, prompts) for s, prompts in zip(sides, paired.prompts, strict=True)]
    accuracies = [accuracy(paired.correct[m, rows], paired.clusters[rows], reported[m]) for m in range(count)]
    pairs = [
        as_reported(pair, (accuracies[a], accuracies[b]), reported[a], reported[b])
        for (a, b), pair in zip(places, pairs, strict=True)
    ]
    order = sorted(range(count), key=lambda model: (-accuracies[model].value, model))
    ranked = dict(zip(order, compact_letters(different[np.ix_(order, order)]), strict=True))
    letters = tuple(ranked[model] for model in range(count))
    return DatasetComparison(
        paired.dataset, paired.prompts, len(rows), tuple(accuracies), letters, tuple(pairs), _majority(paired, rows)
    )


def _majority(paired: PairedPictures, rows: Indices) -> Baseline:
    """The share of the most frequent class. It is chance where all classes are equally frequent."""
    classes, counts = np.unique(paired.truth[rows], return_counts=True)
    name = "chance" if (counts == counts[0]).all() else f"always predicting {paired.classes[classes[counts.argmax()]]}"
    return Baseline(name, float(counts.max() / len(rows)))
