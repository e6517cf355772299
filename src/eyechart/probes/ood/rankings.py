"""One score over all pictures of the question: those that belong, and each set of strangers; and what is measured of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import wilson
from eyechart.metrics.ranking.intervals import ALL, BOOTSTRAP, Ranked, Scored, bootstrap_ranking, delong
from eyechart.probes.tasks.ood_rows import OodRows

ENOUGH = 5  # pictures of a kind, to say anything of it


@dataclass(frozen=True)
class Ranking:
    """`inside` scores of pictures that belong, with their clusters; `outside[i]` those of set i."""

    score: str
    inside: Doubles
    clusters: Indices
    groups: Sequence[OodRows]
    outside: Sequence[Doubles]

    def against(self, group: int | None = None, members: npt.NDArray[np.bool_] | None = None) -> Scored:
        """The pictures that belong and all strangers, those of one set, or only some of that set."""
        chosen = range(len(self.groups)) if group is None else [group]
        scores = np.concatenate([self.outside[i] for i in chosen])
        clusters = np.concatenate([self.groups[i].clusters for i in chosen])
        if members is not None:
            scores, clusters = scores[members], clusters[members]
        belongs = np.repeat([True, False], [len(self.inside), len(scores)])
        return Scored(np.concatenate([self.inside, scores]), belongs, np.concatenate([self.clusters, clusters]))


def measured(scored: Scored, *, seed: int, resamples: int) -> list[Finding]:
    """AUROC, both AUPRs and FPR95 in its three conventions."""
    n = len(scored.scores)
    value, (low, high), how = delong(scored)
    findings = [Finding(metric="auroc", value=value, n=n, low=low, high=high, interval=how)]
    others = [measure for measure in ALL if measure.metric != "auroc"]
    for measure, (value, (low, high)) in bootstrap_ranking(scored, others, seed=seed, resamples=resamples).items():
        slice = {} if measure.convention is None else {"convention": measure.convention}
        findings.append(
            Finding(
                metric=measure.metric,
                value=value,
                n=n,
                low=low,
                high=high,
                slice=slice,
                interval=BOOTSTRAP,
            )
        )
    return findings


def measured_by_kind(ranking: Ranking, group: int, *, seed: int, resamples: int) -> list[Finding]:
    """AUROC and FPR95 of each kind in a set of strangers, and their means over kinds, which NINCO reports."""
    said = np.array(ranking.groups[group].kinds)
    names, kind, sizes = np.unique(said, return_inverse=True, return_counts=True)
    if len(said) == 0 or len(names) < 2:
        return []
    threshold = float(np.quantile(ranking.inside, 0.05))
    fooled = ranking.outside[group] >= threshold
    findings = []
    for k in np.flatnonzero(sizes >= ENOUGH):
        members = kind == k
        scored, slice = ranking.against(group, members), {"class": str(names[k])}
        value, (low, high), how = delong(scored)
        findings.append(Finding(metric="auroc", value=value, n=len(scored.scores), low=low, high=high, slice=slice, interval=how))
        findings.append(_alarms(fooled[members], ranking.groups[group].clusters[members], slice))
    scored = ranking.against(group)
    kinds = np.concatenate([np.zeros(len(ranking.inside), np.int64), kind])
    even = Scored(scored.scores, scored.inside, scored.clusters, kinds)
    value, (low, high), how = delong(even)
    findings.append(Finding(metric="auroc_mean_per_class", value=value, n=len(kinds), low=low, high=high, interval=how))
    quantile = Ranked("fpr95", "id-quantile")
    value, (low, high) = bootstrap_ranking(even, [quantile], seed=seed, resamples=resamples)[quantile]
    slice = {"convention": "id-quantile"}
    findings.append(
        Finding(metric="fpr95_mean_per_class", value=value, n=len(kinds), low=low, high=high, slice=slice, interval=BOOTSTRAP)
    )
    return findings


def _alarms(fooled: npt.NDArray[np.bool_], clusters: Indices, slice: dict[str, str]) -> Finding:
    """FPR95 of one kind. Its few pictures weigh more than what the threshold, which all inside pictures give, may vary by."""
    distinct, share = len(np.unique(clusters)), float(fooled.mean())
    low, high = wilson(share * distinct, distinct)
    where = {**slice, "convention": "id-quantile"}
    how = "Wilson, the threshold as it is, 95%"
    return Finding(metric="fpr95", value=share, n=len(fooled), low=float(low), high=float(high), slice=where, interval=how)
