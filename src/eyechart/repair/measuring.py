"""Before and after, on pictures that the repair did not see: in all, class by class and group by group, paired."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Flags, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.calibration.ece import INTERVAL, ece_intervals, gaps
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, ClusteredShare, clustered_share, share_difference
from eyechart.metrics.intervals.influence import normal_interval, standard_error
from eyechart.metrics.intervals.paired_differences import BOUNDS, PAIRED, ece_difference, mean_difference
from eyechart.probes.tasks.groups import Subgroup
from eyechart.repair.choosing import worst_labels
from eyechart.repair.outcome import ClassifierOutcome

Labels = npt.NDArray[np.str_]
Slice = dict[str, object]

BEFORE, AFTER = "before", "after"


@dataclass(frozen=True, eq=False)
class Held:
    """The held-out pictures: their labels, what each label is titled, which rows are one picture, and groups of rows. `worst`:
    how many labels count as the worst; `aimed_at`: those that the repair took for the worst, on the part it looked at."""

    labels: Labels
    titles: Mapping[str, str]
    units: Indices
    groups: Sequence[Subgroup]
    worst: int
    aimed_at: Sequence[str]
    seed: int


def measured(before: ClassifierOutcome, after: ClassifierOutcome, held: Held) -> list[Finding]:
    return [
        *_both("top1", before.right, after.right, held, np.ones(len(held.labels), np.bool_), {}),
        *_of_classes(before, after, held),
        *_of_each_class(before, after, held),
        *(f for group in held.groups for f in _of_group(before, after, held, group)),
        *_sureness(before, after, held),
        *_abstention(after, held),
        *_sets(after, held),
    ]


def harm_findings(before: Flags, after: Flags, held: Held) -> list[Finding]:
    """The share put into classes that do harm, in all and in every group."""
    everyone = np.ones(len(held.labels), np.bool_)
    found = [*_both("harm", before, after, held, everyone, {})]
    for group in held.groups:
        found += _both("group_harm", before, after, held, group.members, dict(group.slice))
    return found


def _both(metric: str, was: Flags, now: Flags, held: Held, rows: Flags, where: Slice) -> Iterator[Finding]:
    """A share of the same rows before and after, and the difference."""
    a, b = (clustered_share(hits[rows], held.units[rows]) for hits in (now, was))
    yield from _compared(metric, a, b, where)


def _compared(metric: str, after: ClusteredShare, before: ClusteredShare, where: Slice) -> Iterator[Finding]:
    for name, share in ((BEFORE, before), (AFTER, after)):
        estimate = share.estimate
        yield Finding(
            metric=metric,
            value=share.value,
            n=share.n,
            low=estimate.low,
            high=estimate.high,
            slice={**where, "classifier": name},
            interval=HOW,
        )
    low, high = share_difference(after, before)
    value = after.value - before.value
    yield Finding(
        metric=f"{metric}_change",
        value=value,
        n=after.n,
        low=low,
        high=high,
        slice=where,
        interval=HOW_TWO,
        baseline=BEFORE,
    )


def _of_classes(before: ClassifierOutcome, after: ClassifierOutcome, held: Held) -> Iterator[Finding]:
    """Every label weighing the same: all of them, those the repair aimed at, and the worst of each classifier.

    The last are picked on the very pictures that they are measured on, so they look worse than they are, before and after alike;
    those aimed at were picked elsewhere, and are the fair comparison."""

    def share(outcome: ClassifierOutcome, labels: Sequence[str]) -> ClusteredShare:
        rows = np.flatnonzero(np.isin(held.labels, labels))
        groups = np.unique(held.labels[rows], return_inverse=True)[1]
        return clustered_share(outcome.right[rows], held.units[rows], groups=groups)

    there = sorted(set(held.labels.tolist()))
    yield from _compared("mean_per_class", share(after, there), share(before, there), {})
    aimed_at = [label for label in held.aimed_at if label in there]
    if aimed_at:
        yield from _compared("aimed_at", share(after, aimed_at), share(before, aimed_at), {})
    lowest = [share(o, worst_labels(o.right, held.labels, held.worst)) for o in (after, before)]
    yield from _compared("worst_classes", lowest[0], lowest[1], {"k": held.worst})


def _of_each_class(before: ClassifierOutcome, after: ClassifierOutcome, held: Held) -> Iterator[Finding]:
    for label in sorted(set(held.labels.tolist())):
        where: Slice = {"class": held.titles.get(label, label)}
        yield from _both("class_accuracy", before.right, after.right, held, held.labels == label, where)


def _of_group(before: ClassifierOutcome, after: ClassifierOutcome, held: Held, group: Subgroup) -> Iterator[Finding]:
    yield from _both("group_accuracy", before.right, after.right, held, group.members, dict(group.slice))


def _sureness(before: ClassifierOutcome, after: ClassifierOutcome, held: Held) -> Iterator[Finding]:
    found = {name: gaps(o.confidence, o.right) for name, o in ((BEFORE, before), (AFTER, after))}
    for name, of in found.items():
        (low, high), _ = ece_intervals(of, seed=held.seed, clusters=held.units)
        yield Finding(
            metric="ece", value=of.ece, n=len(held.labels), low=low, high=high, slice={"classifier": name}, interval=INTERVAL
        )
    value, (low, high) = ece_difference(found[AFTER], found[BEFORE], seed=held.seed, clusters=held.units)
    yield Finding(
        metric="ece_change", value=value, n=len(held.labels), low=low, high=high, slice={}, interval=BOUNDS, baseline=BEFORE
    )
    both = (before.own > 0) & (after.own > 0)  # a label that a changed list dropped has no likelihood to compare
    if both.sum() > 1:
        value, (low, high) = mean_difference(after.nll[both], before.nll[both], held.units[both])
        yield Finding(
            metric="nll_change", value=value, n=int(both.sum()), low=low, high=high, slice={}, interval=PAIRED, baseline=BEFORE
        )


def _abstention(after: ClassifierOutcome, held: Held) -> Iterator[Finding]:
    """How much is answered, how often rightly, and whether right answers are kept as promised."""
    answered = ~after.abstain
    yield _share("answered", answered, held.units, {})
    if answered.any():
        yield _share("accuracy_answered", after.right[answered], held.units[answered], {})
    if after.right.any():
        yield _share("right_kept", answered[after.right], held.units[after.right], {})
    for group in held.groups:
        yield _share("group_answered", answered[group.members], held.units[group.members], dict(group.slice))


def _sets(after: ClassifierOutcome, held: Held) -> Iterator[Finding]:
    """Coverage of prediction sets: promised over all pictures, measured in every class and group; and how large they are."""
    if after.covered is None or after.sizes is None:
        return
    yield _share("set_coverage", after.covered, held.units, {})
    sizes = after.sizes.astype(np.float64)
    value = float(sizes.mean())
    low, high = normal_interval(value, standard_error((sizes - value) / len(sizes), held.units))
    yield Finding(
        metric="set_size", value=value, n=len(sizes), low=low, high=high, slice={}, interval="normal over pictures, 95%"
    )
    yield _share("empty_sets", after.sizes == 0, held.units, {})
    for label in sorted(set(held.labels.tolist())):
        rows = held.labels == label
        yield _share("class_set_coverage", after.covered[rows], held.units[rows], {"class": held.titles.get(label, label)})
    for group in held.groups:
        yield _share("group_set_coverage", after.covered[group.members], held.units[group.members], dict(group.slice))


def _share(metric: str, hits: Flags, units: Indices, where: Slice) -> Finding:
    found = clustered_share(hits, units)
    low, high = found.estimate.low, found.estimate.high
    return Finding(metric=metric, value=found.value, n=found.n, low=low, high=high, slice=where, interval=HOW)
