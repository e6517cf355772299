"""What is measured under each prompt set, and how far it lies from the same under the first, picture by picture."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.calibration.ece import INTERVAL, Gaps, drawn_gaps, gap_intervals, gaps
from eyechart.metrics.intervals import Interval
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share, share_difference
from eyechart.metrics.intervals.influence import normal_interval, standard_error
from eyechart.metrics.intervals.paired_differences import (
    BOUNDS,
    DELONG,
    PAIRED,
    auroc_difference,
    gap_difference_interval,
    mean_difference,
)
from eyechart.metrics.intervals.slices import together
from eyechart.metrics.ranking.intervals import delong
from eyechart.probes.tasks.prompt_outcomes import PromptOutcome


@dataclass(frozen=True)
class Pictures:
    """Rows of one unit vary together. `factors`: the labelled rows that each factor marks."""

    units: Indices
    factors: Mapping[str, Flags]


@dataclass(frozen=True)
class Calibrated:
    """`draws` [resamples, bins] of the gaps: the same resamples for all sets."""

    gaps: Gaps
    draws: Doubles
    nll: Doubles


def calibrated(
    found: Sequence[PromptOutcome], units: Indices, *, bins: int, seed: int, resamples: int
) -> list[Calibrated] | list[None]:
    """Of each set; nothing for a model without a logit scale, which has no probabilities."""
    parts = [(gaps(o.confidence, o.right, bins), o.nll) for o in found if o.confidence is not None and o.nll is not None]
    if not parts:
        return [None] * len(found)
    draws = drawn_gaps([of for of, _ in parts], seed=seed, clusters=units, resamples=resamples)
    return [Calibrated(of, drawn, nll) for (of, nll), drawn in zip(parts, draws, strict=True)]


def measured(outcome: PromptOutcome, sure: Calibrated | None, pictures: Pictures) -> Iterator[Finding]:
    """What one set does by itself."""
    under: dict[str, object] = {"prompts": outcome.name}
    yield _share("top1", clustered_share(outcome.right, pictures.units), under)
    if sure is not None:
        n = len(outcome.right)
        ece, _ = gap_intervals(sure.gaps, sure.draws)
        yield Finding(metric="ece", value=sure.gaps.ece, n=n, low=ece.low, high=ece.high, slice=under, interval=INTERVAL)
        nll = float(sure.nll.mean())
        low, high = _bounds(normal_interval(nll, standard_error((sure.nll - nll) / n, pictures.units)))
        yield Finding(metric="nll", value=nll, n=n, low=low, high=high, slice=under, interval="normal, 95%")
    if outcome.ood is not None:
        value, (low, high), how = delong(outcome.ood)
        yield Finding(metric="ood_auroc", value=value, n=len(outcome.ood.scores), low=low, high=high, slice=under, interval=how)
    shares = {f: clustered_share(outcome.right[rows], pictures.units[rows]) for f, rows in pictures.factors.items()}
    if shares:
        name, worst = min(shares.items(), key=lambda item: (item[1].value, -item[1].n))
        yield _share("worst_factor_accuracy", worst, {"factor": name, **under})


def changes(
    outcome: PromptOutcome, first: PromptOutcome, sure: tuple[Calibrated | None, Calibrated | None], pictures: Pictures
) -> Iterator[Finding]:
    """This set minus the first. Factors are compared one by one: the worst under either set was chosen for its luck there too."""
    n, under = len(outcome.right), {"prompts": outcome.name}
    found = [_accuracy_change("top1_difference", outcome, first, pictures.units)]
    changed = clustered_share(outcome.predicted != first.predicted, pictures.units)
    found.append(_share("changed_predictions", changed, under))
    mine, its = sure
    if mine is not None and its is not None:
        gap = gap_difference_interval((mine.gaps, its.gaps), (mine.draws, its.draws))
        found.append(
            Finding(
                metric="ece_difference",
                value=mine.gaps.ece - its.gaps.ece,
                n=n,
                low=gap.low,
                high=gap.high,
                slice=under,
                interval=BOUNDS,
            )
        )
        value, interval = mean_difference(mine.nll, its.nll, pictures.units)
        low, high = _bounds(interval)
        found.append(Finding(metric="nll_difference", value=value, n=n, low=low, high=high, slice=under, interval=PAIRED))
    if outcome.ood is not None and first.ood is not None:
        value, interval = auroc_difference(outcome.ood, first.ood)
        rows = len(outcome.ood.scores)
        low, high = _bounds(interval)
        found.append(
            Finding(metric="ood_auroc_difference", value=value, n=rows, low=low, high=high, slice=under, interval=DELONG)
        )
    for name, marked in pictures.factors.items():
        change = _accuracy_change("factor_difference", outcome, first, pictures.units, marked)
        found.append(replace(change, slice={"factor": name, **under}))
    return (replace(f, baseline=first.name) for f in found)


def largest_change(others: Sequence[PromptOutcome], first: PromptOutcome, units: Indices) -> Finding:
    """The set that moves top-1 most, with an interval that knows it was chosen for that."""
    level = together(0.95, len(others))
    moved = [_accuracy_change("largest_top1_change", outcome, first, units, level=level) for outcome in others]
    largest = max(moved, key=lambda f: abs(f.value or 0.0))
    # Not under the name `prompts`: a summary would file it with the figures of that set, though it says more of the first.
    which = {"other": largest.slice["prompts"]}
    return replace(largest, slice=which, interval=f"{HOW_TWO} for {len(others)} sets together", baseline=first.name)


def changed_answers(others: Sequence[PromptOutcome], first: PromptOutcome, units: Indices) -> Finding:
    """The share of pictures that are not answered alike under all sets."""
    apart = np.any([outcome.predicted != first.predicted for outcome in others], axis=0)
    return _share("unstable_predictions", clustered_share(apart, units), {})


def _accuracy_change(
    metric: str, outcome: PromptOutcome, first: PromptOutcome, units: Indices, rows: Flags | None = None, level: float = 0.95
) -> Finding:
    chosen = slice(None) if rows is None else rows
    a, b = (clustered_share(o.right[chosen], units[chosen], level=level) for o in (outcome, first))
    low, high = share_difference(a, b)
    return Finding(
        metric=metric, value=a.value - b.value, n=a.n, low=low, high=high, slice={"prompts": outcome.name}, interval=HOW_TWO
    )


def _share(metric: str, share: ClusteredShare, which: Mapping[str, object]) -> Finding:
    return Finding(
        metric=metric, value=share.value, n=share.n, low=share.estimate.low, high=share.estimate.high, slice=which, interval=HOW
    )


def _bounds(interval: Interval) -> tuple[float | None, float | None]:
    """None where there is but one unit, whose spread nobody knows."""
    return (interval.low, interval.high) if np.isfinite(interval).all() else (None, None)
