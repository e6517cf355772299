"""Numbers of the probe `generation`: presence and prominence by position, effects of position, and scorer quality."""

from collections.abc import Iterator, Mapping

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.metrics.scenes.order_effects import order_effects
from eyechart.probes.generation.presence import Presence
from eyechart.probes.tasks.share_findings import named_share_finding

LATER = "later"  # all positions but the first


def share_findings(presence: Presence, least: int) -> Iterator[Finding]:
    """Presence and prominence by position, their chance levels, and the effects of position."""
    count = presence.prompted.count
    for metric, hits in (("present", presence.present), ("prominent", presence.prominent)):
        for position in range(count):
            yield _share(metric, hits[:, position], presence, {"position": position + 1})
    yield _share("all_present", presence.present.min(axis=1), presence, {})
    yield Finding(metric="present_chance", value=presence.alarms, n=presence.pairs, slice=presence.slice)
    yield Finding(metric="prominent_chance", value=1 / count, n=len(presence.prominent), slice=presence.slice)
    for here in range(count):
        for there in range(here + 1, count):
            yield from _effects(presence, {"position": here + 1, "against": there + 1}, [here], [there], least)
    if count > 2:
        yield from _effects(presence, {"position": 1, "against": LATER}, [0], list(range(1, count)), least)


def _share(metric: str, hits: npt.ArrayLike, presence: Presence, where: Mapping[str, object]) -> Finding:
    prompted = presence.prompted
    slice = {**presence.slice, **where}
    return named_share_finding(metric, np.asarray(hits, float), prompted.objects, slice, clusters=prompted.units)


def _effects(presence: Presence, where: Mapping[str, object], here: list[int], there: list[int], least: int) -> Iterator[Finding]:
    """The effect of naming an object here instead of there, among the same other objects. `n` counts sets of objects."""
    prompted = presence.prompted
    numbers, first = np.unique(prompted.sets, return_index=True)
    baseline = "the same object named later" if len(there) > 1 else f"the same object at position {there[0] + 1}"
    for metric, hits in (("present_change", presence.present), ("prominent_change", presence.prominent)):
        changes = order_effects(hits, prompted.objects, prompted.sets, here, there)
        if len(changes.sets) < least:
            continue
        of_set = first[np.searchsorted(numbers, changes.sets)]
        objects, units = np.sort(prompted.objects[of_set], axis=1), prompted.units[of_set]
        slice = {**presence.slice, **where}
        yield named_share_finding(metric, changes.values, objects, slice, clusters=units, bounds=(-1.0, 1.0), baseline=baseline)


def control_findings(model: Presence, truth: Presence) -> Iterator[Finding]:
    """The model's scores against the annotated objects of the same pictures.

    A scorer that favors large objects detects the first object more often wherever the generator draws it larger, even if all
    objects are present.
    """
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
            row, position = np.nonzero(some)
            names, units = prompted.objects[row, position][:, None], prompted.units[row]
            yield named_share_finding(metric, model.present[row, position], names, slice, clusters=units)
    shown = there.any(axis=1)
    if shown.any():
        agrees = (model.prominent * largest).sum(axis=1)[shown]
        yield named_share_finding("scorer_agreement", agrees, prompted.objects[shown], where, clusters=prompted.units[shown])
