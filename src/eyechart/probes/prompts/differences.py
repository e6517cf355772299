"""Numbers of the probe `prompts`: under each prompt set, and minus those of the first set, paired by picture."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.calibration.ece import INTERVAL, Gaps, drawn_gaps, gap_intervals, gaps
from eyechart.metrics.intervals import Interval
from eyechart.metrics.intervals.clustered_shares import HOW_TWO, clustered_share
from eyechart.metrics.intervals.influence import normal_interval, standard_error
from eyechart.metrics.intervals.mover import Estimate, difference_interval
from eyechart.metrics.intervals.paired_differences import (
    BOUNDS,
    DELONG,
    PAIRED,
    auroc_difference,
    gap_difference_interval,
    mean_difference,
)
from eyechart.metrics.intervals.slices import sidak_level
from eyechart.metrics.ranking.intervals import BOOTSTRAP, Ranked, Scored, bootstrap_ranking, delong
from eyechart.probes.tasks.prompt_outcomes import PromptOutcome
from eyechart.probes.tasks.share_findings import difference_finding, share_finding


@dataclass(frozen=True)
class Pictures:
    """The labeled pictures.

    units: Rows of one number show one scene.
    factors: The rows that each factor marks.
    """

    units: Indices
    factors: Mapping[str, Flags]


@dataclass(frozen=True)
class Calibration:
    """Calibration under one prompt set.

    gaps: Confidence minus accuracy in each bin.
    draws: Bootstrap draws of the gaps [resamples, bins]; the same resamples for all sets.
    nll: The negative log-likelihood of each picture.
    """

    gaps: Gaps
    draws: Doubles
    nll: Doubles


def calibrations(
    found: Sequence[PromptOutcome], units: Indices, *, bins: int, seed: int, resamples: int
) -> list[Calibration] | list[None]:
    """The calibration under each set; None for a model without a logit scale, which has no probabilities."""
    parts = [(gaps(o.confidence, o.correct, bins), o.nll) for o in found if o.confidence is not None and o.nll is not None]
    if not parts:
        return [None] * len(found)
    draws = drawn_gaps([of for of, _ in parts], seed=seed, clusters=units, resamples=resamples)
    return [Calibration(of, drawn, nll) for (of, nll), drawn in zip(parts, draws, strict=True)]


def false_positive_rates(found: Sequence[PromptOutcome], *, seed: int, resamples: int) -> list[Estimate | None]:
    """FPR95 under each set, with the threshold at the 5% quantile of in-distribution scores; None without OOD pictures."""
    measure = Ranked("fpr95", "id-quantile")

    def rate(scored: Scored) -> Estimate:
        value, interval = bootstrap_ranking(scored, [measure], seed=seed, resamples=resamples)[measure]
        return Estimate(value, *interval)

    return [None if outcome.ood is None else rate(outcome.ood) for outcome in found]


def set_findings(
    outcome: PromptOutcome, calibration: Calibration | None, fpr95: Estimate | None, pictures: Pictures
) -> Iterator[Finding]:
    """The numbers under one prompt set."""
    under: dict[str, object] = {"prompts": outcome.name}
    yield share_finding("top1", clustered_share(outcome.correct, pictures.units), under)
    if calibration is not None:
        n, of = len(outcome.correct), calibration
        ece, _ = gap_intervals(of.gaps, of.draws)
        yield Finding(metric="ece", value=of.gaps.ece, n=n, low=ece.low, high=ece.high, slice=under, interval=INTERVAL)
        nll = float(of.nll.mean())
        low, high = _bounds(normal_interval(nll, standard_error((of.nll - nll) / n, pictures.units)))
        yield Finding(metric="nll", value=nll, n=n, low=low, high=high, slice=under, interval="normal, 95%")
    if outcome.ood is not None:
        value, (low, high), how = delong(outcome.ood)
        n = len(outcome.ood.scores)
        yield Finding(metric="ood_auroc", value=value, n=n, low=low, high=high, slice=under, interval=how)
        if fpr95 is not None:
            value, low, high = fpr95
            yield Finding(metric="ood_fpr95", value=value, n=n, low=low, high=high, slice=under, interval=BOOTSTRAP)
    shares = {f: clustered_share(outcome.correct[rows], pictures.units[rows]) for f, rows in pictures.factors.items()}
    if shares:
        name, worst = min(shares.items(), key=lambda item: (item[1].value, -item[1].n))
        yield share_finding("worst_factor_accuracy", worst, {"factor": name, **under})


def differences(
    outcome: PromptOutcome,
    first: PromptOutcome,
    calibrations: tuple[Calibration | None, Calibration | None],
    fpr95s: tuple[Estimate | None, Estimate | None],
    pictures: Pictures,
) -> Iterator[Finding]:
    """This set minus the first. Factors are compared one by one, because the worst of each set is partly chance."""
    n, under = len(outcome.correct), {"prompts": outcome.name}
    found = [_accuracy_difference("top1_difference", outcome, first, pictures.units)]
    changed = clustered_share(outcome.predicted != first.predicted, pictures.units)
    found.append(share_finding("changed_predictions", changed, under))
    own, base = calibrations
    if own is not None and base is not None:
        gap = gap_difference_interval((own.gaps, base.gaps), (own.draws, base.draws))
        found.append(
            Finding(
                metric="ece_difference",
                value=own.gaps.ece - base.gaps.ece,
                n=n,
                low=gap.low,
                high=gap.high,
                slice=under,
                interval=BOUNDS,
            )
        )
        value, interval = mean_difference(own.nll, base.nll, pictures.units)
        low, high = _bounds(interval)
        found.append(Finding(metric="nll_difference", value=value, n=n, low=low, high=high, slice=under, interval=PAIRED))
    if outcome.ood is not None and first.ood is not None:
        value, interval = auroc_difference(outcome.ood, first.ood)
        rows = len(outcome.ood.scores)
        low, high = _bounds(interval)
        found.append(
            Finding(metric="ood_auroc_difference", value=value, n=rows, low=low, high=high, slice=under, interval=DELONG)
        )
        found += _fpr95_difference(*fpr95s, rows, under)
    for name, marked in pictures.factors.items():
        change = _accuracy_difference("factor_difference", outcome, first, pictures.units, marked)
        found.append(replace(change, slice={"factor": name, **under}))
    return (replace(f, baseline=first.name) for f in found)


def _fpr95_difference(own: Estimate | None, base: Estimate | None, n: int, under: dict[str, str]) -> list[Finding]:
    """The two rates are of the same pictures; that they vary together is not used, so the interval is wide rather than narrow."""
    if own is None or base is None:
        return []
    low, high = difference_interval(own, base)
    change = own.value - base.value
    how = "MOVER from two bootstrap intervals, 95%"
    return [Finding(metric="ood_fpr95_difference", value=change, n=n, low=low, high=high, slice=under, interval=how)]


def largest_change(others: Sequence[PromptOutcome], first: PromptOutcome, units: Indices) -> Finding:
    """The set that changes top-1 accuracy most, with an interval that is corrected for the choice."""
    level = sidak_level(0.95, len(others))
    moved = [_accuracy_difference("largest_top1_change", outcome, first, units, level=level) for outcome in others]
    largest = max(moved, key=lambda f: abs(f.value or 0.0))
    # The slice key is not `prompts`: a summary would list it under that set, but it is about the first one.
    which = {"other": largest.slice["prompts"]}
    return replace(largest, slice=which, interval=f"{HOW_TWO} for {len(others)} sets together", baseline=first.name)


def unstable_predictions(others: Sequence[PromptOutcome], first: PromptOutcome, units: Indices) -> Finding:
    """The share of pictures whose prediction is not the same under all sets."""
    changed = np.any([outcome.predicted != first.predicted for outcome in others], axis=0)
    return share_finding("unstable_predictions", clustered_share(changed, units))


def _accuracy_difference(
    metric: str, outcome: PromptOutcome, first: PromptOutcome, units: Indices, rows: Flags | None = None, level: float = 0.95
) -> Finding:
    chosen = slice(None) if rows is None else rows
    a, b = (clustered_share(o.correct[chosen], units[chosen], level=level) for o in (outcome, first))
    return difference_finding(metric, a, b, {"prompts": outcome.name})


def _bounds(interval: Interval) -> tuple[float | None, float | None]:
    """None where there is one unit only, so that the spread is unknown."""
    return (interval.low, interval.high) if np.isfinite(interval).all() else (None, None)
