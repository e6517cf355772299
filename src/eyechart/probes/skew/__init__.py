"""Skew: when pictures of people are searched by words, how evenly are groups found; and are they named alike?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Floats, Indices
from eyechart.data.label_set import read_labels
from eyechart.findings.finding import Finding
from eyechart.metrics.fairness.skew import association, bias_at_k, max_skew, max_skew_interval, ndkl_interval, weighted_skews
from eyechart.metrics.intervals import percentile, wilson
from eyechart.metrics.intervals.slices import together
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.skew.exhibits import accuracy_exhibit, skew_exhibits
from eyechart.probes.skew.group_accuracy import group_accuracy, naming_texts
from eyechart.probes.skew.metrics import METRICS
from eyechart.probes.tasks.groups import columns_of, subgroups, unusable
from eyechart.probes.tasks.label_sets import Labels, label_texts, labels_for

Values = npt.NDArray[np.object_]

HOW = "bootstrap over pictures, 95%"
HOW_FIRST = "recovered from Wilson intervals of groups, 95% or more"
HOW_PERMUTED = "groups dealt out at random, 95%"
DEPTH = 1000  # places of a ranking that NDKL looks at


@dataclass(frozen=True)
class Settings:
    """`queries`: a label set by name or a file; `words` is what stands in it, read from there. `attributes`: columns that tell
    groups apart; all that can, where none is named. `k`: pictures that a searcher looks at. `evenly`: hold against equal shares
    instead of those of the dataset. `pleasant`, `unpleasant`: two sets of words for the association. `least`: pictures that a
    group needs for its accuracy. `resamples`: of the bootstrap, and of groups that are dealt out at random."""

    queries: str = ""
    words: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    k: int = 100
    evenly: bool = False
    pleasant: tuple[str, ...] = ()
    unpleasant: tuple[str, ...] = ()
    least: int = 20
    resamples: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if self.queries:
            object.__setattr__(self, "words", read_labels(self.queries))
        if self.k < 2 or self.resamples < 20 or self.seed < 0 or self.least < 2:
            raise ValueError("k and least are whole numbers from 2 up, resamples from 20 up, seed from 0 up")
        if bool(self.pleasant) != bool(self.unpleasant):
            raise ValueError("pleasant and unpleasant are given together")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    settings: Settings = request.settings
    return [*label_texts(request, settings.words), *settings.pleasant, *settings.unpleasant, *naming_texts(request)]


@probe(
    version=2,
    needs=("images", "texts"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    headline=("largest_skew_above_chance", "worst_group_accuracy"),
)
def skew(inputs: ProbeInput[Settings]) -> Answer:
    """Are some groups of pictures found, or named rightly, less often than others?

    For every query the nearest pictures: MaxSkew of the first k, NDKL of the whole ranking, and Bias of the first k where there
    are two groups; 0 is even. Where pictures have labels, the accuracy of every group, and of the worst.
    """
    settings: Settings = inputs.settings
    if wrong := unusable(inputs.dataset, settings.attributes):
        raise NotApplicable(f"attributes: {wrong[0]}")
    try:
        labels = labels_for(inputs.dataset, settings.words)
    except NotApplicable:
        if not naming_texts(inputs):
            raise
        labels = Labels(())  # nobody is searched for, but groups can be named
    attributes = settings.attributes or labels.attributes
    columns = columns_of(inputs.dataset, attributes)
    if not columns:
        raise NotApplicable("no attribute column tells groups of pictures apart")
    findings = list(_searches(inputs, labels, columns)) if labels.words else []
    if settings.pleasant:
        findings += [f for name, values in columns.items() for f in _association(inputs, name, values)]
    people = [s for s in subgroups(inputs.dataset, attributes, settings.least) if not s.crossed]
    findings += group_accuracy(inputs, people)
    if not findings:
        raise NotApplicable(f"no queries were named, and no group has {settings.least} pictures with a label")
    return Answer(findings, [*skew_exhibits(findings), *accuracy_exhibit(findings)])


def _searches(inputs: ProbeInput[Settings], labels: Labels, columns: dict[str, Values]) -> Iterator[Finding]:
    """The largest skew was chosen after looking at every attribute, and its interval is at the level at which all of theirs
    hold together."""
    scores = inputs.images @ labels.vectors(inputs).T
    searched = [_of_attribute(inputs, labels.words, scores, name, values) for name, values in columns.items()]
    yield from (finding for findings, _ in searched for finding in findings)
    beyond = [chance.beyond() for _, chance in searched]
    number = max(range(len(beyond)), key=lambda i: beyond[i].value or 0.0)
    yield from beyond
    largest = searched[number][1].beyond(together(0.95, len(searched)))
    yield replace(
        largest, metric="largest_skew_above_chance", interval=f"{HOW_PERMUTED} for all {len(searched)} attributes together"
    )


@dataclass(frozen=True)
class _Chance:
    """`value`: the mean MaxSkew over queries; `draws`: the same of groups dealt out at random."""

    value: float
    draws: Doubles
    n: int
    where: dict[str, object]

    def beyond(self, level: float = 0.95) -> Finding:
        """Every finite search is skewed a little. The interval holds 0 where as much of the dealt-out groups is as skewed."""
        low, high = percentile(self.draws, level)
        beyond = self.value - float(self.draws.mean())
        return Finding(
            metric="skew_above_chance",
            value=beyond,
            n=self.n,
            low=self.value - high,
            high=self.value - low,
            slice=self.where,
            interval=HOW_PERMUTED,
        )


def _of_attribute(
    inputs: ProbeInput[Settings], words: Sequence[str], scores: Floats, name: str, values: Values
) -> tuple[list[Finding], _Chance]:
    """Pictures of which the attribute is not told are not in the search: they would be a group of their own."""
    settings: Settings = inputs.settings
    told = np.flatnonzero(values != None)  # noqa: E711 - of every element
    names, group = np.unique(values[told].astype(str), return_inverse=True)
    expected = np.full(len(names), 1 / len(names)) if settings.evenly else np.bincount(group) / len(group)
    _, first, unit = np.unique(inputs.clusters[told], return_index=True, return_inverse=True)
    k, n = min(settings.k, len(group)), len(group)
    measured = None if settings.evenly else int(unit.max()) + 1
    weights, dealt = _weights(settings, unit), _dealt(settings, group, first, unit)
    findings, skews, divergences, by_chance = list[Finding](), list[Finding](), list[Doubles](), list[Doubles]()
    for query, word in enumerate(words):
        order = np.argsort(-scores[told, query], kind="stable")[: max(DEPTH, k)]
        start = group[order][:k]
        where: dict[str, object] = {"attribute": name, "query": word}
        low, high = max_skew_interval(start, expected, len(np.unique(unit[order][:k])), measured)
        skews.append(
            Finding(metric="max_skew", value=max_skew(start, expected), n=n, low=low, high=high, slice=where, interval=HOW_FIRST)
        )
        divergences.append(weighted_skews(group[order], weights[:, order], expected, k).ndkl)
        by_chance.append(weighted_skews(dealt[:, order], np.ones((len(dealt), len(order))), expected, k).max_skew)
        findings += [skews[-1], _ndkl("ndkl", divergences[-1], n, where)]
        if len(names) == 2:
            findings.append(_bias(start, {**where, "towards": str(names[0])}))
    mean = _mean(skews, {"attribute": name})
    findings += [mean, _ndkl("mean_ndkl", np.mean(divergences, axis=0), n, {"attribute": name})]
    return findings, _Chance(mean.value or 0.0, np.mean(by_chance, axis=0), n, {"attribute": name})


def _ndkl(metric: str, values: Doubles, n: int, where: dict[str, object]) -> Finding:
    """The value comes first, draws after it."""
    low, high = ndkl_interval(float(values[0]), values[1:])
    return Finding(metric=metric, value=float(values[0]), n=n, low=low, high=high, slice=where, interval=HOW)


def _mean(skews: Sequence[Finding], where: dict[str, object]) -> Finding:
    """Searches of the same pictures err together: the mean of their ends is what the mean may be if they all do."""
    value, low, high = (float(np.mean([getattr(f, end) for f in skews])) for end in ("value", "low", "high"))
    return Finding(
        metric="mean_max_skew",
        value=value,
        n=skews[0].n,
        low=low,
        high=high,
        slice=where,
        interval=f"mean of the ends: {HOW_FIRST}",
    )


def _bias(first: Indices, where: dict[str, object]) -> Finding:
    """Of two groups (m − f) / (m + f) is twice the share of the first less one."""
    low, high = (float(2 * end - 1) for end in wilson((first == 0).sum(), len(first)))
    return Finding(
        metric="bias_at_k",
        value=bias_at_k(first, 0, 1),
        n=len(first),
        low=low,
        high=high,
        slice=where,
        interval="Wilson of the first k, 95%",
    )


def _dealt(settings: Settings, group: Indices, first: Indices, unit: Indices) -> Indices:
    """[resamples, n]: the groups in a random order; copies of a picture keep one."""
    rng = np.random.default_rng([settings.seed, 1])
    return np.asarray(rng.permuted(np.tile(group[first], (settings.resamples, 1)), axis=1)[:, unit])


def _weights(settings: Settings, unit: Indices) -> Doubles:
    """[1 + resamples, n]: all pictures once, then how often each is drawn; copies of a picture are drawn together."""
    count = int(unit.max()) + 1
    drawn = np.random.default_rng(settings.seed).multinomial(count, np.full(count, 1 / count), settings.resamples)
    return np.concatenate([np.ones((1, len(unit))), drawn[:, unit]])


def _association(inputs: ProbeInput[Settings], name: str, values: Values) -> Iterator[Finding]:
    """Copies of a picture count once, and pictures of which the attribute is not told nowhere."""
    settings: Settings = inputs.settings
    once = np.unique(inputs.clusters, return_index=True)[1]
    rows = np.array([row for row in once if values[row] is not None])
    near = [inputs.texts(words).mean(axis=0) for words in (settings.pleasant, settings.unpleasant)]
    lean = (inputs.images[rows] @ (near[0] - near[1])).astype(np.float64)
    for value in sorted({str(v) for v in values[rows]}):
        mine = values[rows].astype(str) == value
        found = association(lean[mine], lean[~mine], seed=settings.seed)
        n, where = int(mine.sum()), {"attribute": name, "group": value}
        yield Finding(metric="association", value=found.d, n=n, low=found.low, high=found.high, slice=where, interval=HOW)
        yield Finding(metric="association_p_value", value=found.p, n=n, slice=where)
