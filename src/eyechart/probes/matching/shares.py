"""What is counted of right captions against wrong ones: how often the right one is nearer, by kind of trial and by order."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share, share_difference
from eyechart.probes.matching.trials import CONTROLLED, FIRST, KINDS, SECOND, FileTrials, MatchTrials
from eyechart.probes.probe import ProbeInput

_BLOCK = 4096  # trials whose vectors are held at once
_ALL: Mapping[str, object] = {}


def won(inputs: ProbeInput[Any], rows: Indices, right: Sequence[str], wrong: Sequence[str]) -> Flags:
    """Whether the right caption is nearer, strictly."""
    nearer = np.empty(len(rows), np.bool_)
    for start in range(0, len(rows), _BLOCK):
        some = slice(start, start + _BLOCK)
        pictures = inputs.images[rows[some]]
        scores = [np.einsum("td,td->t", pictures, inputs.texts(said[some])) for said in (right, wrong)]
        nearer[some] = scores[0] > scores[1]
    return nearer


def won_by_kind(inputs: ProbeInput[Any], trials: MatchTrials) -> dict[str, Flags]:
    return {kind: won(inputs, trials.rows, trials.right[kind], trials.wrong[kind]) for kind in KINDS}


def trial_findings(
    inputs: ProbeInput[Any], trials: MatchTrials, right: Mapping[str, Flags], where: Mapping[str, object] = _ALL
) -> Iterator[Finding]:
    """Both scenarios, what lies between them, and what order does by itself; `where`: which captions they were."""
    shares = {kind: _share(inputs, trials.rows, hits) for kind, hits in right.items()}
    yield _finding("scenario_1", shares[FIRST], where)
    yield _finding("scenario_2", shares[SECOND], where)
    yield _difference("scenario_drop", shares[FIRST], shares[SECOND], where, SECOND)
    first, last = (
        _share(inputs, np.tile(trials.rows, 2), np.concatenate([right[of[end]] for of in CONTROLLED.values()])) for end in (0, 1)
    )
    yield _difference("order_effect", first, last, where, "large named last")
    for replaced, (large_first, large_last) in CONTROLLED.items():
        yield _difference(
            "order_effect", shares[large_first], shares[large_last], {**where, "replaced": replaced}, "large named last"
        )
    for kind, share in shares.items():
        yield _finding("trial_accuracy", share, {**where, "trial": kind})
    nearer = won(inputs, trials.rows, trials.right[FIRST], trials.right[SECOND])
    yield _finding("large_first_preferred", _share(inputs, trials.rows, nearer), where)


def count_findings(inputs: ProbeInput[Any], trials: MatchTrials, right: Mapping[str, Flags]) -> Iterator[Finding]:
    """The same by number of things, where there are several."""
    counts = np.unique(trials.counts)
    for count in counts if len(counts) > 1 else ():
        some = trials.counts == count
        if some.sum() < inputs.settings.least:
            continue
        where, rows = {"objects": int(count)}, trials.rows[some]
        shares = {kind: _share(inputs, rows, hits[some]) for kind, hits in right.items()}
        yield _finding("scenario_1", shares[FIRST], where)
        yield _finding("scenario_2", shares[SECOND], where)
        for replaced, (large_first, large_last) in CONTROLLED.items():
            key = {**where, "replaced": replaced}
            yield _difference("order_effect", shares[large_first], shares[large_last], key, "large named last")


def file_findings(inputs: ProbeInput[Any], told: Sequence[FileTrials]) -> Iterator[Finding]:
    """Every scenario of a file; and what the first has over each other one, pictures that both have paired."""
    shares = [_share(inputs, one.rows, won(inputs, one.rows, one.right, one.wrong)) for one in told]
    for one, share in zip(told, shares, strict=True):
        yield _finding("trial_accuracy", share, {"scenario": one.scenario})
    for one, share in zip(told[1:], shares[1:], strict=True):
        yield _difference("file_drop", shares[0], share, {"scenario": one.scenario}, one.scenario)


def _share(inputs: ProbeInput[Any], rows: Indices, hits: Flags) -> ClusteredShare:
    """Trials about one picture vary together, whatever their kind: units are numbered alike for all."""
    return clustered_share(hits, inputs.clusters[rows])


def _finding(metric: str, share: ClusteredShare, slice: Mapping[str, object]) -> Finding:
    return Finding(
        metric=metric, value=share.value, n=share.n, low=share.estimate.low, high=share.estimate.high, slice=slice, interval=HOW
    )


def _difference(metric: str, a: ClusteredShare, b: ClusteredShare, slice: Mapping[str, object], baseline: str) -> Finding:
    low, high = share_difference(a, b)
    return Finding(
        metric=metric,
        value=a.value - b.value,
        n=min(a.n, b.n),
        low=low,
        high=high,
        slice=slice,
        interval=HOW_TWO,
        baseline=baseline,
    )
