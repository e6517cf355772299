"""Differences of headline metrics and of groups: paired by picture where predictions decide them, else from two findings."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eyechart.comparison.paired_metrics import METRICS, paired_metric
from eyechart.comparison.pairing import PairedPictures
from eyechart.comparison.pairs import paired_difference
from eyechart.comparison.sides import Side
from eyechart.findings.attributes import attribute_text
from eyechart.findings.metric import Metric
from eyechart.metrics.intervals.mover import Estimate, difference_interval
from eyechart.metrics.multiplicity import benjamini_hochberg
from eyechart.metrics.special import ndtr, ndtri

UNPAIRED = "unpaired: MOVER from two intervals, 95%; too wide where both models saw the same pictures"
PAIRED_GROUP = "paired by picture: MOVER from two clustered Wilson intervals, 95%; exact McNemar"

Key = tuple[str, str, str, str]  # dataset, probe, metric, slice
Findings = dict[Key, dict[str, Any]]
Pair = tuple[Key, dict[str, Any], dict[str, Any]]  # a place, and the finding of each model
Wanted = Callable[[Side, Mapping[str, Any]], bool]


@dataclass(frozen=True)
class MetricDifference:
    """A metric of the second model minus that of the first.

    dataset: The dataset.
    probe: The probe.
    metric: The metric's record.
    slice: What it is about, as JSON.
    first: Value and interval of the first model; of the shared pictures where it is paired.
    second: Value and interval of the second model, likewise.
    value: The difference.
    low: Lower end of its 95% interval.
    high: Upper end.
    p: Two-sided: exact McNemar for a group that is paired, else normal, with the standard error of the interval.
    q: p, corrected for all metrics that are compared (Benjamini and Hochberg).
    how: The method of the interval.
    """

    dataset: str
    probe: str
    metric: Metric
    slice: str
    first: Estimate
    second: Estimate
    value: float
    low: float
    high: float
    p: float
    q: float
    how: str

    @property
    def separable(self) -> bool:
        return self.q < 0.05

    @property
    def paired(self) -> bool:
        return self.how != UNPAIRED

    @property
    def better(self) -> bool | None:
        """Whether the second model is better; None where no direction is."""
        return None if self.metric.higher_is_better is None else (self.value > 0) == self.metric.higher_is_better


def headline_differences(sides: Sequence[Side], place: int, pictures: Sequence[PairedPictures]) -> list[MetricDifference]:
    """The headline metrics of every probe that both runs have, but for top-1 accuracy, which has a record of its own.

    Args:
        sides: All models; the first is the reference.
        place: The place of the second model.
        pictures: The predictions that all models share.
    """

    def wanted(side: Side, row: Mapping[str, Any]) -> bool:
        return row["metric"] in side.run.headline(row["probe"]) and (row["probe"], row["metric"]) != ("zero_shot", "top1")

    paired = {key: difference for of in pictures for key, difference in _paired_metrics(sides, place, of)}
    one, two = (_of_all_rows(_findings(side, wanted)) for side in (sides[0], sides[place]))
    shared = [*_shared(one, two), *under_other_prompts(one, two)]
    unpaired = [_unpaired(sides[0], key, one, two) for key, one, two in shared if key not in paired]
    return _corrected([*(_as_reported(d, one.get(key), two.get(key)) for key, d in paired.items()), *unpaired])


def _as_reported(difference: MetricDifference, one: Mapping[str, Any] | None, two: Mapping[str, Any] | None) -> MetricDifference:
    """With the intervals that the runs report where they are of the same pictures: one number has one interval."""

    def reported(own: Estimate, row: Mapping[str, Any] | None) -> Estimate:
        same = row is not None and abs(row["value"] - own.value) < 1e-9
        return Estimate(row["value"], row["low"], row["high"]) if same and row is not None else own

    return replace(difference, first=reported(difference.first, one), second=reported(difference.second, two))


def _paired_metrics(sides: Sequence[Side], place: int, pictures: PairedPictures) -> Iterator[tuple[Key, MetricDifference]]:
    """The headline metrics of zero_shot that predictions decide, for the examined pictures of one dataset.

    Where the two models have different prompts, or one has none, the prompts of the first name the difference.
    """
    if pictures.dataset != pictures.of or not len(pictures.labelled):
        return
    headline = [side.run.headline("zero_shot") for side in (sides[0], sides[place])]
    prompts = pictures.prompts[0]
    slice = json.dumps({} if prompts is None else {"prompts": prompts})
    for metric in METRICS:
        if metric != "top1" and all(metric in of for of in headline):
            of = paired_metric(pictures, 0, place, metric)
            key = (pictures.dataset, "zero_shot", metric, slice)
            yield key, _difference(sides[0], key, "fraction", of.first, of.second, of.change, of.how)


def group_differences(sides: Sequence[Side], place: int, pictures: Sequence[PairedPictures]) -> list[MetricDifference]:
    """The accuracy of groups, for all groups that both runs have. The arguments are those of `headline_differences`."""

    def wanted(side: Side, row: Mapping[str, Any]) -> bool:
        return bool(row["metric"] == "group_accuracy")

    found = []
    for key, one, two in _shared(*(_by_slice(_findings(side, wanted)) for side in (sides[0], sides[place]))):
        slice = json.loads(key[3])
        same = _same_pictures(pictures, place, key[0], slice.get("prompts"))
        paired = None if same is None else _paired_group(sides[0], key, one, slice, same, place)
        found.append(paired or _unpaired(sides[0], key, one, two))
    return _corrected(found)


def _same_pictures(pictures: Sequence[PairedPictures], place: int, dataset: str, prompts: str | None) -> PairedPictures | None:
    """The labelled pictures of a dataset that both models classified with this prompt set."""
    for of in pictures:
        if of.dataset == of.of == dataset and of.prompts[0] == of.prompts[place] == prompts and len(of.labelled):
            return of
    return None


def _paired_group(
    first: Side, key: Key, row: Mapping[str, Any], slice: Mapping[str, Any], same: PairedPictures, place: int
) -> MetricDifference | None:
    """The pictures of the group, picture by picture; None where predictions do not have its attribute."""
    group = {"True": attribute_text(True), "False": attribute_text(False)}.get(slice["group"], slice["group"])
    members = same.labelled[same.has(f"{slice['attribute']}={group}")[same.labelled]]
    if not len(members):
        return None
    of = paired_difference(same.correct[0, members], same.correct[place, members], same.clusters[members])
    change = Estimate(of.value, of.low, of.high)
    return replace(_difference(first, key, row["unit"], of.first, of.second, change, PAIRED_GROUP), p=of.p, q=of.p)


def _corrected(found: Sequence[MetricDifference]) -> list[MetricDifference]:
    corrected = benjamini_hochberg([difference.p for difference in found])
    return [replace(difference, q=float(q)) for difference, q in zip(found, corrected, strict=True)]


def _shared(one: Findings, two: Findings) -> list[Pair]:
    """The findings that both models have."""
    return [(key, one[key], two[key]) for key in one if key in two]


def under_other_prompts(one: Findings, two: Findings) -> list[Pair]:
    """Metrics that the models have under different prompt sets only, or one of them by its class scores: the first of each, as
    predictions are paired then."""
    found = []
    for place in dict.fromkeys(key[:3] for key in one):
        mine, other = ([key for key in of if key[:3] == place] for of in (one, two))
        if other and not set(mine) & set(other):
            found.append((mine[0], one[mine[0]], two[other[0]]))
    return found


def _findings(side: Side, wanted: Wanted) -> list[dict[str, Any]]:
    """Those with an interval."""
    rows = [row for row in side.run.findings.to_pylist() if row["model"] == side.model and wanted(side, row)]
    return [row for row in rows if None not in (row["value"], row["low"], row["high"])]


def _by_slice(rows: Sequence[dict[str, Any]]) -> Findings:
    return {(r["dataset"], r["probe"], r["metric"], r["slice"]): r for r in rows}


def _of_all_rows(rows: Sequence[dict[str, Any]]) -> Findings:
    """The finding of all rows under each prompt set, or the only one there is."""
    places: dict[Key, list[dict[str, Any]]] = {}
    for row in rows:
        prompts = {k: v for k, v in json.loads(row["slice"]).items() if k == "prompts"}
        places.setdefault((row["dataset"], row["probe"], row["metric"], json.dumps(prompts)), []).append(row)
    found = {}
    for key, of in places.items():
        plain = [row for row in of if set(json.loads(row["slice"])) <= {"prompts", "answers"}]
        if plain or len(of) == 1:
            found[key] = (plain or of)[0]
    return found


def _unpaired(side: Side, key: Key, one: Mapping[str, Any], two: Mapping[str, Any]) -> MetricDifference:
    first, second = (Estimate(row["value"], row["low"], row["high"]) for row in (one, two))
    change = Estimate(second.value - first.value, *difference_interval(second, first))
    return _difference(side, key, one["unit"], first, second, change, UNPAIRED)


def _difference(
    side: Side, key: Key, unit: str, first: Estimate, second: Estimate, change: Estimate, how: str
) -> MetricDifference:
    dataset, probe, name, slice = key
    p = _normal_p(*change)
    return MetricDifference(dataset, probe, side.run.metric(probe, name, unit), slice, first, second, *change, p, p, how)


def _normal_p(value: float, low: float, high: float) -> float:
    """Two-sided p with the standard error that the side of the interval towards 0 has."""
    reach = value - low if value > 0 else high - value
    if value == 0 or reach == 0:
        return 1.0 if value == 0 else 0.0
    return float(2 * ndtr(-abs(value) / reach * ndtri(0.975)))
