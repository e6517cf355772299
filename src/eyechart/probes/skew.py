"""Skew: when pictures of people are searched by words, how evenly are groups found?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.data.label_set import read_labels
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import percentile
from eyechart.metrics.skew import association, bias_at_k, weighted_skews
from eyechart.probes._label_sets import label_texts, labels_for
from eyechart.probes._subgroups import columns_of
from eyechart.probes.probe import Answer, Asked, Given, NotApplicable, probe

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

HOW = "bootstrap over pictures, 95%"
DEPTH = 1000  # places of a ranking that NDKL looks at


@dataclass(frozen=True)
class Settings:
    """`queries`: a label set by name or a file; `words` is what stands in it, read from there. `attributes`: columns that tell
    groups apart; all that can, where none is named. `k`: pictures that a searcher looks at. `evenly`: hold against equal shares
    instead of those of the dataset. `pleasant`, `unpleasant`: two sets of words for the association. `resamples`: of the
    bootstrap, and of groups that are dealt out at random."""

    queries: str = ""
    words: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    k: int = 100
    evenly: bool = False
    pleasant: tuple[str, ...] = ()
    unpleasant: tuple[str, ...] = ()
    resamples: int = 200
    seed: int = 0

    def __post_init__(self) -> None:
        if self.queries:
            object.__setattr__(self, "words", read_labels(self.queries))
        if self.k < 2 or self.resamples < 20 or self.seed < 0:
            raise ValueError("k is a whole number from 2 up, resamples from 20 up, seed from 0 up")
        if bool(self.pleasant) != bool(self.unpleasant):
            raise ValueError("pleasant and unpleasant are given together")


def texts(asked: Asked) -> Sequence[str]:
    settings: Settings = asked.settings
    return [*label_texts(asked, settings.words), *settings.pleasant, *settings.unpleasant]


@probe(version=1, needs=("images", "texts"), settings=Settings(), texts=texts, headline=("largest_skew",))
def skew(given: Given) -> Answer:
    """When pictures are searched by words, are groups found as often as they are there?

    For every query the nearest pictures: MaxSkew of the first k, NDKL of the whole ranking, and Bias of the first k where there
    are two groups. 0 is even.
    """
    settings: Settings = given.settings
    labels = labels_for(given.dataset, settings.words)
    columns = columns_of(given.dataset, settings.attributes or labels.attributes)
    if not columns:
        raise NotApplicable("no attribute column tells groups of pictures apart")
    scores = given.images @ labels.vectors(given).T
    findings: list[Finding] = []
    for name, values in columns.items():
        findings += _of_attribute(given, labels.words, scores, name, values)
    beyond = [f for f in findings if f.metric == "skew_beyond_chance"]
    findings.append(
        replace(max(beyond, key=lambda f: f.value or 0.0), metric="largest_skew", interval=f"{beyond[0].interval}, each")
    )
    if settings.pleasant:
        findings += [f for name, values in columns.items() for f in _association(given, name, values)]
    return Answer(findings, _exhibits(findings))


def _of_attribute(
    given: Given, words: Sequence[str], scores: Floats, name: str, values: npt.NDArray[np.object_]
) -> Iterator[Finding]:
    settings: Settings = given.settings
    names, group = np.unique(values.astype(str), return_inverse=True)
    expected = np.full(len(names), 1 / len(names)) if settings.evenly else np.bincount(group) / len(group)
    k, n = min(settings.k, len(group)), len(group)
    weights, dealt = _weights(given), _dealt(given, group)
    means: dict[str, list[Doubles]] = {"max_skew": [], "ndkl": []}
    by_chance = []
    for query, word in enumerate(words):
        order = np.argsort(-scores[:, query], kind="stable")[: max(DEPTH, k)]
        found = weighted_skews(group[order], weights[:, order], expected, k)
        where: dict[str, object] = {"attribute": name, "query": word}
        for metric, of_draws in (("max_skew", found.max_skew), ("ndkl", found.ndkl)):
            means[metric].append(of_draws)
            yield _finding(metric, of_draws, n, where)
        by_chance.append(weighted_skews(dealt[:, order], np.ones((len(dealt), len(order))), expected, k).max_skew)
        if len(names) == 2:
            bias = bias_at_k(group[order][:k], 0, 1)
            yield Finding("bias", bias, k, slice={**where, "towards": str(names[0])}, unit="number", higher_is_better=None)
    for metric, rows in means.items():
        yield _finding(f"mean_{metric}", np.mean(rows, axis=0), n, {"attribute": name})
    yield _beyond_chance(float(np.mean(means["max_skew"], axis=0)[0]), np.mean(by_chance, axis=0), n, {"attribute": name})


def _beyond_chance(value: float, by_chance: Doubles, n: int, where: dict[str, object]) -> Finding:
    """Every finite search is skewed a little. The interval holds 0 where 95% of groups dealt out at random are as skewed."""
    low, high = np.quantile(by_chance, [0.025, 0.975])
    how = "groups dealt out at random, 95%"
    beyond = value - float(by_chance.mean())
    return Finding("skew_beyond_chance", beyond, n, value - float(high), value - float(low), where, "number", False, how)


def _dealt(given: Given, group: Indices) -> Indices:
    """[resamples, n]: the groups in a random order; copies of a picture keep one."""
    settings: Settings = given.settings
    _, first, unit = np.unique(given.clusters, return_index=True, return_inverse=True)
    rng = np.random.default_rng([settings.seed, 1])
    return np.asarray(rng.permuted(np.tile(group[first], (settings.resamples, 1)), axis=1)[:, unit])


def _weights(given: Given) -> Doubles:
    """[1 + resamples, n]: all pictures once, then how often each is drawn; copies of a picture are drawn together."""
    settings: Settings = given.settings
    _, unit = np.unique(given.clusters, return_inverse=True)
    count = int(unit.max()) + 1
    drawn = np.random.default_rng(settings.seed).multinomial(count, np.full(count, 1 / count), settings.resamples)
    return np.concatenate([np.ones((1, len(unit))), drawn[:, unit]])


def _finding(metric: str, values: Doubles, n: int, where: dict[str, object]) -> Finding:
    """The value comes first, draws after it. Skew grows with noise, so the interval is the basic one: reflected."""
    value = float(values[0])
    low, high = percentile(values[1:], 0.95)
    better = None if "bias" in metric else False
    return Finding(metric, value, n, 2 * value - high, 2 * value - low, where, "number", better, HOW)


def _association(given: Given, name: str, values: npt.NDArray[np.object_]) -> Iterator[Finding]:
    settings: Settings = given.settings
    lean = given.images @ given.texts(settings.pleasant).mean(axis=0) - given.images @ given.texts(settings.unpleasant).mean(
        axis=0
    )
    for value in sorted({str(v) for v in values if v is not None}):
        mine = values.astype(str) == value
        found = association(lean[mine].astype(float), lean[~mine].astype(float), seed=settings.seed)
        where = {"attribute": name, "group": value}
        yield Finding("association", found.d, int(mine.sum()), slice=where, unit="number", higher_is_better=None)
        yield Finding("association_p", found.p, int(mine.sum()), slice=where, unit="number", higher_is_better=None)


def _exhibits(findings: Sequence[Finding]) -> list[Exhibit]:
    exhibits = []
    for name in dict.fromkeys(str(f.slice["attribute"]) for f in findings if f.metric == "max_skew"):
        mine = sorted(
            (f for f in findings if f.metric == "max_skew" and f.slice["attribute"] == name), key=lambda f: -(f.value or 0.0)
        )[:30]
        table = pa.table(
            {
                "query": [str(f.slice["query"]) for f in mine],
                "max skew": [f.value for f in mine],
                "low": [f.low for f in mine],
                "high": [f.high for f in mine],
            }
        )
        sentence = (
            f"Among the first pictures for “{mine[0].slice['query']}” one {name} is {np.exp(mine[0].value or 0.0):.1f} times as"
            " frequent as in all pictures; 0 on the line is even."
        )
        chart = charts.dots_with_intervals(
            category="query",
            value="max skew",
            low="low",
            high="high",
            category_title="",
            value_title="MaxSkew of the first pictures",
            unit="number",
            zero=True,
        )
        exhibits.append(Exhibit(f"skew-{name}", f"Which searches favour a {name}", sentence, table, chart=chart))
    return exhibits
