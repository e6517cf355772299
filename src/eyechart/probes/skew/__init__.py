"""Skew: how evenly groups are represented in search results (MaxSkew, NDKL), and accuracy by group."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Floats, Indices
from eyechart.data.label_set import read_labels
from eyechart.findings.finding import Finding
from eyechart.metrics.fairness.skew import association, bias_at_k, max_skew, max_skew_interval, ndkl_interval, weighted_skews
from eyechart.metrics.intervals import percentile, wilson
from eyechart.metrics.intervals.slices import sidak_level
from eyechart.notice import Notice
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.skew.exhibits import accuracy_exhibit, skew_exhibits
from eyechart.probes.skew.group_accuracy import first_predictor, group_accuracy, group_texts
from eyechart.probes.skew.metrics import METRICS
from eyechart.probes.tasks.groups import group_columns, subgroups, unusable_attributes
from eyechart.probes.tasks.label_sets import LabelSet, choose_labels, label_texts

Values = npt.NDArray[np.object_]

HOW = "bootstrap over pictures, 95%"
HOW_MOVER = "MOVER from Wilson intervals of groups, 95% or more"
HOW_PERMUTED = "groups permuted at random, 95%"
DEPTH = 1000  # ranks that NDKL takes into account


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `skew`.

    queries: A label set by name, or a file.
    words: The labels of that set, which are the queries.
    attributes: Columns that define groups; all that can where empty.
    k: Search results that are counted.
    evenly: Compare with equal shares instead of the shares in the dataset.
    pleasant: Pleasant words of the association test.
    unpleasant: Unpleasant words of the association test.
    least: Pictures that a group needs for its accuracy.
    resamples: Bootstrap resamples, and permutations of groups.
    seed: The seed of both.
    """

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
            raise ValueError("k and least must be at least 2, resamples at least 20, seed at least 0")
        if bool(self.pleasant) != bool(self.unpleasant):
            raise ValueError("pleasant and unpleasant must be given together")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    return [*query_texts(request), *group_texts(request)]


def query_texts(request: TextRequest[Settings] | ProbeInput[Settings]) -> list[str]:
    """The prompts of the queries, and the words of the association; none where the model cannot encode them."""
    settings: Settings = request.settings
    found = [*label_texts(request, settings.words), *settings.pleasant, *settings.unpleasant]
    return found if request.can_encode(found) else []


@probe(
    version=2,
    needs=("pictures",),
    wants=("class_scores",),
    from_predictions=True,
    settings=Settings(),
    metrics=METRICS,
    profiles=("classify", "audit"),
    texts=texts,
    headline=("largest_skew_above_chance", "worst_group_accuracy"),
)
def skew(inputs: ProbeInput[Settings]) -> Answer:
    """Are some groups retrieved or classified correctly less often than others?

    For every query: MaxSkew@k, NDKL of the ranking, and bias@k where there are two groups; 0 means even. Where pictures have
    labels, also the accuracy of every group and of the worst one. A model without vectors, which gives class scores or
    predictions, is asked for the accuracy alone.
    """
    settings: Settings = inputs.settings
    if wrong := unusable_attributes(inputs.dataset, settings.attributes):
        raise NotApplicable(f"attributes: {wrong[0]}")
    predictor = first_predictor(inputs)
    try:
        labels = choose_labels(inputs.dataset, settings.words, "skew.queries")
    except NotApplicable:
        if predictor is None:
            raise
        labels = LabelSet(())  # no queries, but accuracy by group
    searches = bool(query_texts(inputs))
    attributes = settings.attributes or labels.attributes
    columns = group_columns(inputs.dataset, attributes)
    if not columns:
        raise NotApplicable("no attribute column (attr.NAME) defines groups of pictures")
    findings = list(_searches(inputs, labels, columns)) if labels.words and searches else []
    notices = [] if searches or not (labels.words or settings.pleasant) else [_not_searched(inputs)]
    if settings.pleasant and searches:
        findings += [f for name, values in columns.items() for f in _association(inputs, name, values)]
    people = [s for s in subgroups(inputs.dataset, attributes, settings.least) if not s.crossed]
    if predictor is not None:
        findings += group_accuracy(inputs, predictor, people)
    if not findings and notices:
        raise NotApplicable(f"{notices[0].what}, and no accuracy by group could be measured")
    if not findings:
        raise NotApplicable(f"no queries are given, and no group has {settings.least} labeled pictures")
    return Answer(findings, [*skew_exhibits(findings), *accuracy_exhibit(findings)], notices)


def _not_searched(inputs: ProbeInput[Settings]) -> Notice:
    what = f"{inputs.model} has no vectors for the queries, so nothing was searched"
    return Notice(inputs.dataset.name, what, "give a model with a text encoder, or a table with the vectors of these texts")


def _searches(inputs: ProbeInput[Settings], labels: LabelSet, columns: dict[str, Values]) -> Iterator[Finding]:
    """The skew of every attribute and query, and the largest one, with an interval that is corrected for the choice."""
    scores = inputs.images @ labels.vectors(inputs).T
    searched = [_of_attribute(inputs, labels.words, scores, name, values) for name, values in columns.items()]
    yield from (finding for findings, _ in searched for finding in findings)
    above = [chance.above_chance() for _, chance in searched]
    number = max(range(len(above)), key=lambda i: above[i].value or 0.0)
    yield from above
    largest = searched[number][1].above_chance(sidak_level(0.95, len(searched)))
    yield replace(
        largest, metric="largest_skew_above_chance", interval=f"{HOW_PERMUTED} for all {len(searched)} attributes together"
    )


@dataclass(frozen=True)
class _Chance:
    """Mean MaxSkew and its distribution under chance.

    value: The mean MaxSkew over queries.
    draws: The same with randomly permuted groups.
    n: The number of pictures.
    where: The slice.
    """

    value: float
    draws: Doubles
    n: int
    where: dict[str, object]

    def above_chance(self, level: float = 0.95) -> Finding:
        """MaxSkew minus its mean under permutation: every finite list of results has some skew by chance."""
        low, high = percentile(self.draws, level)
        above = self.value - float(self.draws.mean())
        return Finding(
            metric="skew_above_chance",
            value=above,
            n=self.n,
            low=self.value - high,
            high=self.value - low,
            slice=self.where,
            interval=HOW_PERMUTED,
        )


def _of_attribute(
    inputs: ProbeInput[Settings], words: Sequence[str], scores: Floats, name: str, values: Values
) -> tuple[list[Finding], _Chance]:
    """The skew of all queries for one attribute. Pictures without a value of the attribute are left out of the search."""
    settings: Settings = inputs.settings
    known = np.flatnonzero(values != None)  # noqa: E711 - elementwise
    names, group = np.unique(values[known].astype(str), return_inverse=True)
    expected = np.full(len(names), 1 / len(names)) if settings.evenly else np.bincount(group) / len(group)
    _, first, unit = np.unique(inputs.units[known], return_index=True, return_inverse=True)
    k, n = min(settings.k, len(group)), len(group)
    measured = None if settings.evenly else int(unit.max()) + 1
    weights, permuted = _weights(settings, unit), _permuted(settings, group, first, unit)
    findings, skews, divergences, by_chance = list[Finding](), list[Finding](), list[Doubles](), list[Doubles]()
    for query, word in enumerate(words):
        order = np.argsort(-scores[known, query], kind="stable")[: max(DEPTH, k)]
        start = group[order][:k]
        where: dict[str, object] = {"attribute": name, "query": word}
        low, high = max_skew_interval(start, expected, len(np.unique(unit[order][:k])), measured)
        skews.append(
            Finding(metric="max_skew", value=max_skew(start, expected), n=n, low=low, high=high, slice=where, interval=HOW_MOVER)
        )
        divergences.append(weighted_skews(group[order], weights[:, order], expected, k).ndkl)
        by_chance.append(weighted_skews(permuted[:, order], np.ones((len(permuted), len(order))), expected, k).max_skew)
        findings += [skews[-1], _ndkl("ndkl", divergences[-1], n, where)]
        if len(names) == 2:
            findings.append(_bias(start, {**where, "towards": str(names[0])}))
    mean = _mean(skews, {"attribute": name})
    findings += [mean, _ndkl("mean_ndkl", np.mean(divergences, axis=0), n, {"attribute": name})]
    return findings, _Chance(mean.value or 0.0, np.mean(by_chance, axis=0), n, {"attribute": name})


def _ndkl(metric: str, values: Doubles, n: int, where: dict[str, object]) -> Finding:
    """`values`: the value, then its bootstrap draws."""
    low, high = ndkl_interval(float(values[0]), values[1:])
    return Finding(metric=metric, value=float(values[0]), n=n, low=low, high=high, slice=where, interval=HOW)


def _mean(skews: Sequence[Finding], where: dict[str, object]) -> Finding:
    """The mean over queries. Its interval is the mean of the limits, because searches of the same pictures are correlated."""
    value, low, high = (float(np.mean([getattr(f, end) for f in skews])) for end in ("value", "low", "high"))
    return Finding(
        metric="mean_max_skew",
        value=value,
        n=skews[0].n,
        low=low,
        high=high,
        slice=where,
        interval=f"mean of the limits: {HOW_MOVER}",
    )


def _bias(first: Indices, where: dict[str, object]) -> Finding:
    """(m − f) / (m + f) of two groups: twice the share of the first, minus one."""
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


def _permuted(settings: Settings, group: Indices, first: Indices, unit: Indices) -> Indices:
    """[resamples, n]: randomly permuted groups; copies of a picture have the same group."""
    rng = np.random.default_rng([settings.seed, 1])
    return np.asarray(rng.permuted(np.tile(group[first], (settings.resamples, 1)), axis=1)[:, unit])


def _weights(settings: Settings, unit: Indices) -> Doubles:
    """[1 + resamples, n]: ones, then bootstrap weights; copies of a picture are resampled together."""
    count = int(unit.max()) + 1
    drawn = np.random.default_rng(settings.seed).multinomial(count, np.full(count, 1 / count), settings.resamples)
    return np.concatenate([np.ones((1, len(unit))), drawn[:, unit]])


def _association(inputs: ProbeInput[Settings], name: str, values: Values) -> Iterator[Finding]:
    """Association of each group with pleasant words. Copies count once; pictures without a value are left out."""
    settings: Settings = inputs.settings
    once = np.unique(inputs.units, return_index=True)[1]
    rows = np.array([row for row in once if values[row] is not None])
    near = [inputs.texts(words).mean(axis=0) for words in (settings.pleasant, settings.unpleasant)]
    lean = (inputs.images[rows] @ (near[0] - near[1])).astype(np.float64)
    for value in sorted({str(v) for v in values[rows]}):
        mine = values[rows].astype(str) == value
        found = association(lean[mine], lean[~mine], seed=settings.seed)
        n, where = int(mine.sum()), {"attribute": name, "group": value}
        yield Finding(metric="association", value=found.d, n=n, low=found.low, high=found.high, slice=where, interval=HOW)
        yield Finding(metric="association_p_value", value=found.p, n=n, slice=where)
