"""Decide conditions on intervals: at 95% confidence a condition holds or does not hold, or it is inconclusive."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from eyechart.comparison.paired_metrics import METRICS
from eyechart.comparison.sides import Side
from eyechart.errors import UsageError
from eyechart.findings.numbers import format_estimate, format_value
from eyechart.findings.predictions import FILE as PREDICTIONS
from eyechart.findings.run import Run
from eyechart.gate.changes import MetricChange, paired_change, unpaired_change
from eyechart.gate.condition import Condition
from eyechart.gate.evidence import Evidence, find_evidence
from eyechart.metrics.intervals.mover import Estimate

Outcome = Literal["fails", "passes", "inconclusive"]


@dataclass(frozen=True)
class Check:
    """A condition on one model and dataset.

    outcome: "fails" where the whole interval meets the condition, "passes" where none of it does, else "inconclusive".
    model: The model.
    dataset: The dataset.
    shown: The number with its interval, as text.
    n: Pictures, or pairs.
    how: The method of the interval.
    notices: What was left out.
    """

    outcome: Outcome
    model: str
    dataset: str
    shown: str
    n: int
    how: str
    notices: tuple[str, ...] = ()


@dataclass(frozen=True)
class Decision:
    """A condition, decided.

    condition: The condition.
    checks: One for each model and dataset.
    """

    condition: Condition
    checks: tuple[Check, ...]

    @property
    def outcome(self) -> Outcome:
        """The worst of its checks."""
        outcomes = {check.outcome for check in self.checks}
        return "fails" if "fails" in outcomes else "inconclusive" if "inconclusive" in outcomes else "passes"


def decide(conditions: Sequence[Condition], run: Run, baseline: Run | None = None) -> list[Decision]:
    """Decide every condition.

    Raises:
        UsageError: If a metric or dataset is missing, in the run or in the baseline, or if a unit does not fit.
    """
    return [Decision(condition, tuple(_checks(condition, run, baseline))) for condition in conditions]


def _checks(condition: Condition, run: Run, baseline: Run | None) -> list[Check]:
    found = find_evidence(run, condition, "the run")
    for evidence in found:
        _check_unit(condition, evidence)
    if not condition.needs_baseline:
        return [_check_value(condition, evidence) for evidence in found]
    if baseline is None:
        raise UsageError(f"--fail-if {condition.text!r}: a change needs a run to compare with; give --baseline")
    before = find_evidence(baseline, condition, "the baseline")
    for dataset in dict.fromkeys(evidence.dataset for evidence in before):
        if dataset not in {evidence.dataset for evidence in found}:
            raise UsageError(
                f"--fail-if {condition.text!r}: the baseline has {condition.metric} on {dataset}, and the run does not; "
                "examine it there too, or name one dataset with `of`"
            )
    return [_check_change(condition, run, baseline, evidence, _match(condition, before, evidence)) for evidence in found]


def _check_unit(condition: Condition, evidence: Evidence) -> None:
    fraction = evidence.metric.unit == "fraction"
    if condition.unit and not fraction:
        raise UsageError(
            f"--fail-if {condition.text!r}: {condition.metric} is in {evidence.metric.unit}, not a fraction; give a plain number"
        )
    if fraction and not condition.unit and abs(condition.value) > 1:
        unit = " points" if condition.needs_baseline else "%"
        meant = f"{condition.value / 100:g} or {condition.value:g}{unit}"
        raise UsageError(f"--fail-if {condition.text!r}: {condition.metric} is a fraction; write {meant}")


def _match(condition: Condition, before: Sequence[Evidence], now: Evidence) -> Evidence:
    """The baseline's number for the same dataset: of the model of that name, or of its only model."""
    there = [evidence for evidence in before if evidence.dataset == now.dataset]
    models = list(dict.fromkeys(evidence.model for evidence in before))
    same = [evidence for evidence in there if evidence.model == now.model or len(models) == 1]
    if not same:
        known = ", ".join(f"{evidence.model} on {evidence.dataset}" for evidence in before)
        raise UsageError(
            f"--fail-if {condition.text!r}: the baseline has no {condition.metric} of {now.model} on {now.dataset} "
            f"(it has {known}); examine the baseline on the same data"
        )
    return same[0]


def _check_value(condition: Condition, evidence: Evidence) -> Check:
    unit = evidence.metric.shown_unit
    bounds = Estimate(*[evidence.value] * 3) if evidence.exact and evidence.estimate is None else evidence.estimate
    shown = format_value(evidence.value, unit) if evidence.estimate is None else format_estimate(*evidence.estimate, unit)
    how = "95% interval" if evidence.estimate is not None else "a count" if evidence.exact else "no interval"
    shown += f" ({evidence.where})" if evidence.where else ""
    return Check(_outcome(condition, bounds), evidence.model, evidence.dataset, shown, evidence.n, how)


def _check_change(condition: Condition, run: Run, baseline: Run, now: Evidence, before: Evidence) -> Check:
    found = None
    if now.probe == "zero_shot" and now.metric.name in METRICS and _has_predictions(run) and _has_predictions(baseline):
        found = paired_change(_side(baseline, before), _side(run, now), now.metric.name, now.dataset, now.prompts)
    if found is None:
        found = unpaired_change(*(e.estimate or e.value for e in (before, now)))
    unit = "points" if now.metric.unit == "fraction" else now.metric.shown_unit
    bounds = found.change
    if bounds is None and now.exact:
        bounds = Estimate(*[found.value] * 3)
    change = format_value(found.value, unit) if found.change is None else format_estimate(*found.change, unit)
    values = " → ".join(format_value(value, now.metric.shown_unit) for value in (found.before, found.now))
    notices = _notices(found, now, before)
    outcome = _outcome(condition, bounds)
    return Check(outcome, now.model, now.dataset, f"{change}: {values}", found.n or now.n, found.how, notices)


def _notices(found: MetricChange, now: Evidence, before: Evidence) -> tuple[str, ...]:
    unpaired = found.n is None
    differ = unpaired and before.prompts != now.prompts
    other = [f"prompts {before.prompts} in the baseline, {now.prompts} now"] if differ else []
    other += [f"the baseline is {before.model}"] if before.model != now.model else []
    return (*found.notices, *other)


def _side(run: Run, evidence: Evidence) -> Side:
    folder = run.folder or Path()
    return Side(f"{evidence.model} ({folder})", evidence.model, folder, run)


def _has_predictions(run: Run) -> bool:
    return run.folder is not None and (run.folder / PREDICTIONS).is_file()


def _outcome(condition: Condition, bounds: Estimate | None) -> Outcome:
    """Whether the interval lies on the failing side of the limit, on the other, or on both."""
    if bounds is None:
        return "inconclusive"
    limit = condition.value
    _, low, high = bounds
    if condition.relation == "drops":
        low, high = -high, -low
    fails, passes = {
        "<": (high < limit, low >= limit),
        "<=": (high <= limit, low > limit),
        ">": (low > limit, high <= limit),
        ">=": (low >= limit, high < limit),
        "drops": (low >= limit, high < limit),
        "rises": (low >= limit, high < limit),
    }[condition.relation]
    return "fails" if fails else "passes" if passes else "inconclusive"
