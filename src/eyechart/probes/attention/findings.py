"""Numbers of the probe `attention`: attention on objects, which grows with area by construction, and attention per area."""

from collections.abc import Iterator, Mapping

import numpy as np

from eyechart.arrays import Doubles
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.paired_differences import PAIRED, mean_difference
from eyechart.metrics.intervals.shared_names import named_mean
from eyechart.metrics.special import stdtrit
from eyechart.probes.attention.object_attention import ObjectAttention
from eyechart.probes.tasks.share_findings import named_share_finding

RATIO_HOW = "jackknife over names on the log scale, Student's t, 95%"
_LEAST = 1e-6  # smallest share of attention, so that its logarithm is finite


def last_block_findings(one: ObjectAttention) -> Iterator[Finding]:
    """All numbers of the last block, averaged over heads."""
    shares = one.of()
    yield from _by_rank(one, "object_attention", shares)
    yield from _by_rank(one, "object_area", one.areas)
    for place in range(one.scenes.count):
        yield _share(one, "object_attention", shares[:, place], {"place": place + 1})
    yield _share(one, "background_attention", 1 - shares.sum(axis=1))
    yield from _densities(one, shares)
    yield density_ratio(one)


def block_findings(one: ObjectAttention) -> Iterator[Finding]:
    """The numbers of every block, averaged over heads."""
    for block in range(1, one.blocks + 1):
        shares, where = one.of(block), {"block": block}
        yield from _by_rank(one, "object_attention", shares, where)
        yield _share(one, "background_attention", 1 - shares.sum(axis=1), where)
        yield from _densities(one, shares, where)
        yield density_ratio(one, block)


def head_findings(one: ObjectAttention, *, every_block: bool) -> Iterator[Finding]:
    """For every head of the last block or of every block: attention on the largest object, and its density ratio."""
    for block in range(1, one.blocks + 1) if every_block else (None,):
        for head in range(1, one.heads + 1):
            where = {**({} if block is None else {"block": block}), "head": head}
            largest = one.by_size(one.of(block, head))[:, 0]
            yield _share(one, "object_attention", largest, {**where, "size_rank": 1})
            yield density_ratio(one, block, head)


def density_ratio(one: ObjectAttention, block: int | None = None, head: int | None = None) -> Finding:
    """The geometric mean over scenes of (attention per area of the largest object) / (attention per area of all others)."""
    shares, areas = np.maximum(one.by_size(one.of(block, head)), _LEAST), one.by_size(one.areas)
    largest, others = shares[:, 0] / areas[:, 0], shares[:, 1:].sum(axis=1) / areas[:, 1:].sum(axis=1)
    value, interval = mean_difference(np.log(largest), np.log(others), one.clusters)
    low, high = np.exp(interval)
    where = {"objects": one.scenes.count}
    where |= {} if block is None else {"block": block}
    where |= {} if head is None else {"head": head}
    return Finding(
        metric="attention_density_ratio",
        value=float(np.exp(value)),
        n=len(shares),
        low=float(low),
        high=float(high),
        slice=where,
        interval=PAIRED,
        baseline="smaller objects",
    )


def _share(one: ObjectAttention, metric: str, values: Doubles, where: Mapping[str, object] | None = None) -> Finding:
    slice = {"objects": one.scenes.count, **(where or {})}
    return named_share_finding(metric, values, one.scenes.objects, slice, clusters=one.clusters)


def _by_rank(one: ObjectAttention, metric: str, values: Doubles, where: Mapping[str, object] | None = None) -> Iterator[Finding]:
    """One finding for each size rank, the largest object first."""
    by_size = one.by_size(values)
    for rank in range(one.scenes.count):
        yield _share(one, metric, by_size[:, rank], {**(where or {}), "size_rank": rank + 1})


def _densities(one: ObjectAttention, values: Doubles, where: Mapping[str, object] | None = None) -> Iterator[Finding]:
    """Σ attention / Σ area over the objects of each size rank."""
    shares, areas = one.by_size(values), one.by_size(one.areas)
    for k in range(one.scenes.count):
        value, variance, names = named_mean(shares[:, k], one.scenes.objects, sizes=areas[:, k], clusters=one.clusters)
        slice = {"objects": one.scenes.count, **(where or {}), "size_rank": k + 1}
        low, high = None, None
        if value > 0:
            half = float(stdtrit(max(names - 1, 1), 0.975)) * np.sqrt(variance) / value
            low, high = float(value * np.exp(-half)), float(value * np.exp(half))
        yield Finding(metric="attention_density", value=value, n=len(shares), low=low, high=high, slice=slice, interval=RATIO_HOW)
