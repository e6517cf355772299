"""Progression: how the first-object share changes during training, from checkpoints of one training run."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit, slug
from eyechart.findings.finding import Finding
from eyechart.findings.metric import find_metric
from eyechart.findings.numbers import signed_points
from eyechart.metrics.intervals.mover import Estimate, difference_interval
from eyechart.metrics.trends.growth import HOW, per_doubling
from eyechart.probes.contract import Answer, NotApplicable
from eyechart.probes.cross_model import CrossModelInput, cross_model_probe
from eyechart.probes.progression.checkpoints import TrainingRun, training_runs
from eyechart.probes.progression.metrics import METRICS

HOW_CHANGE = "MOVER from both intervals, 95% or more"


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `progression`.

    measures: Metrics that are followed over checkpoints, as "probe.metric".
    """

    measures: tuple[str, ...] = ("first_object.first_object_share", "first_object.first_object_lead")

    def __post_init__(self) -> None:
        if not self.measures or not all(m.count(".") == 1 for m in self.measures):
            raise ValueError(f"measures is {self.measures!r}; write probe.metric, such as first_object.first_object_share")


@cross_model_probe(
    version=2,
    settings=Settings(),
    metrics=METRICS,
    headline=("first_object_lead_change", "first_object_share_change"),
    profiles=("objects", "paper"),
)
def progression(panel: CrossModelInput[Settings]) -> Answer:
    """How does the preference for the first object change during training?

    Checkpoints of one training run, identified by their model cards: the first-object share against the samples seen (Abbasi et
    al., 2025, §4.3), and its lead over later objects, because all shares grow while a model learns the names. Reported are the
    change from the first checkpoint to the last, and the slope.
    """
    runs = training_runs(panel.cards)
    if not runs:
        raise NotApplicable("no two models of the run have model cards of one training run at different numbers of samples")
    rows = panel.findings.to_pylist()
    findings: list[Finding] = []
    exhibits: list[Exhibit] = []
    for run in runs:
        for measure in panel.settings.measures:
            for where, points in _points(run, rows, measure).items():
                if len(points) > 1:
                    findings += _over_training(panel, run, measure, points, where)
        exhibits += _exhibit(run, rows, findings)
    if not findings:
        measures = " or ".join(panel.settings.measures)
        raise NotApplicable(f"no two checkpoints of one training run have {measures}; run these probes too")
    return Answer(findings, exhibits)


@dataclass(frozen=True)
class Point:
    """A metric at one checkpoint.

    samples: The samples seen.
    estimate: The value with its interval.
    n: How many rows it rests on.
    """

    samples: int
    estimate: Estimate
    n: int


def _points(run: TrainingRun, rows: Sequence[dict[str, Any]], measure: str) -> dict[int | None, list[Point]]:
    """The metric at every checkpoint that has it, under the first prompt set: over all rows (None), and by the number of
    objects in captions of bare names."""
    probe, metric = measure.split(".")
    found: dict[int | None, dict[str, Point]] = {None: {}}
    samples = dict(zip(run.models, run.samples, strict=True))
    for row in rows:
        if row["model"] not in samples or (row["probe"], row["metric"]) != (probe, metric) or row["low"] is None:
            continue
        slice = {key: value for key, value in json.loads(row["slice"]).items() if key != "prompts"}
        bare = set(slice) == {"captions", "count"} and slice["captions"] == "bare"
        if not slice or bare:
            point = Point(samples[row["model"]], Estimate(row["value"], row["low"], row["high"]), row["n"])
            found.setdefault(slice.get("count"), {}).setdefault(row["model"], point)
    return {count: sorted(of.values(), key=lambda point: point.samples) for count, of in found.items()}


def _over_training(
    panel: CrossModelInput[Settings], run: TrainingRun, measure: str, points: Sequence[Point], objects: int | None
) -> Iterator[Finding]:
    metric, where = measure.split(".")[1], dict[str, object](run=run.title)
    if objects is not None:
        where["objects"] = objects
    unit: str | None = None
    if find_metric(METRICS, metric) is None:  # a measure of the user's choice: the slice names it
        known = panel.metrics.get(measure.split(".")[0], {}).get(metric)
        metric, where, unit = "measure", {**where, "of": measure}, known.unit if known else None
    for point in points:
        value, low, high = point.estimate
        at: dict[str, object] = {**where, "samples": point.samples}
        how = "that of the checkpoint"
        yield Finding(metric=metric, value=value, n=point.n, low=low, high=high, slice=at, interval=how, unit=unit)
    first, last = points[0].estimate, points[-1].estimate
    low, high = difference_interval(last, first)
    baseline = f"after {points[0].samples:,} samples"
    change = last.value - first.value
    yield Finding(
        metric=f"{metric}_change",
        value=change,
        n=len(points),
        low=low,
        high=high,
        slice=where,
        interval=HOW_CHANGE,
        baseline=baseline,
        unit=unit,
    )
    if len(points) > 2:
        slope, (low, high) = per_doubling([p.samples for p in points], [p.estimate.value for p in points])
        yield Finding(
            metric=f"{metric}_per_doubling", value=slope, n=len(points), low=low, high=high, slice=where, interval=HOW, unit=unit
        )


def _exhibit(run: TrainingRun, rows: Sequence[dict[str, Any]], findings: Sequence[Finding]) -> list[Exhibit]:
    """The lead of the first object against samples seen, a line for each number of objects."""
    samples = dict(zip(run.models, run.samples, strict=True))
    lines = []
    for row in rows:
        where = json.loads(row["slice"])
        request = (row["probe"], row["metric"], where.get("captions"))
        if row["model"] in samples and request == ("first_object", "first_object_lead", "bare"):
            lines.append((where["count"], samples[row["model"]], row["value"], row["low"], row["high"]))
    change = next((f for f in findings if f.metric == "first_object_lead_change" and f.slice == {"run": run.title}), None)
    if not lines or change is None:
        return []
    lines.sort()
    columns = list(zip(*lines, strict=True))
    table = pa.table(
        {
            "objects in the caption": [str(count) for count in columns[0]],
            "samples": columns[1],
            "lead": columns[2],
            "low": columns[3],
            "high": columns[4],
        }
    )
    significant = change.low is not None and change.high is not None and not change.low <= 0 <= change.high
    sentence = f"From the first checkpoint to the last, the lead of the first object changes by {signed_points(change.value)}"
    return [
        Exhibit(
            f"run-{slug(run.title)}",
            f"Lead of the first object during training of {run.title}",
            f"{sentence}{'' if significant else ', which is not significant at 95% confidence'}.",
            table,
            chart=charts.line_with_band(
                x="samples",
                y="lead",
                low="low",
                high="high",
                color="objects in the caption",
                x_title="samples seen",
                y_title="first-object share minus the mean of later objects",
                x_unit="count",
                log=True,
            ),
        )
    ]
