"""Numbers of the probe `matching`: how often the true caption is preferred, by kind of trial and by order."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share
from eyechart.probes.contract import ProbeInput
from eyechart.probes.matching.trials import CONTROLLED, FIRST, KINDS, SECOND, FileTrials, MatchTrials
from eyechart.probes.tasks.share_findings import ALL_ROWS, difference_finding, named_share_finding, share_finding

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
    of = _NamedTrials(inputs, trials, np.ones(len(trials), bool))
    yield of.share("scenario_1", correct[FIRST], where)
    yield of.share("scenario_2", correct[SECOND], where)
    yield of.difference("scenario_drop", [(correct[FIRST], correct[SECOND])], where, SECOND)
    pairs = {replaced: (correct[first], correct[last]) for replaced, (first, last) in CONTROLLED.items()}
    yield of.difference("order_effect", list(pairs.values()), where, _LAST)
    for replaced, pair in pairs.items():
        yield of.difference("order_effect", [pair], {**where, "replaced": replaced}, _LAST)
    for kind, hits in correct.items():
        yield of.share("trial_accuracy", hits, {**where, "trial": kind})
    nearer = prefers_first(inputs, trials.rows, trials.right[FIRST], trials.right[SECOND])
    yield of.share("large_first_preferred", nearer, where)


def count_findings(inputs: ProbeInput[Any], trials: MatchTrials, correct: Mapping[str, Flags]) -> Iterator[Finding]:
    """The same by number of objects, where there are several."""
    counts = np.unique(trials.counts)
    for count in counts if len(counts) > 1 else ():
        some = trials.counts == count
        if some.sum() < inputs.settings.least:
            continue
        where, of = {"objects": int(count)}, _NamedTrials(inputs, trials, some)
        yield of.share("scenario_1", correct[FIRST], where)
        yield of.share("scenario_2", correct[SECOND], where)
        for replaced, (first, last) in CONTROLLED.items():
            yield of.difference("order_effect", [(correct[first], correct[last])], {**where, "replaced": replaced}, _LAST)


@dataclass(frozen=True)
class _NamedTrials:
    """Some trials. They vary together by picture, and by every name in them, the absent one too, as scenes and captions do.

    inputs: The probe's input.
    trials: All trials.
    some: Which of them.
    """

    inputs: ProbeInput[Any]
    trials: MatchTrials
    some: Flags

    def share(self, metric: str, hits: Flags, where: Mapping[str, object]) -> Finding:
        return self._finding(metric, hits[self.some], where)

    def difference(
        self, metric: str, pairs: Sequence[tuple[Flags, Flags]], where: Mapping[str, object], baseline: str
    ) -> Finding:
        """The first hits of each pair minus the second, trial by trial, and the mean over pairs."""
        values = np.mean([a[self.some].astype(float) - b[self.some] for a, b in pairs], axis=0)
        return self._finding(metric, values, where, bounds=(-1.0, 1.0), baseline=baseline)

    def _finding(
        self,
        metric: str,
        values: npt.ArrayLike,
        where: Mapping[str, object],
        bounds: tuple[float, float] = (0.0, 1.0),
        baseline: str | None = None,
    ) -> Finding:
        clusters, names = self.inputs.units[self.trials.rows[self.some]], self.trials.names[self.some]
        return named_share_finding(metric, values, names, where, clusters=clusters, bounds=bounds, baseline=baseline)


def file_findings(inputs: ProbeInput[Any], trials: Sequence[FileTrials]) -> Iterator[Finding]:
    """Every scenario of a file, and the first minus each other one, paired by picture."""
    shares = [_share(inputs, one.rows, prefers_first(inputs, one.rows, one.right, one.wrong)) for one in trials]
    for one, share in zip(trials, shares, strict=True):
        yield share_finding("trial_accuracy", share, {"scenario": one.scenario})
    for one, share in zip(trials[1:], shares[1:], strict=True):
        yield _difference("file_drop", shares[0], share, {"scenario": one.scenario}, one.scenario)


def _share(inputs: ProbeInput[Any], rows: Indices, hits: Flags) -> ClusteredShare:
    """Trials of one picture form a cluster. Which names are in the captions of a file is not known."""
    return clustered_share(hits, inputs.units[rows])


def _difference(metric: str, a: ClusteredShare, b: ClusteredShare, slice: Mapping[str, object], baseline: str) -> Finding:
    return difference_finding(metric, a, b, slice, n=min(a.n, b.n), baseline=baseline)
