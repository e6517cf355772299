"""Both classifiers on held-out pictures: overall, by class and by group, with paired differences."""

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
from eyechart.repair.classifier_outcome import ClassifierOutcome

Labels = npt.NDArray[np.str_]
Slice = dict[str, object]

BEFORE, AFTER = "before", "after"


@dataclass(frozen=True, eq=False)
class HeldOut:
    """The held-out pictures.

    labels: The label of each picture.
    titles: The title of each label.
    clusters: Equal for rows that are the same picture.
    groups: Subgroups of the rows.
    worst: How many labels count as the worst.
    targeted: The labels that the repair took for the worst, on the fitting part.
    seed: For the bootstrap.
    everything: Whether these are all pictures, because nothing was fitted that could not be judged on them.
    """

    labels: Labels
    titles: Mapping[str, str]
    clusters: Indices
    groups: Sequence[Subgroup]
    worst: int
    targeted: Sequence[str]
    seed: int
    everything: bool = False

    @property
    def title(self) -> str:
        """What the findings are about, as the end of a sentence: "on …"."""
        return "all pictures" if self.everything else "held-out pictures"


def evaluate(before: ClassifierOutcome, after: ClassifierOutcome, held_out: HeldOut) -> list[Finding]:
    """All findings about a repair but for the harm rate."""
    return [
        *_before_after("top1", before.correct, after.correct, held_out, np.ones(len(held_out.labels), np.bool_), {}),
        *_class_means(before, after, held_out),
        *_each_class(before, after, held_out),
        *(f for group in held_out.groups for f in _each_group(before, after, held_out, group)),
        *_calibration(before, after, held_out),
        *abstention_findings(after, held_out),
        *_prediction_sets(after, held_out),
    ]


def harm_findings(before: Flags, after: Flags, held_out: HeldOut) -> list[Finding]:
    """The share of pictures predicted as harmful classes, overall and in every group."""
    everyone = np.ones(len(held_out.labels), np.bool_)
    found = [*_before_after("harm_rate", before, after, held_out, everyone, {})]
    for group in held_out.groups:
        found += _before_after("group_harm_rate", before, after, held_out, group.members, dict(group.slice))
    return found


def _before_after(metric: str, before: Flags, after: Flags, held_out: HeldOut, rows: Flags, where: Slice) -> Iterator[Finding]:
    """A share of the same rows before and after, and the paired difference."""
    now, was = (clustered_share(hits[rows], held_out.clusters[rows]) for hits in (after, before))
    yield from _compared(metric, now, was, where)


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


def _class_means(before: ClassifierOutcome, after: ClassifierOutcome, held_out: HeldOut) -> Iterator[Finding]:
    """Means over labels: all labels, the targeted ones, and the worst of each classifier.

    The worst are selected on the same pictures that they are measured on, so both values are too low. The targeted labels were
    selected on other pictures; they are the fair comparison.
    """

    def share(outcome: ClassifierOutcome, labels: Sequence[str]) -> ClusteredShare:
        rows = np.flatnonzero(np.isin(held_out.labels, labels))
        groups = np.unique(held_out.labels[rows], return_inverse=True)[1]
        return clustered_share(outcome.correct[rows], held_out.clusters[rows], groups=groups)

    labels = sorted(set(held_out.labels.tolist()))
    yield from _compared("mean_per_class", share(after, labels), share(before, labels), {})
    targeted = [label for label in held_out.targeted if label in labels]
    if targeted:
        yield from _compared("targeted_classes", share(after, targeted), share(before, targeted), {})
    lowest = [share(o, worst_labels(o.correct, held_out.labels, held_out.worst)) for o in (after, before)]
    yield from _compared("worst_at_k", lowest[0], lowest[1], {"k": held_out.worst})


def _each_class(before: ClassifierOutcome, after: ClassifierOutcome, held_out: HeldOut) -> Iterator[Finding]:
    for label in sorted(set(held_out.labels.tolist())):
        where: Slice = {"class": held_out.titles.get(label, label)}
        yield from _before_after("class_accuracy", before.correct, after.correct, held_out, held_out.labels == label, where)


def _each_group(before: ClassifierOutcome, after: ClassifierOutcome, held_out: HeldOut, group: Subgroup) -> Iterator[Finding]:
    yield from _before_after("group_accuracy", before.correct, after.correct, held_out, group.members, dict(group.slice))


def _calibration(before: ClassifierOutcome, after: ClassifierOutcome, held_out: HeldOut) -> Iterator[Finding]:
    n, clusters = len(held_out.labels), held_out.clusters
    found = {name: gaps(o.confidence, o.correct) for name, o in ((BEFORE, before), (AFTER, after))}
    for name, errors in found.items():
        (low, high), _ = ece_intervals(errors, seed=held_out.seed, clusters=clusters)
        yield Finding(metric="ece", value=errors.ece, n=n, low=low, high=high, slice={"classifier": name}, interval=INTERVAL)
    value, (low, high) = ece_difference(found[AFTER], found[BEFORE], seed=held_out.seed, clusters=clusters)
    yield Finding(metric="ece_change", value=value, n=n, low=low, high=high, interval=BOUNDS, baseline=BEFORE)
    # A label that a changed class list dropped has no likelihood to compare.
    both = (before.label_probability > 0) & (after.label_probability > 0)
    if both.sum() > 1:
        value, (low, high) = mean_difference(after.nll[both], before.nll[both], clusters[both])
        yield Finding(metric="nll_change", value=value, n=int(both.sum()), low=low, high=high, interval=PAIRED, baseline=BEFORE)


def abstention_findings(after: ClassifierOutcome, held_out: HeldOut) -> Iterator[Finding]:
    """How many pictures are answered, how accurately, and whether the target share of correct answers is kept."""
    answered, clusters = ~after.abstained, held_out.clusters
    yield _share("answered_share", answered, clusters, {})
    if answered.any():
        yield _share("selective_accuracy", after.correct[answered], clusters[answered], {})
    if after.correct.any():
        yield _share("correct_answers_kept", answered[after.correct], clusters[after.correct], {})
    for group in held_out.groups:
        yield _share("group_answered_share", answered[group.members], clusters[group.members], dict(group.slice))


def _prediction_sets(after: ClassifierOutcome, held_out: HeldOut) -> Iterator[Finding]:
    """Coverage over all pictures, in every class and in every group; and the size of the sets."""
    if after.covered is None or after.set_sizes is None:
        return
    clusters = held_out.clusters
    yield _share("set_coverage", after.covered, clusters, {})
    sizes = after.set_sizes.astype(np.float64)
    value = float(sizes.mean())
    low, high = normal_interval(value, standard_error((sizes - value) / len(sizes), clusters))
    yield Finding(metric="set_size", value=value, n=len(sizes), low=low, high=high, interval="normal over pictures, 95%")
    yield _share("empty_set_share", after.set_sizes == 0, clusters, {})
    for label in sorted(set(held_out.labels.tolist())):
        rows = held_out.labels == label
        where: Slice = {"class": held_out.titles.get(label, label)}
        yield _share("class_set_coverage", after.covered[rows], clusters[rows], where)
    for group in held_out.groups:
        yield _share("group_set_coverage", after.covered[group.members], clusters[group.members], dict(group.slice))


def _share(metric: str, hits: Flags, clusters: Indices, where: Slice) -> Finding:
    found = clustered_share(hits, clusters)
    low, high = found.estimate.low, found.estimate.high
    return Finding(metric=metric, value=found.value, n=found.n, low=low, high=high, slice=where, interval=HOW)
