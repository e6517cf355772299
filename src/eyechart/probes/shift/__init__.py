"""Accuracy under distribution shift: what a model loses on the same classes in other pictures, and whether others do too."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import get_args

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share, share_difference
from eyechart.metrics.trends.axes import AXES, Axis
from eyechart.metrics.trends.baseline_lines import BaselineLine, find_line
from eyechart.metrics.trends.line_fits import Fit
from eyechart.notice import Notice
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.shift.exhibits import shift_exhibits
from eyechart.probes.shift.metrics import METRICS
from eyechart.probes.shift.outcomes import ShiftOutcome, judge
from eyechart.probes.tasks.classifier import class_titles, known_classes
from eyechart.probes.tasks.predictors import Predictor, answer_texts, predictors
from eyechart.probes.tasks.shift_pairs import ShiftPair, severities, shift_pairs


@dataclass(frozen=True)
class Settings:
    """`axis` and `fit`: of the stored baseline line that effective robustness is measured against."""

    axis: str = "probit"
    fit: str = "huber"

    def __post_init__(self) -> None:
        if self.axis not in AXES or self.fit not in get_args(Fit):
            raise ValueError(f"axis is one of {', '.join(AXES)} and fit one of {', '.join(get_args(Fit))}")


@probe(
    version=2,
    needs=("images", "labels", "classes"),
    wants=("class_scores",),
    settings=Settings(),
    metrics=METRICS,
    texts=answer_texts,
    compares=True,
    headline=("worst_accuracy_drop", "mean_accuracy_drop", "effective_robustness"),
)
def shift(inputs: ProbeInput[Settings]) -> Answer:
    """How much accuracy is lost when the pictures change and the classes do not?

    Both sides are asked about the classes that they have in common: the other classes' scores are left out before the best one
    is chosen. Effective robustness is the shifted accuracy above what a baseline line expects of a model with the same accuracy
    on the source (Taori et al., 2020).
    """
    found = shift_pairs(inputs)
    if not found:
        raise NotApplicable(_why_not(inputs))
    notices = _notices(inputs, found)
    answers = [_by(inputs, answerer, found) for answerer in predictors(inputs)]
    return Answer(
        [f for answer in answers for f in answer.findings],
        [e for answer in answers for e in answer.exhibits],
        [*notices, *dict.fromkeys(n for answer in answers for n in answer.notices)],
    )


def _by(inputs: ProbeInput[Settings], answerer: Predictor, found: Sequence[ShiftPair]) -> Answer:
    """The whole question to one way of answering."""
    outcomes, under = judge(inputs, found, answerer), answerer.slice
    findings, notices = [], []
    for outcome in outcomes:
        findings += [replace(f, slice={**outcome.slice, **under}) for f in _of_one(inputs, outcome)]
        notices += _without_partner(inputs, outcome)
        line = baseline(inputs, outcome)
        if line is not None:
            robustness = _effective_robustness(outcome, line)
            findings.append(replace(robustness, slice={**outcome.slice, **under}))
            notices += _far_from_line(outcome, line, robustness)
    findings += [replace(f, slice={**f.slice, **under}) for f in _of_all(inputs, outcomes)]
    return Answer(findings, shift_exhibits(outcomes, findings, class_titles(known_classes(inputs)), under), notices)


def _of_one(inputs: ProbeInput[Settings], outcome: ShiftOutcome) -> list[Finding]:
    return [
        _share("source_accuracy", outcome.on_source),
        _share("shifted_accuracy", outcome.on_shifted),
        _drop("accuracy_drop", outcome.on_source, outcome.on_shifted, inputs.dataset.name),
    ]


def _of_all(inputs: ProbeInput[Settings], outcomes: Sequence[ShiftOutcome]) -> list[Finding]:
    """The largest loss; and the mean over all shifts, each weighing the same, where there are several."""
    outcomes = [o for o in outcomes if not o.k]  # with the frames around it, a video is harder by design
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
            _share("mean_shifted_accuracy", sides[1]),
            _drop("mean_accuracy_drop", sides[0], sides[1], inputs.dataset.name),
        ]
    return findings


def _share(metric: str, share: ClusteredShare) -> Finding:
    return Finding(metric=metric, value=share.value, n=share.n, low=share.estimate.low, high=share.estimate.high, interval=HOW)


def _drop(metric: str, source: ClusteredShare, shifted: ClusteredShare, baseline: str) -> Finding:
    low, high = share_difference(source, shifted)
    value = source.value - shifted.value
    return Finding(metric=metric, value=value, n=shifted.n, low=low, high=high, interval=HOW_TWO, baseline=baseline)


def baseline(inputs: ProbeInput[Settings], outcome: ShiftOutcome) -> BaselineLine | None:
    """The stored line between the two published sets, if these are such sets and whole in their classes."""
    settings: Settings = inputs.settings
    source, shifted = inputs.dataset.benchmark, outcome.contrast.shifted.dataset.benchmark
    if source is None or shifted is None:
        return None
    name = f"{shifted}-pm{outcome.k}" if outcome.k else shifted
    axis: Axis = settings.axis  # type: ignore[assignment]
    fit: Fit = settings.fit  # type: ignore[assignment]
    line = find_line(source, name, axis=axis, fit=fit)
    return line if line is not None and line.classes == len(outcome.contrast.columns) else None


def _effective_robustness(outcome: ShiftOutcome, line: BaselineLine) -> Finding:
    value, (low, high) = line.effective_robustness(_as_in(line, outcome).estimate, outcome.on_shifted.estimate)
    known = bool(np.isfinite(value))
    return Finding(
        metric="effective_robustness",
        value=value if known else None,
        n=outcome.on_shifted.n,
        low=low if known else None,
        high=high if known else None,
        interval="recovered from both accuracies and the line, 95%",
        baseline=f"{line.axis} line through {line.n} standard models ({line.fit})",
    )


def _as_in(line: BaselineLine, outcome: ShiftOutcome) -> ClusteredShare:
    """The source accuracy that is counted as the line's is."""
    return outcome.on_source if line.grouped else outcome.on_source_by_own


def _far_from_line(outcome: ShiftOutcome, line: BaselineLine, robustness: Finding) -> list[Notice]:
    (low, high), source = line.source_range, _as_in(line, outcome).value
    if robustness.value is None:
        what = f"a source accuracy of {source:.1%} has no place on the {line.axis} axis of the baseline line"
        remedy = 'examine more pictures, or set shift.axis = "linear"'
        return [Notice(outcome.title, f"{what}, so that there is no effective robustness", remedy)]
    if low <= source <= high:
        return []
    what = f"the source accuracy of {source:.1%} lies outside of the {low:.1%} to {high:.1%} that the baseline line was fitted on"
    return [Notice(outcome.title, what, "read the effective robustness as an extrapolation")]


def _without_partner(inputs: ProbeInput[Settings], outcome: ShiftOutcome) -> list[Notice]:
    """Shifted pictures that name an original which is not among those examined, as happens where a limit chose either."""
    if not outcome.unmatched:
        return []
    many, source = f"{outcome.unmatched:,} of {len(outcome.contrast.rows):,}", inputs.dataset.name
    what = f"{many} pictures have no original (attr.source_id) among the pictures of {source}"
    then = "and are not compared" if outcome.pairs else "so all pictures of both are compared, rather than pairs"
    return [Notice(outcome.title, f"{what}, {then}", "examine the originals too, without a limit, to compare every pair")]


def _notices(inputs: ProbeInput[Settings], found: Sequence[ShiftPair]) -> list[Notice]:
    """Shifted sets that could not be compared at all, and rows of others that have no counterpart."""
    notices = []
    by_name = {c.name: c for c in found}
    for other in _natural(inputs):
        where = other.dataset.name
        if where not in by_name:
            what = f"no class in common with {inputs.dataset.name}"
            notices.append(Notice(where, what, "give both the same labels or names; see docs/data.md"))
            continue
        left = int((severities(other.dataset) == 0).sum()) - len(by_name[where].rows)
        if left:
            what = f"{left} of {len(other.dataset)} pictures show no class of {inputs.dataset.name} and are not compared"
            notices.append(Notice(where, what, "this is as it should be where the set has classes of its own"))
    return notices


def _natural(inputs: ProbeInput[Settings]) -> list[ProbeInput[Settings]]:
    """The shifted sets that hold more than corruptions."""
    return [g for g in inputs.companions_of("shift") if (severities(g.dataset) == 0).any()]


def _why_not(inputs: ProbeInput[Settings]) -> str:
    beside = _natural(inputs)
    if not beside and not inputs.dataset.has("attr.shift"):
        return 'no shifted set belongs to the dataset; name one with --shift, or in a plan with role = "shift"'
    if not beside:
        return "the column attr.shift tells no labelled pictures that are shifted from ones that are not"
    return f"the shifted sets ({', '.join(g.dataset.name for g in beside)}) have no labelled class in common with the dataset"
