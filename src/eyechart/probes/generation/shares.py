"""What is counted of generated pictures: how often the thing named in each turn is there and stands out, what another turn does
to the same thing, and how well the model reads where it is known what is seen."""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.shared_names import HOW, named_share
from eyechart.metrics.scenes.order_effects import order_effects
from eyechart.probes.generation.presence import Presence

LATER = "later"  # all turns but the first


def share_findings(reading: Presence, least: int) -> Iterator[Finding]:
    count = reading.prompted.count
    for metric, hits in (("present", reading.present), ("prominent", reading.prominent)):
        for turn in range(count):
            yield _share(metric, hits[:, turn], reading, {"position": turn + 1})
    yield _share("all_present", reading.present.min(axis=1), reading, {})
    yield Finding(metric="present_chance", value=reading.alarms, n=reading.pairs, slice=reading.slice)
    yield Finding(metric="prominent_chance", value=1 / count, n=len(reading.prominent), slice=reading.slice)
    for here in range(count):
        for there in range(here + 1, count):
            yield from _changes(reading, {"position": here + 1, "against": there + 1}, [here], [there], least)
    if count > 2:
        yield from _changes(reading, {"position": 1, "against": LATER}, [0], list(range(1, count)), least)


def _share(metric: str, hits: npt.ArrayLike, reading: Presence, where: Mapping[str, object]) -> Finding:
    prompted, hits = reading.prompted, np.asarray(hits, float)
    value, (low, high) = named_share(hits, prompted.objects, clusters=prompted.units)
    return Finding(metric=metric, value=value, n=len(hits), low=low, high=high, slice={**reading.slice, **where}, interval=HOW)


def _changes(reading: Presence, where: Mapping[str, object], here: list[int], there: list[int], least: int) -> Iterator[Finding]:
    """What being named here rather than there does to the same thing among the same others. `n` counts sets of things."""
    prompted = reading.prompted
    numbers, first = np.unique(prompted.sets, return_index=True)
    baseline = "the same thing named later" if len(there) > 1 else f"the same thing named in turn {there[0] + 1}"
    for metric, hits in (("present_change", reading.present), ("prominent_change", reading.prominent)):
        changes = order_effects(hits, prompted.objects, prompted.sets, here, there)
        if len(changes.sets) < least:
            continue
        of_set = first[np.searchsorted(numbers, changes.sets)]
        things, units = np.sort(prompted.objects[of_set], axis=1), prompted.units[of_set]
        value, (low, high) = named_share(changes.values, things, clusters=units, bounds=(-1.0, 1.0))
        slice = {**reading.slice, **where}
        yield Finding(
            metric=metric, value=value, n=len(changes.sets), low=low, high=high, slice=slice, interval=HOW, baseline=baseline
        )


def control_findings(model: Presence, truth: Presence) -> Iterator[Finding]:
    """The model's reading of the same pictures against what is known of them. A scorer that sees large things best will find what
    is named first more often wherever the generator draws it larger, even if all things are there."""
    prompted, where = model.prompted, {**model.prompted.slice, "objects": model.prompted.count}
    rows = np.searchsorted(truth.prompted.rows, prompted.rows)
    there, largest = truth.present[rows] > 0, truth.prominent[rows]
    cases = (
        ("scorer_recall", {**where, "thing": "largest"}, there & (largest > 0)),
        ("scorer_recall", {**where, "thing": "smaller"}, there & (largest == 0)),
        ("scorer_false_positive_rate", where, ~there),
    )
    for metric, slice, some in cases:
        if some.any():
            row, turn = np.nonzero(some)
            names, units = prompted.objects[row, turn][:, None], prompted.units[row]
            value, (low, high) = named_share(model.present[row, turn], names, clusters=units)
            yield Finding(metric=metric, value=value, n=len(row), low=low, high=high, slice=slice, interval=HOW)
    shown = there.any(axis=1)
    if shown.any():
        agrees = (model.prominent * largest).sum(axis=1)[shown]
        value, (low, high) = named_share(agrees, prompted.objects[shown], clusters=prompted.units[shown])
        yield Finding(metric="scorer_agreement", value=value, n=len(agrees), low=low, high=high, slice=where, interval=HOW)
