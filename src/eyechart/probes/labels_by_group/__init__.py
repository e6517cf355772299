"""Labels by group: which words are said more often of one group of people than of all others."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import softmax

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.data.label_set import read_labels
from eyechart.findings.finding import Finding
from eyechart.metrics.fairness.contingency import two_by_two
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share, share_difference
from eyechart.metrics.intervals.slices import together
from eyechart.probes.labels_by_group.exhibits import most_skewed_exhibit, threshold_exhibit, which_exhibit
from eyechart.probes.labels_by_group.metrics import METRICS
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.groups import Subgroup, subgroups, unusable
from eyechart.probes.tasks.label_sets import label_texts, labels_for

SWEEP = (0.001, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32)


@dataclass(frozen=True)
class Settings:
    """`labels`: a label set by name or a file; `words` is what stands in it, read from there. `thresholds`: probabilities from
    which a label is said; the first leads. `attributes`: columns that tell groups apart; all that can, where none is
    named. `shown`: labels a group in the chart. `level`: of the corrected p at which a label counts as skewed."""

    labels: str = ""
    words: tuple[str, ...] = ()
    thresholds: tuple[float, ...] = (0.005, 0.04)
    attributes: tuple[str, ...] = ()
    shown: int = 20
    least: int = 20
    level: float = 0.05

    def __post_init__(self) -> None:
        if self.labels:
            object.__setattr__(self, "words", read_labels(self.labels))
        if not self.thresholds or not all(0 < t < 1 for t in self.thresholds) or not 0 < self.level < 1:
            raise ValueError("thresholds and level are between 0 and 1")
        if self.shown < 1 or self.least < 2:
            raise ValueError("shown is a whole number from 1 up, least from 2 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    return label_texts(request, request.settings.words)


@probe(
    version=3,
    needs=("images", "texts", "logit_scale"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("largest_label_rate_difference",),
)
def labels_by_group(inputs: ProbeInput[Settings]) -> Answer:
    """Which words are said more often of one group of people than of all others?

    A label is said of a picture where its probability among all labels reaches a threshold, so a picture may get several or
    none. Each label and group is a two-by-two table; p is corrected for all of them.
    """
    settings: Settings = inputs.settings
    labels = labels_for(inputs.dataset, settings.words)
    attributes = settings.attributes or labels.attributes
    people = [s for s in subgroups(inputs.dataset, attributes, settings.least) if not s.crossed]
    if wrong := unusable(inputs.dataset, settings.attributes):
        raise NotApplicable(f"attributes: {wrong[0]}")
    if not people:
        raise NotApplicable(f"no attribute column tells groups of {settings.least} pictures or more apart")
    logits = (inputs.logit_scale or 1.0) * (inputs.images @ labels.vectors(inputs).T)
    probability = np.asarray(softmax(logits, axis=1), np.float64)
    _, units = np.unique(inputs.clusters, return_inverse=True)
    findings: list[Finding] = []
    for threshold in settings.thresholds:
        said = _Said(labels.words, probability >= threshold, units, people, {"threshold": threshold})
        findings += said.findings(settings.level)
    lead = {"skewed_labels_at": "skewed_labels", "largest_label_rate_difference_at": "largest_label_rate_difference"}
    findings += [
        replace(f, metric=lead[f.metric], slice={k: v for k, v in f.slice.items() if k != "threshold"})
        for f in findings
        if f.metric in lead and f.slice.get("threshold") == settings.thresholds[0]
    ]
    swept = [_Said(labels.words, probability >= t, units, people, {"threshold": t}).skewed_by(settings.level) for t in SWEEP]
    exhibits = [
        *most_skewed_exhibit(findings, settings.thresholds[0], settings.shown, settings.level),
        threshold_exhibit(SWEEP, swept),
        *which_exhibit(SWEEP, swept, labels.words, [s.title for s in people]),
    ]
    return Answer(findings, exhibits)


@dataclass(frozen=True)
class _Said:
    """Which labels are said of which pictures at one threshold."""

    words: tuple[str, ...]
    said: Flags
    units: Indices
    people: list[Subgroup]
    under: dict[str, object]

    def tables(self) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """Of every group and label: hits and size, in the group and among all others. A copy of a picture proves nothing more, so
        only the first of them is in the tables."""
        once = np.unique(self.units, return_index=True)[1]
        said = self.said[once]
        hits, sizes = [], []
        for rows in ([s.members[once] for s in self.people], [s.others[once] for s in self.people]):
            hits.append(np.array([said[r].sum(axis=0) for r in rows], float))
            sizes.append(np.broadcast_to(np.array([[r.sum()] for r in rows], float), hits[-1].shape))
        return hits[0], sizes[0], hits[1], sizes[1]

    def tested(self) -> tuple[Doubles, Doubles]:
        """[groups, labels]: p, and p corrected for all of them."""
        found = two_by_two(*(part.ravel() for part in self.tables()))
        p, adjusted = (values.reshape(len(self.people), len(self.words)) for values in (found.p, found.adjusted))
        return p, adjusted

    def skewed_by(self, level: float) -> Doubles:
        """[groups, labels]: by how much more of the group's pictures than of all others a label is said, where the corrected p is
        below `level`; 0 elsewhere."""
        hits, size, other_hits, other_size = self.tables()
        gap = hits / np.maximum(size, 1) - other_hits / np.maximum(other_size, 1)
        return np.where((self.tested()[1] < level), gap, 0.0)

    def findings(self, level: float) -> list[Finding]:
        p, adjusted = self.tested()
        skewed = (adjusted < level).any(axis=0)
        share = clustered_share(self.said.any(axis=1), self.units)
        rate = f"none: it is a count of tests, at a false discovery rate of {level:.0%}"
        count = Finding(metric="skewed_labels_at", value=float(skewed.mean()), n=len(self.words), slice=self.under, interval=rate)
        low, high = share.estimate.low, share.estimate.high
        found = [
            count,
            Finding(metric="labelled_share", value=share.value, n=share.n, low=low, high=high, slice=self.under, interval=HOW),
        ]
        gaps = [f for g, who in enumerate(self.people) for f in self._of_group(who, p[g], adjusted[g])]
        return [*found, *self._largest_gap(), *gaps]

    def _largest_gap(self) -> Iterator[Finding]:
        """The label and group that are furthest from all others, with an interval that knows they were chosen."""
        count = len(self.people) * len(self._said_of_anybody())
        if not count:
            return
        gaps = np.array([self.said[who.members].mean(axis=0) - self.said[who.others].mean(axis=0) for who in self.people])
        group, label = np.unravel_index(np.abs(gaps).argmax(), gaps.shape)
        who = self.people[group]
        a, b = self._two(who, int(label), together(0.95, count))
        how = f"{HOW_TWO} for all {count} pairs of a label and a group together"
        where = {"label": self.words[label], **who.slice, **self.under}
        low, high = share_difference(a, b)
        yield Finding(
            metric="largest_label_rate_difference_at",
            value=a.value - b.value,
            n=a.n,
            low=low,
            high=high,
            slice=where,
            interval=how,
            baseline="all others",
        )

    def _said_of_anybody(self) -> Indices:
        return np.flatnonzero(self.said.any(axis=0))

    def _two(self, who: Subgroup, label: int, level: float = 0.95) -> tuple[ClusteredShare, ClusteredShare]:
        """How often a label is said of the group, and of all others."""
        mine, rest = who.members, who.others
        return (
            clustered_share(self.said[mine, label], self.units[mine], level=level),
            clustered_share(self.said[rest, label], self.units[rest], level=level),
        )

    def _of_group(self, who: Subgroup, p: Doubles, adjusted: Doubles) -> Iterator[Finding]:
        """Labels that are said of anybody at all."""
        for label in self._said_of_anybody():
            where = {"label": self.words[label], **who.slice, **self.under}
            a, b = self._two(who, label)
            low, high = share_difference(a, b)
            yield Finding(
                metric="label_rate", value=a.value, n=a.n, low=a.estimate.low, high=a.estimate.high, slice=where, interval=HOW
            )
            yield Finding(
                metric="label_rate_difference",
                value=a.value - b.value,
                n=a.n,
                low=low,
                high=high,
                slice=where,
                interval=HOW_TWO,
                baseline="all others",
            )
            yield Finding(metric="label_p_value", value=float(p[label]), n=a.n, slice=where)
            yield Finding(metric="label_p_value_adjusted", value=float(adjusted[label]), n=a.n, slice=where)
