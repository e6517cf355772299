"""What is counted of attention on things: its sum, which grows with area by construction, and the same per area."""

from collections.abc import Iterator, Mapping

import numpy as np
from scipy.special import stdtrit

from eyechart.arrays import Doubles
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.paired_differences import PAIRED, mean_difference
from eyechart.metrics.intervals.shared_names import HOW, named_mean, named_share
from eyechart.probes.attention.object_attention import Attended

RATIO_HOW = "jackknife over names on the log scale, Student's t, 95%"
_LEAST = 1e-6  # of a head's attention; less counts as so much, for the logarithm of nothing is no number


def usual_findings(one: Attended) -> Iterator[Finding]:
    """Of the last block, heads averaged: all that is counted."""
    shares = one.of()
    yield from _by_rank(one, "object_attention", shares)
    yield from _by_rank(one, "object_area", one.areas)
    for place in range(one.scenes.count):
        yield _share(one, "object_attention", shares[:, place], {"place": place + 1})
    yield _share(one, "background_attention", 1 - shares.sum(axis=1))
    yield from _densities(one, shares)
    yield density_lead(one)


def block_findings(one: Attended) -> Iterator[Finding]:
    """Of every block, heads averaged."""
    for block in range(1, one.blocks + 1):
        shares, where = one.of(block), {"block": block}
        yield from _by_rank(one, "object_attention", shares, where)
        yield _share(one, "background_attention", 1 - shares.sum(axis=1), where)
        yield from _densities(one, shares, where)
        yield density_lead(one, block)


def head_findings(one: Attended, *, every_block: bool) -> Iterator[Finding]:
    """Of every head of the last block, or of every block: what the largest thing gets, and that over the others' per area."""
    for block in range(1, one.blocks + 1) if every_block else (None,):
        for head in range(1, one.heads + 1):
            where = {**({} if block is None else {"block": block}), "head": head}
            largest = one.by_size(one.of(block, head))[:, 0]
            yield _share(one, "object_attention", largest, {**where, "size_rank": 1})
            yield density_lead(one, block, head)


def density_lead(one: Attended, block: int | None = None, head: int | None = None) -> Finding:
    """The geometric mean over scenes of (attention per area of the largest) / (the same of all others together)."""
    mine, areas = np.maximum(one.by_size(one.of(block, head)), _LEAST), one.by_size(one.areas)
    largest, others = mine[:, 0] / areas[:, 0], mine[:, 1:].sum(axis=1) / areas[:, 1:].sum(axis=1)
    value, interval = mean_difference(np.log(largest), np.log(others), one.clusters)
    low, high = np.exp(interval)
    where = {"objects": one.scenes.count}
    where |= {} if block is None else {"block": block}
    where |= {} if head is None else {"head": head}
    return Finding(
        metric="attention_density_difference",
        value=float(np.exp(value)),
        n=len(mine),
        low=float(low),
        high=float(high),
        slice=where,
        interval=PAIRED,
        baseline="smaller things",
    )


def _share(one: Attended, metric: str, values: Doubles, where: Mapping[str, object] | None = None) -> Finding:
    value, (low, high) = named_share(values, one.scenes.objects, clusters=one.clusters)
    slice = {"objects": one.scenes.count, **(where or {})}
    return Finding(metric=metric, value=value, n=len(values), low=low, high=high, slice=slice, interval=HOW)


def _by_rank(one: Attended, metric: str, values: Doubles, where: Mapping[str, object] | None = None) -> Iterator[Finding]:
    """The largest thing first."""
    by_size = one.by_size(values)
    for rank in range(one.scenes.count):
        yield _share(one, metric, by_size[:, rank], {**(where or {}), "size_rank": rank + 1})


def _densities(one: Attended, values: Doubles, where: Mapping[str, object] | None = None) -> Iterator[Finding]:
    """Σ attention / Σ area of the things of each rank of size."""
    shares, areas = one.by_size(values), one.by_size(one.areas)
    for k in range(one.scenes.count):
        value, variance, names = named_mean(shares[:, k], one.scenes.objects, sizes=areas[:, k], clusters=one.clusters)
        slice = {"objects": one.scenes.count, **(where or {}), "size_rank": k + 1}
        low, high = None, None
        if value > 0:
            half = float(stdtrit(max(names - 1, 1), 0.975)) * np.sqrt(variance) / value
            low, high = float(value * np.exp(-half)), float(value * np.exp(half))
        yield Finding(metric="attention_density", value=value, n=len(shares), low=low, high=high, slice=slice, interval=RATIO_HOW)
