"""Distribution shift: the accuracy drop on shifted pictures of the same classes, and effective robustness."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share
from eyechart.metrics.trends.axes import AXES, Axis
from eyechart.metrics.trends.baseline_lines import BaselineLine, find_line
from eyechart.metrics.trends.line_fits import Fit
from eyechart.notice import Notice
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.shift.exhibits import shift_exhibits
from eyechart.probes.shift.metrics import METRICS
from eyechart.probes.shift.outcomes import ShiftOutcome, shift_outcomes
from eyechart.probes.tasks.classifier import ONE_CLASS, class_titles, known_classes
from eyechart.probes.tasks.predictors import Predictor, predictor_texts, predictors
from eyechart.probes.tasks.share_findings import difference_finding, share_finding
from eyechart.probes.tasks.shift_pairs import ShiftPair, severities, shift_pairs
from eyechart.probes.tasks.shifted_predictions import shifted_predictions


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `shift`.

    axis: The axis of the baseline line of effective robustness.
    fit: How that line was fitted.
    """

    axis: str = "probit"
    fit: str = "huber"

    def __post_init__(self) -> None:
        if self.axis not in AXES or self.fit not in get_args(Fit):
            raise ValueError(f"axis must be one of {', '.join(AXES)}, and fit one of {', '.join(get_args(Fit))}")


@probe(
    version=2,
    needs=("pictures", "labels", "classes"),
    wants=("logit_scale", "class_scores"),
    from_predictions=True,
    settings=Settings(),
    metrics=METRICS,
    among="the classes that both datasets have, for both",
    profiles=("classify", "paper"),
    texts=predictor_texts,
    compares=True,
    headline=("worst_accuracy_drop", "mean_accuracy_drop", "effective_robustness"),
)
def shift(inputs: ProbeInput[Settings]) -> Answer:
    """How much accuracy is lost under distribution shift?

    Both sides are evaluated on their shared classes: scores of other classes are removed before the prediction. Effective
    robustness is the shifted accuracy minus what a baseline line predicts for a model with the same accuracy on the source
    (Taori et al., 2020).
    """
    if len(known_classes(inputs)) < 2:
        raise NotApplicable(ONE_CLASS)
    found = shift_pairs(inputs)
    if not found:
        raise NotApplicable(_why_not(inputs))
    by = predictors(inputs)
    notices = _notices(inputs, found, restricts=all(predictor.restricts for predictor in by))
    answers = [_by(inputs, predictor, found) for predictor in by]
    return Answer(
        [f for answer in answers for f in answer.findings],
        [e for answer in answers for e in answer.exhibits],
        [*notices, *dict.fromkeys(n for answer in answers for n in answer.notices)],
        [p for answer in answers for p in answer.predictions],
    )


def _by(inputs: ProbeInput[Settings], predictor: Predictor, found: Sequence[ShiftPair]) -> Answer:
    """All findings and exhibits of one predictor."""
    outcomes, under = shift_outcomes(inputs, found, predictor), predictor.slice
    findings, notices = [], []
    for outcome in outcomes:
        findings += [replace(f, slice={**outcome.slice, **under}) for f in _of_one(inputs, outcome)]
        notices += _without_partner(inputs, outcome)
        line = baseline(inputs, outcome) if predictor.restricts or _whole_list(inputs, outcome.pair) else None
        if line is not None:
            robustness = _effective_robustness(outcome, line)
            findings.append(replace(robustness, slice={**outcome.slice, **under}))
            notices += _far_from_line(outcome, line, robustness)
    findings += [replace(f, slice={**f.slice, **under}) for f in _of_all(inputs, outcomes)]
    predictions = [p for pair in found for p in shifted_predictions(inputs, pair, predictor)]
    exhibits = shift_exhibits(outcomes, findings, class_titles(known_classes(inputs)), under)
    return Answer(findings, exhibits, notices, predictions)


def _of_one(inputs: ProbeInput[Settings], outcome: ShiftOutcome) -> list[Finding]:
    return [
        share_finding("source_accuracy", outcome.on_source),
        share_finding("shifted_accuracy", outcome.on_shifted),
        _drop("accuracy_drop", outcome.on_source, outcome.on_shifted, inputs.dataset.name),
    ]


def _of_all(inputs: ProbeInput[Settings], outcomes: Sequence[ShiftOutcome]) -> list[Finding]:
    """The largest drop; and the mean over all shifts with equal weight, where there are several."""
    outcomes = [o for o in outcomes if not o.k]  # pm-k accuracy over neighboring frames is lower by definition
    worst = max(outcomes, key=lambda o: o.drop)
    largest = _drop("worst_accuracy_drop", worst.on_source, worst.on_shifted, inputs.dataset.name)
    findings = [replace(largest, slice=worst.slice)]
    if len(outcomes) > 1:
        sides = []
        for hits, units in (("source", "source_units"), ("shifted", "shifted_units")):
            parts = [getattr(o, hits) for o in outcomes]
            groups = np.repeat(np.arange(len(parts)), [len(p) for p in parts])
            sides.append(
                clustered_share(np.concatenate(parts), np.concatenate([getattr(o, units) for o in outcomes]), groups=groups)
            )
        findings += [
            share_finding("mean_shifted_accuracy", sides[1]),
            _drop("mean_accuracy_drop", sides[0], sides[1], inputs.dataset.name),
        ]
    return findings


def _drop(metric: str, source: ClusteredShare, shifted: ClusteredShare, baseline: str) -> Finding:
    return difference_finding(metric, source, shifted, n=shifted.n, baseline=baseline)


def baseline(inputs: ProbeInput[Settings], outcome: ShiftOutcome) -> BaselineLine | None:
    """The stored line between the two published datasets; None for other datasets, or where classes are missing."""
    settings: Settings = inputs.settings
    source, shifted = inputs.dataset.benchmark, outcome.pair.shifted.dataset.benchmark
    if source is None or shifted is None:
        return None
    name = f"{shifted}-pm{outcome.k}" if outcome.k else shifted
    axis: Axis = settings.axis  # type: ignore[assignment]
    fit: Fit = settings.fit  # type: ignore[assignment]
    line = find_line(source, name, axis=axis, fit=fit)
    return line if line is not None and line.classes == len(outcome.pair.columns) else None


def _effective_robustness(outcome: ShiftOutcome, line: BaselineLine) -> Finding:
    value, (low, high) = line.effective_robustness(_as_in(line, outcome).estimate, outcome.on_shifted.estimate)
    known = bool(np.isfinite(value))
    return Finding(
        metric="effective_robustness",
        value=value if known else None,
        n=outcome.on_shifted.n,
        low=low if known else None,
        high=high if known else None,
        interval="MOVER from both accuracies and the line, 95%",
        baseline=f"{line.axis} line through {line.n} standard models ({line.fit})",
    )


def _as_in(line: BaselineLine, outcome: ShiftOutcome) -> ClusteredShare:
    """The source accuracy as the line defines it."""
    return outcome.on_source if line.grouped else outcome.on_source_strict


def _far_from_line(outcome: ShiftOutcome, line: BaselineLine, robustness: Finding) -> list[Notice]:
    (low, high), source = line.source_range, _as_in(line, outcome).value
    if robustness.value is None:
        what = (
            f"no effective robustness: a source accuracy of {percent(source)} is not on the {line.axis} axis of the baseline line"
        )
        remedy = 'examine more pictures, or set shift.axis = "linear"'
        return [Notice(outcome.title, what, remedy)]
    if low <= source <= high:
        return []
    what = (
        f"the source accuracy of {percent(source)} is outside the range of the baseline line, {percent(low)} to {percent(high)}"
    )
    return [Notice(outcome.title, what, "treat the effective robustness as an extrapolation")]


def _without_partner(inputs: ProbeInput[Settings], outcome: ShiftOutcome) -> list[Notice]:
    """Shifted pictures whose original is not in the run, for instance because of a limit."""
    if not outcome.unmatched:
        return []
    many, source = f"{outcome.unmatched:,} of {len(outcome.pair.rows):,}", inputs.dataset.name
    what = f"{many} pictures have no original (attr.source_id) among the pictures of {source}"
    then = "and are left out" if outcome.pairs else "so all pictures of both are compared, not pairs"
    return [Notice(outcome.title, f"{what}, {then}", "run without a limit to have all originals")]


def _whole_list(inputs: ProbeInput[Settings], pair: ShiftPair) -> bool:
    return len(pair.columns) == len(known_classes(inputs))


def _notices(inputs: ProbeInput[Settings], found: Sequence[ShiftPair], *, restricts: bool) -> list[Notice]:
    """Shifted datasets without shared classes, and rows of others whose class is not shared."""
    notices = []
    by_name = {c.name: c for c in found}
    for other in _natural(inputs):
        where = other.dataset.name
        if where not in by_name:
            what = f"no shared class with {inputs.dataset.name}"
            notices.append(Notice(where, what, "use the same labels or class names in both; see docs/data.md"))
            continue
        shared, listed = len(by_name[where].columns), len(known_classes(inputs))
        if shared < listed:
            what = f"both sides are classified among the {shared} shared classes, of {listed} that {inputs.dataset.name} has"
            if not restricts:
                what = f"both sides are pictures of the {shared} shared classes; predictions were made among all {listed}"
            notices.append(Notice(where, what, "compare it with source_accuracy, among the same classes, not with top1"))
        left = int((severities(other.dataset) == 0).sum()) - len(by_name[where].rows)
        if left:
            what = f"{left} of {len(other.dataset)} pictures left out because {inputs.dataset.name} does not have their class"
            notices.append(Notice(where, what, "this is expected where the dataset has other classes too"))
    return notices


def _natural(inputs: ProbeInput[Settings]) -> list[ProbeInput[Settings]]:
    """The companions of the role "shift" that have rows without a severity."""
    return [g for g in inputs.companions_of("shift") if (severities(g.dataset) == 0).any()]


def _why_not(inputs: ProbeInput[Settings]) -> str:
    shifted = _natural(inputs)
    if not shifted and not inputs.dataset.has("attr.shift"):
        return 'there is no shifted dataset; give one with --shift, or in a plan with role = "shift"'
    if not shifted:
        return "the column attr.shift does not mark both shifted and unshifted labeled pictures"
    return f"the shifted datasets ({', '.join(g.dataset.name for g in shifted)}) share no labeled class with the dataset"
