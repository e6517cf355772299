"""Labels by group: which labels the model assigns to one group of people more often than to all others."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.data.label_set import grouped_labels
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import level_text
from eyechart.metrics.fairness.contingency import two_by_two
from eyechart.metrics.intervals.clustered_shares import HOW_TWO, ClusteredShare, clustered_share
from eyechart.metrics.intervals.slices import sidak_level
from eyechart.metrics.special import softmax
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.labels_by_group.exhibits import most_skewed_exhibit, one_group_exhibit, threshold_exhibit, which_exhibit
from eyechart.probes.labels_by_group.metrics import METRICS
from eyechart.probes.tasks.groups import Subgroup, subgroups, unusable_attributes
from eyechart.probes.tasks.label_sets import choose_labels, label_texts
from eyechart.probes.tasks.share_findings import difference_finding, share_finding

SWEEP = (0.001, 0.002, 0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32)


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `labels_by_group`.

    labels: A label set by name, or a file: one label per line, or a class design (.toml), the groups of which get rates too.
    words: The labels of that set.
    groups: Its groups of labels, each as "GROUP: LABEL, LABEL".
    thresholds: Probabilities from which a label is assigned; the headline uses the first.
    attributes: Columns that define groups; all that can where empty.
    shown: Labels of each group in the chart.
    least: Pictures that a group needs.
    level: The false discovery rate at which a label counts as skewed.
    """

    labels: str = ""
    words: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()
    thresholds: tuple[float, ...] = (0.005, 0.04)
    attributes: tuple[str, ...] = ()
    shown: int = 20
    least: int = 20
    level: float = 0.05

    def __post_init__(self) -> None:
        if self.labels:
            words, groups = grouped_labels(self.labels)
            object.__setattr__(self, "words", words)
            object.__setattr__(self, "groups", tuple(f"{group}: {', '.join(of)}" for group, of in groups.items()))
        if not self.thresholds or not all(0 < t < 1 for t in self.thresholds) or not 0 < self.level < 1:
            raise ValueError("thresholds and level must be between 0 and 1")
        if self.shown < 1 or self.least < 2:
            raise ValueError("shown must be at least 1, least at least 2")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    return label_texts(request, request.settings.words)


@probe(
    version=4,
    needs=("images", "texts", "logit_scale"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("audit", "paper"),
    texts=texts,
    headline=("largest_label_rate_difference",),
)
def labels_by_group(inputs: ProbeInput[Settings]) -> Answer:
    """Which labels are assigned to one group of people more often than to all others?

    A label is assigned to a picture where its probability among all labels reaches a threshold, so a picture may get several
    labels or none. Each label and group is a two-by-two table; p-values are Benjamini–Hochberg adjusted over all of them.
    """
    settings: Settings = inputs.settings
    labels = choose_labels(inputs.dataset, settings.words, "labels_by_group.labels")
    attributes = settings.attributes or labels.attributes
    people = [s for s in subgroups(inputs.dataset, attributes, settings.least) if not s.crossed]
    if wrong := unusable_attributes(inputs.dataset, settings.attributes):
        raise NotApplicable(f"attributes: {wrong[0]}")
    if not people:
        raise NotApplicable(f"no attribute column (attr.NAME) defines groups of {settings.least} pictures or more")
    logits = (inputs.logit_scale or 1.0) * (inputs.images @ labels.vectors(inputs).T)
    probability = np.asarray(softmax(logits, axis=1), np.float64)
    _, units = np.unique(inputs.units, return_inverse=True)
    findings: list[Finding] = []
    for threshold in settings.thresholds:
        table = _LabelTable(labels.words, probability >= threshold, units, people, {"threshold": threshold})
        findings += table.findings(settings.level)
        findings += table.one_group_labels()
        if settings.labels:
            findings += table.group_findings(grouped_labels(settings.labels)[1])
    lead = {"skewed_labels_at": "skewed_labels", "largest_label_rate_difference_at": "largest_label_rate_difference"}
    findings += [
        replace(f, metric=lead[f.metric], slice={k: v for k, v in f.slice.items() if k != "threshold"})
        for f in findings
        if f.metric in lead and f.slice.get("threshold") == settings.thresholds[0]
    ]
    swept = [
        _LabelTable(labels.words, probability >= t, units, people, {"threshold": t}).skewed_by(settings.level) for t in SWEEP
    ]
    first = _LabelTable(labels.words, probability >= settings.thresholds[0], units, people, {})
    exhibits = [
        *most_skewed_exhibit(findings, settings.thresholds[0], settings.shown, settings.level),
        threshold_exhibit(SWEEP, swept),
        *which_exhibit(SWEEP, swept, labels.words, [s.title for s in people]),
        *one_group_exhibit(labels.words, [(who.title, first.only_for(who)) for who in people], settings.thresholds[0]),
    ]
    return Answer(findings, exhibits)


@dataclass(frozen=True)
class _LabelTable:
    """The labels of all pictures at one threshold.

    words: The labels.
    assigned: Which label is assigned to which picture [n, labels].
    units: Pictures of one number are copies.
    people: The groups.
    under: The slice of the threshold.
    """

    words: tuple[str, ...]
    assigned: Flags
    units: Indices
    people: list[Subgroup]
    under: dict[str, object]

    def tables(self) -> tuple[Doubles, Doubles, Doubles, Doubles]:
        """For every group and label: hits and size, in the group and among all others. Copies of a picture count once."""
        once = np.unique(self.units, return_index=True)[1]
        assigned = self.assigned[once]
        hits, sizes = [], []
        for rows in ([s.members[once] for s in self.people], [s.others[once] for s in self.people]):
            hits.append(np.array([assigned[r].sum(axis=0) for r in rows], float))
            sizes.append(np.broadcast_to(np.array([[r.sum()] for r in rows], float), hits[-1].shape))
        return hits[0], sizes[0], hits[1], sizes[1]

    def tested(self) -> tuple[Doubles, Doubles]:
        """[groups, labels]: p-values, raw and Benjamini–Hochberg adjusted."""
        found = two_by_two(*(part.ravel() for part in self.tables()))
        p, adjusted = (values.reshape(len(self.people), len(self.words)) for values in (found.p, found.adjusted))
        return p, adjusted

    def skewed_by(self, level: float) -> Doubles:
        """[groups, labels]: the label rate of the group minus that of all others, where adjusted p < `level`; else 0."""
        hits, size, other_hits, other_size = self.tables()
        gap = hits / np.maximum(size, 1) - other_hits / np.maximum(other_size, 1)
        return np.where((self.tested()[1] < level), gap, 0.0)

    def findings(self, level: float) -> list[Finding]:
        p, adjusted = self.tested()
        skewed = (adjusted < level).any(axis=0)
        rate = f"none: a count of tests at a false discovery rate of {level_text(level)}"
        found = [
            Finding(metric="skewed_labels_at", value=float(skewed.mean()), n=len(self.words), slice=self.under, interval=rate),
            share_finding("labelled_share", clustered_share(self.assigned.any(axis=1), self.units), self.under),
        ]
        differences = [f for g, who in enumerate(self.people) for f in self._of_group(who, p[g], adjusted[g])]
        return [*found, *self._largest_difference(), *differences]

    def one_group_labels(self) -> Iterator[Finding]:
        """For every group, the share of the labels in use that nobody else gets: they appear for this group alone."""
        used = self._used_labels()
        for who in self.people if len(used) else ():
            alone = self.only_for(who)
            where = {**who.slice, **self.under}
            yield Finding(metric="one_group_labels", value=len(alone) / len(used), n=len(used), slice=where)

    def only_for(self, who: Subgroup) -> Indices:
        """Labels that are assigned in the group, and to none of the others."""
        return np.flatnonzero(self.assigned[who.members].any(axis=0) & ~self.assigned[who.others].any(axis=0))

    def group_findings(self, groups: Mapping[str, Sequence[str]]) -> Iterator[Finding]:
        """One rate and one difference for each group of labels and each group of people: pictures with any label of the group."""
        if not groups:
            return
        place = {word: number for number, word in enumerate(self.words)}
        columns = [self.assigned[:, [place[word] for word in of]].any(axis=1) for of in groups.values()]
        table = replace(self, words=tuple(groups), assigned=np.column_stack(columns))
        for who in self.people:
            for number, group in enumerate(groups):
                where = {"labels": group, **who.slice, **self.under}
                a, b = table._two(who, number)
                yield share_finding("label_group_rate", a, where)
                yield difference_finding("label_group_rate_difference", a, b, where, baseline="all others")

    def _largest_difference(self) -> Iterator[Finding]:
        """The label and group with the largest difference, with an interval that is corrected for the choice."""
        count = len(self.people) * len(self._used_labels())
        if not count:
            return
        gaps = np.array([self.assigned[who.members].mean(axis=0) - self.assigned[who.others].mean(axis=0) for who in self.people])
        group, label = np.unravel_index(np.abs(gaps).argmax(), gaps.shape)
        who = self.people[group]
        a, b = self._two(who, int(label), sidak_level(0.95, count))
        how = f"{HOW_TWO} for all {count} pairs of a label and a group together"
        where = {"label": self.words[label], **who.slice, **self.under}
        yield difference_finding("largest_label_rate_difference_at", a, b, where, baseline="all others", interval=how)

    def _used_labels(self) -> Indices:
        """Labels that are assigned to any picture."""
        return np.flatnonzero(self.assigned.any(axis=0))

    def _two(self, who: Subgroup, label: int, level: float = 0.95) -> tuple[ClusteredShare, ClusteredShare]:
        """The label rate of the group, and of all others."""
        mine, rest = who.members, who.others
        return (
            clustered_share(self.assigned[mine, label], self.units[mine], level=level),
            clustered_share(self.assigned[rest, label], self.units[rest], level=level),
        )

    def _of_group(self, who: Subgroup, p: Doubles, adjusted: Doubles) -> Iterator[Finding]:
        """The rate, difference and p-values of every label that is used."""
        for label in self._used_labels():
            where = {"label": self.words[label], **who.slice, **self.under}
            a, b = self._two(who, label)
            yield share_finding("label_rate", a, where)
            yield difference_finding("label_rate_difference", a, b, where, baseline="all others")
            yield Finding(metric="label_p_value", value=float(p[label]), n=a.n, slice=where)
            yield Finding(metric="label_p_value_adjusted", value=float(adjusted[label]), n=a.n, slice=where)
