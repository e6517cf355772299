"""Numbers of the probe `matching`: how often the true caption is preferred, by kind of trial and by order."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share
from eyechart.probes.contract import ProbeInput
from eyechart.probes.matching.trials import CONTROLLED, FIRST, KINDS, SECOND, FileTrials, MatchTrials
from eyechart.probes.tasks.share_findings import ALL_ROWS, difference_finding, share_finding

_BLOCK = 4096  # trials whose vectors are in memory at once
_LAST = "large object named last"


def prefers_first(inputs: ProbeInput[Any], rows: Indices, first: Sequence[str], second: Sequence[str]) -> Flags:
    """Whether the first text is strictly nearer to the picture than the second."""
    nearer = np.empty(len(rows), np.bool_)
    for start in range(0, len(rows), _BLOCK):
        some = slice(start, start + _BLOCK)
        pictures = inputs.images[rows[some]]
        scores = [np.einsum("td,td->t", pictures, inputs.texts(texts[some])) for texts in (first, second)]
        nearer[some] = scores[0] > scores[1]
    return nearer


def correct_by_kind(inputs: ProbeInput[Any], trials: MatchTrials) -> dict[str, Flags]:
    """For every kind of trial, whether the true caption is preferred."""
    return {kind: prefers_first(inputs, trials.rows, trials.right[kind], trials.wrong[kind]) for kind in KINDS}


def trial_findings(
    inputs: ProbeInput[Any], trials: MatchTrials, correct: Mapping[str, Flags], where: Mapping[str, object] = ALL_ROWS
) -> Iterator[Finding]:
    """Both scenarios, their difference, and the effect of order alone. `where` says which captions were used."""
    shares = {kind: _share(inputs, trials.rows, hits) for kind, hits in correct.items()}
    yield share_finding("scenario_1", shares[FIRST], where)
    yield share_finding("scenario_2", shares[SECOND], where)
    yield _difference("scenario_drop", shares[FIRST], shares[SECOND], where, SECOND)
    first, last = (
        _share(inputs, np.tile(trials.rows, 2), np.concatenate([correct[of[end]] for of in CONTROLLED.values()]))
        for end in (0, 1)
    )
    yield _difference("order_effect", first, last, where, _LAST)
    for replaced, (large_first, large_last) in CONTROLLED.items():
        yield _difference("order_effect", shares[large_first], shares[large_last], {**where, "replaced": replaced}, _LAST)
    for kind, share in shares.items():
        yield share_finding("trial_accuracy", share, {**where, "trial": kind})
    nearer = prefers_first(inputs, trials.rows, trials.right[FIRST], trials.right[SECOND])
    yield share_finding("large_first_preferred", _share(inputs, trials.rows, nearer), where)


def count_findings(inputs: ProbeInput[Any], trials: MatchTrials, correct: Mapping[str, Flags]) -> Iterator[Finding]:
    """The same by number of objects, where there are several."""
    counts = np.unique(trials.counts)
    for count in counts if len(counts) > 1 else ():
        some = trials.counts == count
        if some.sum() < inputs.settings.least:
            continue
        where, rows = {"objects": int(count)}, trials.rows[some]
        shares = {kind: _share(inputs, rows, hits[some]) for kind, hits in correct.items()}
        yield share_finding("scenario_1", shares[FIRST], where)
        yield share_finding("scenario_2", shares[SECOND], where)
        for replaced, (large_first, large_last) in CONTROLLED.items():
            key = {**where, "replaced": replaced}
            yield _difference("order_effect", shares[large_first], shares[large_last], key, _LAST)


def file_findings(inputs: ProbeInput[Any], trials: Sequence[FileTrials]) -> Iterator[Finding]:
    """Every scenario of a file, and the first minus each other one, paired by picture."""
    shares = [_share(inputs, one.rows, prefers_first(inputs, one.rows, one.right, one.wrong)) for one in trials]
    for one, share in zip(trials, shares, strict=True):
        yield share_finding("trial_accuracy", share, {"scenario": one.scenario})
    for one, share in zip(trials[1:], shares[1:], strict=True):
        yield _difference("file_drop", shares[0], share, {"scenario": one.scenario}, one.scenario)


def _share(inputs: ProbeInput[Any], rows: Indices, hits: Flags) -> ClusteredShare:
    """Trials of one picture form a cluster, whatever their kind."""
    return clustered_share(hits, inputs.clusters[rows])


def _difference(metric: str, a: ClusteredShare, b: ClusteredShare, slice: Mapping[str, object], baseline: str) -> Finding:
    return difference_finding(metric, a, b, slice, n=min(a.n, b.n), baseline=baseline)
