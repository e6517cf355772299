"""Progression: how the lead of the first word grows while a model is trained."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit, slug
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.mover import Estimate, difference_interval
from eyechart.metrics.trends.growth import HOW, per_doubling
from eyechart.probes.cross_model import CrossModelInput, cross_model_probe
from eyechart.probes.probe import Answer, NotApplicable
from eyechart.probes.progression.checkpoints import TrainingRun, training_runs
from eyechart.probes.progression.metrics import METRICS

HOW_CHANGE = "recovered from both intervals, 95% or more"


@dataclass(frozen=True)
class Settings:
    """`measures`: numbers over all rows, as probe.metric, that are followed from checkpoint to checkpoint."""

    measures: tuple[str, ...] = ("first_object.first_object_share", "first_object.first_object_lead")

    def __post_init__(self) -> None:
        if not self.measures or not all(m.count(".") == 1 for m in self.measures):
            raise ValueError("measures are written probe.metric, such as first_object.first_object_share")


@cross_model_probe(
    version=1, settings=Settings(), metrics=METRICS, headline=("first_object_lead_change", "first_object_share_change")
)
def progression(panel: CrossModelInput[Settings]) -> Answer:
    """How does what the model hears change while it is trained?

    Checkpoints of one training, told by their cards: the share of captions in which the first name is heard best (first_object)
    against the samples seen (Abbasi et al., 2025, §4.3), and its lead over the others, since every share grows while a model
    learns the names; the change from the first checkpoint to the last, and the slope.
    """
    runs = training_runs(panel.cards)
    if not runs:
        raise NotApplicable("no two models of the run are checkpoints of one training, as far as their cards tell")
    rows = panel.findings.to_pylist()
    findings: list[Finding] = []
    exhibits: list[Exhibit] = []
    for run in runs:
        for measure in panel.settings.measures:
            points = _points(run, rows, measure)
            if len(points) > 1:
                findings += _followed(run, measure, points)
        exhibits += _exhibit(run, rows, findings)
    if not findings:
        measures = " or ".join(panel.settings.measures)
        raise NotApplicable(f"no two checkpoints of one training have {measures}; ask those probes in the same run")
    return Answer(findings, exhibits)


@dataclass(frozen=True)
class Point:
    samples: int
    estimate: Estimate
    n: int


def _points(run: TrainingRun, rows: Sequence[dict[str, Any]], measure: str) -> list[Point]:
    """The measure at every checkpoint that has it, over all rows and under the first prompt set."""
    probe, metric = measure.split(".")
    found: dict[str, Point] = {}
    samples = dict(zip(run.models, run.samples, strict=True))
    for row in rows:
        if row["model"] not in samples or (row["probe"], row["metric"]) != (probe, metric) or row["low"] is None:
            continue
        if not set(json.loads(row["slice"])) - {"prompts"}:
            point = Point(samples[row["model"]], Estimate(row["value"], row["low"], row["high"]), row["n"])
            found.setdefault(row["model"], point)
    return sorted(found.values(), key=lambda point: point.samples)


def _followed(run: TrainingRun, measure: str, points: Sequence[Point]) -> Iterator[Finding]:
    metric, where = measure.split(".")[1], {"run": run.title}
    for point in points:
        value, low, high = point.estimate
        at: dict[str, object] = {**where, "samples": point.samples}
        yield Finding(metric=metric, value=value, n=point.n, low=low, high=high, slice=at, interval="as found of the checkpoint")
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
    )
    if len(points) > 2:
        slope, (low, high) = per_doubling([p.samples for p in points], [p.estimate.value for p in points])
        yield Finding(metric=f"{metric}_per_doubling", value=slope, n=len(points), low=low, high=high, slice=where, interval=HOW)


def _exhibit(run: TrainingRun, rows: Sequence[dict[str, Any]], findings: Sequence[Finding]) -> list[Exhibit]:
    """The lead of the first name against samples seen, a line for each number of names."""
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
            "names in the caption": [str(count) for count in columns[0]],
            "samples": columns[1],
            "lead": columns[2],
            "low": columns[3],
            "high": columns[4],
        }
    )
    sure = change.low is not None and change.high is not None and not change.low <= 0 <= change.high
    told = f"{100 * (change.value or 0.0):+.1f} points".replace("-", "−")
    seen = f"From the first checkpoint to the last, the lead of the first name over the others changes by {told}"
    return [
        Exhibit(
            f"run-{slug(run.title)}",
            f"What is heard while {run.title} is trained",
            f"{seen}{'' if sure else ', an interval that holds 0'}.",
            table,
            chart=charts.line_with_band(
                x="samples",
                y="lead",
                low="low",
                high="high",
                color="names in the caption",
                x_title="samples seen",
                y_title="share of the first name, less the mean of the others",
                x_unit="count",
                log=True,
            ),
        )
    ]
