"""The metrics of a repaired classifier. Each is measured on held-out pictures.

Metrics with a `…_change` are reported before and after the repair; the change is the paired difference.
"""

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from eyechart.findings.finding import Finding
from eyechart.findings.metric import Metric, find_metric
from eyechart.findings.numbers import format_estimate, format_interval, format_value

CHANGE = "_change"


def with_changes(*metrics: Metric) -> Iterator[Metric]:
    """The metrics, each with its paired difference."""
    for metric in metrics:
        yield metric
        yield Metric(
            name=metric.name + CHANGE,
            title=f"change of {metric.title}",
            unit=metric.unit,
            difference=True,
            higher_is_better=metric.higher_is_better,
        )


# The overall metrics, in the order of the summary.
OVERALL = (
    Metric(name="top1", title="top-1 accuracy"),
    Metric(name="mean_per_class", title="mean per-class accuracy"),
    Metric(name="targeted_classes", title="targeted-class accuracy"),
    Metric(name="worst_at_k", title="worst@k accuracy"),
    Metric(name="harm_rate", title="harmful predictions", higher_is_better=False),
)
METRICS = (
    *with_changes(
        *OVERALL,
        Metric(name="class_accuracy", title="accuracy by class"),
        Metric(name="group_accuracy", title="accuracy by group"),
        Metric(name="group_harm_rate", title="harmful predictions by group", higher_is_better=False),
        Metric(name="ece", title="expected calibration error (ECE)", higher_is_better=False),
    ),
    Metric(
        name="nll_change",
        title="change of negative log-likelihood (NLL)",
        unit="nats",
        difference=True,
        higher_is_better=False,
    ),
    Metric(name="answered_share", title="pictures answered (not abstained)", higher_is_better=None),
    Metric(name="selective_accuracy", title="accuracy on answered pictures"),
    Metric(name="correct_answers_kept", title="correct answers kept by the threshold"),
    Metric(name="group_answered_share", title="pictures of a group answered", higher_is_better=None),
    Metric(name="set_coverage", title="prediction sets that contain the true class"),
    Metric(name="class_set_coverage", title="prediction sets that contain the true class, one class"),
    Metric(name="group_set_coverage", title="prediction sets that contain the true class, one group"),
    Metric(name="set_size", title="mean size of a prediction set", unit="classes", higher_is_better=False),
    Metric(name="empty_set_share", title="empty prediction sets", higher_is_better=False),
)


def metric_of(finding: Finding, metrics: tuple[Metric, ...] = METRICS) -> Metric:
    """The record of a finding's metric; TypeError where none is declared."""
    found = find_metric(metrics, finding.metric)
    if found is None:
        raise TypeError(f"a repair reports the metric {finding.metric!r}, but does not declare it")
    return found


def value_text(finding: Finding, metrics: tuple[Metric, ...] = METRICS) -> str:
    """'71.3%' or '−3.1 points'."""
    return format_value(finding.value, metric_of(finding, metrics).shown_unit)


def interval_text(finding: Finding, metrics: tuple[Metric, ...] = METRICS) -> str:
    """The 95% interval. An interval of a change that includes 0 is marked as not significant."""
    text = format_interval(finding.low, finding.high, metric_of(finding, metrics).shown_unit)
    return text + ("; not significant" if text and finding.baseline is not None and not is_significant(finding) else "")


def estimate_text(finding: Finding, metrics: tuple[Metric, ...] = METRICS) -> str:
    """The value with its 95% interval: '3.1 points (−0.5 to 6.7; not significant)'."""
    interval = interval_text(finding, metrics)
    return value_text(finding, metrics) + (f" ({interval})" if interval else "")


def share_text(finding: Finding, metrics: tuple[Metric, ...] = METRICS) -> str:
    """The value with its 95% interval and n: '71.3% (68.0 to 74.4%), n = 600'."""
    unit = metric_of(finding, metrics).shown_unit
    return f"{format_estimate(finding.value, finding.low, finding.high, unit)}, n = {finding.n:,}"


def is_significant(change: Finding) -> bool:
    """Whether the 95% interval of a change excludes 0."""
    return change.low is not None and change.high is not None and (change.low > 0 or change.high < 0)


def is_better(change: Finding, metrics: tuple[Metric, ...] = METRICS) -> bool:
    """Whether a change is a significant improvement."""
    sign = -1 if metric_of(change, metrics).higher_is_better is False else 1
    return is_significant(change) and sign * (1 if (change.low or 0.0) > 0 else -1) > 0


def is_worse(change: Finding, metrics: tuple[Metric, ...] = METRICS) -> bool:
    """Whether a change is a significant loss."""
    return is_significant(change) and not is_better(change, metrics)


def finding_dict(finding: Finding, metrics: tuple[Metric, ...] = METRICS) -> dict[str, Any]:
    """A finding for cards and `--json`, with the unit, direction and title of its metric."""
    metric = metric_of(finding, metrics)
    better = metric.higher_is_better if finding.higher_is_better == "as declared" else finding.higher_is_better
    return asdict(finding) | {"unit": finding.unit or metric.unit, "higher_is_better": better, "title": metric.title}
