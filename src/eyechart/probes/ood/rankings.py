"""One OOD score on in-distribution pictures and on each out-of-distribution set, and its AUROC, AUPR and FPR95."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import wilson
from eyechart.metrics.ranking.intervals import ALL, BOOTSTRAP, Ranked, Scored, bootstrap_ranking, delong
from eyechart.probes.tasks.ood_rows import OodRows

ENOUGH = 5  # pictures that a kind needs


@dataclass(frozen=True)
class Ranking:
    """One score of all pictures.

    score: The score's name.
    id_scores: The scores of the in-distribution pictures.
    clusters: In-distribution rows of one number show one picture.
    groups: The out-of-distribution sets.
    ood_scores: The scores of each of them.
    """

    score: str
    id_scores: Doubles
    clusters: Indices
    groups: Sequence[OodRows]
    ood_scores: Sequence[Doubles]

    @property
    def accepted(self) -> list[Flags]:
        """Which out-of-distribution pictures of each set reach the threshold that 95% of the in-distribution ones reach."""
        threshold = np.quantile(self.id_scores, 0.05)
        return [scores >= threshold for scores in self.ood_scores]

    def against(self, group: int | None = None, members: npt.NDArray[np.bool_] | None = None) -> Scored:
        """The in-distribution pictures and all out-of-distribution ones, those of one set, or some of that set."""
        chosen = range(len(self.groups)) if group is None else [group]
        scores = np.concatenate([self.ood_scores[i] for i in chosen])
        clusters = np.concatenate([self.groups[i].clusters for i in chosen])
        if members is not None:
            scores, clusters = scores[members], clusters[members]
        is_id = np.repeat([True, False], [len(self.id_scores), len(scores)])
        return Scored(np.concatenate([self.id_scores, scores]), is_id, np.concatenate([self.clusters, clusters]))


def accepted_by_score(rankings: Sequence[Ranking]) -> list[dict[str, Flags]]:
    """For each out-of-distribution set: score → which of its pictures are accepted. The order of the scores is kept."""
    by_score = {ranking.score: ranking.accepted for ranking in rankings}
    return [{score: flags[number] for score, flags in by_score.items()} for number in range(len(rankings[0].groups))]


def ranking_findings(scored: Scored, *, seed: int, resamples: int) -> list[Finding]:
    """AUROC, both AUPRs, and FPR95 in its three conventions."""
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


def kind_findings(ranking: Ranking, group: int, *, seed: int, resamples: int) -> list[Finding]:
    """AUROC and FPR95 of each kind in an out-of-distribution set, and their means over kinds, as NINCO reports them."""
    kinds_of_rows = np.array(ranking.groups[group].kinds)
    names, kind, sizes = np.unique(kinds_of_rows, return_inverse=True, return_counts=True)
    if len(kinds_of_rows) == 0 or len(names) < 2:
        return []
    accepted = ranking.accepted[group]
    findings = []
    for k in np.flatnonzero(sizes >= ENOUGH):
        members = kind == k
        scored, slice = ranking.against(group, members), {"class": str(names[k])}
        value, (low, high), how = delong(scored)
        findings.append(Finding(metric="auroc", value=value, n=len(scored.scores), low=low, high=high, slice=slice, interval=how))
        findings.append(_kind_fpr95(accepted[members], ranking.groups[group].clusters[members], slice))
    scored = ranking.against(group)
    kinds = np.concatenate([np.zeros(len(ranking.id_scores), np.int64), kind])
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


def _kind_fpr95(accepted: npt.NDArray[np.bool_], clusters: Indices, slice: dict[str, str]) -> Finding:
    """FPR95 of one kind. The threshold is taken as fixed: its error is small next to that of the few pictures."""
    distinct, share = len(np.unique(clusters)), float(accepted.mean())
    low, high = wilson(share * distinct, distinct)
    where = {**slice, "convention": "id-quantile"}
    how = "Wilson with a fixed threshold, 95%"
    return Finding(metric="fpr95", value=share, n=len(accepted), low=float(low), high=float(high), slice=where, interval=how)
