"""Accuracies as the run of a model reports them: one share has one interval, on its page and in every comparison."""

import json
from dataclasses import replace

import pyarrow.compute as pc

from eyechart.arrays import Flags, Indices
from eyechart.comparison.pairs import ModelPair, PairedDifference
from eyechart.comparison.sides import Side
from eyechart.metrics.intervals import share_interval
from eyechart.metrics.intervals.mover import Estimate

_METRICS = {"top1": (), "class_accuracy": ("class",)}  # metric → what its slice names beside the prompt set
_SEED = 0  # of the bootstrap over pictures that no run has a finding for: the default of every plan

Reported = dict[str | None, tuple[Estimate, int]]


def reported_accuracies(side: Side, dataset: str, prompts: str | None) -> Reported:
    """Class → its accuracy in the run and the number of its pictures; None → that of all pictures.

    Args:
        side: The model.
        dataset: The dataset.
        prompts: The prompt set; None for a model that has none.
    """
    rows = side.run.findings
    mine = pc.and_(pc.equal(rows["model"], side.model), pc.equal(rows["dataset"], dataset))
    found: Reported = {}
    for row in rows.filter(mine).to_pylist():
        if row["metric"] not in _METRICS or row["value"] is None or row["low"] is None:
            continue
        where = json.loads(row["slice"])
        if where.keys() - {"prompts"} != set(_METRICS[row["metric"]]) or where.get("prompts") != prompts:
            continue
        found.setdefault(where.get("class"), (Estimate(row["value"], row["low"], row["high"]), row["n"]))
    return found


def accuracy(hits: Flags, clusters: Indices, reported: Reported) -> Estimate:
    """The accuracy on these pictures: as the run reports it where they are all of its pictures, else by the same method."""
    estimate, n = reported.get(None, (None, 0))
    if estimate is not None and _same(float(hits.mean()), len(hits), estimate, n):
        return estimate
    (low, high), _ = share_interval(hits, clusters=clusters, seed=_SEED)
    return Estimate(float(hits.mean()), low, high)


def as_reported(pair: ModelPair, accuracies: tuple[Estimate, Estimate], first: Reported, second: Reported) -> ModelPair:
    """The pair with the accuracies of its models as their runs report them; the differences stay."""

    def of_class(name: str, d: PairedDifference) -> PairedDifference:
        both = [_or(d.first, d.n, first.get(name)), _or(d.second, d.n, second.get(name))]
        return replace(d, first=both[0], second=both[1])

    classes = {name: of_class(name, d) for name, d in pair.classes.items()}
    return replace(pair, top1=replace(pair.top1, first=accuracies[0], second=accuracies[1]), classes=classes)


def _or(own: Estimate, n: int, known: tuple[Estimate, int] | None) -> Estimate:
    return known[0] if known is not None and _same(own.value, n, *known) else own


def _same(value: float, n: int, estimate: Estimate, of: int) -> bool:
    """Whether two accuracies are of the same pictures."""
    return n == of and abs(value - estimate.value) < 1e-9
