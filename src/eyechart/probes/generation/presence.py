"""Who says what a generated picture shows: the examined model, or objects that the dataset knows of (exact, or a detector's)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles
from eyechart.probes.generation.prompted_pictures import AllPrompted, Prompted
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.objects import areas_by_name

MODEL, OBJECTS = "model", "objects"


@dataclass(frozen=True)
class Presence:
    """`present[i, k]`: 1 where the thing named in turn k of prompt i is in its picture. `prominent[i, k]`: 1 where it stands out
    most of the things named; equals share. `alarms`: the share of things that no prompt of the picture names and that are taken
    to be there all the same, over `pairs` of a picture and such a thing: the line that `present` is read against."""

    by: str
    prompted: Prompted
    present: Doubles
    prominent: Doubles
    alarms: float
    pairs: int

    @property
    def slice(self) -> dict[str, object]:
        return {**self.prompted.slice, "by": self.by, "objects": self.prompted.count}


class Standings:
    """How near every picture is to every name, beyond what is usual for the picture and for the name.

    Some pictures are near to all names and some names to all pictures, so two scores say little beside each other. From a score
    the picture's mean over names that its prompt does not say is taken away. What is left is compared with what pictures of the
    same generator have whose prompts do not say the name: `standing` [rows, names] is in their deviations from their mean,
    `beaten` the share of them that have no less. Both are NaN for a name that fewer than `least` pictures leave out."""

    def __init__(self, scores: Doubles, mentioned: npt.NDArray[np.bool_], generators: Sequence[str | None], least: int) -> None:
        self.standing = np.full(scores.shape, np.nan)
        self.beaten = np.full(scores.shape, np.nan)
        foreign = ~mentioned
        beyond = scores - ((scores * foreign).sum(axis=1) / np.maximum(foreign.sum(axis=1), 1))[:, None]
        for generator in dict.fromkeys(generators):
            mine = np.array([name == generator for name in generators], np.bool_)
            for name in range(scores.shape[1]):
                others = np.sort(beyond[mine & foreign[:, name], name])
                if len(others) < least or not others.std() > 0:
                    continue
                own = beyond[mine, name]
                self.standing[mine, name] = (own - others.mean()) / others.std()
                self.beaten[mine, name] = (len(others) - np.searchsorted(others, own, "left")) / len(others)


def by_model(inputs: ProbeInput[Any], told: AllPrompted, texts: Sequence[str], alarm: float) -> tuple[list[Presence], list[str]]:
    """A reading of every group; and the names that too few pictures leave out, whose prompts could not be read."""
    scores = np.asarray(inputs.images @ inputs.texts(texts).T, np.float64)
    standings = Standings(scores, told.mentioned, told.generators, round(1 / alarm))
    unread = [name for name, column in zip(told.names, standings.standing.T, strict=True) if np.isnan(column).any()]
    readings = []
    for group in told.groups:
        own = np.take_along_axis(standings.standing[group.rows], group.objects, axis=1)
        known = np.isfinite(own).all(axis=1)
        if known.any():
            some = among(group, known)
            beaten = standings.beaten[some.rows]
            present = np.take_along_axis(beaten, some.objects, axis=1) <= alarm
            foreign = ~told.mentioned[some.rows] & np.isfinite(beaten)
            alarms = float((beaten[foreign] <= alarm).mean())
            readings.append(Presence(MODEL, some, present.astype(float), _first_of(own[known]), alarms, int(foreign.sum())))
    return readings, unread


def by_objects(inputs: ProbeInput[Any], told: AllPrompted) -> list[Presence]:
    """The same from what the dataset says is seen, where it says so: the most prominent thing is the one of the largest area."""
    if not inputs.dataset.has("objects"):
        return []
    seen, number = areas_by_name(inputs.dataset), {name: place for place, name in enumerate(told.names)}
    if not any(seen):
        return []  # nobody has looked, rather than that no picture shows anything
    areas = np.zeros((len(inputs.dataset), len(told.names)))
    for row, things in enumerate(seen):
        for name, area in things.items():
            if name in number:
                areas[row, number[name]] = area
    readings = []
    for group in told.groups:
        own = np.take_along_axis(areas[group.rows], group.objects, axis=1)
        foreign = ~told.mentioned[group.rows]
        alarms = float((areas[group.rows] > 0)[foreign].mean()) if foreign.any() else 0.0
        readings.append(Presence(OBJECTS, group, (own > 0).astype(float), _first_of(own), alarms, int(foreign.sum())))
    return readings


def among(group: Prompted, chosen: npt.NDArray[np.bool_]) -> Prompted:
    return Prompted(group.generator, group.rows[chosen], group.objects[chosen], group.sets[chosen], group.units[chosen])


def _first_of(values: Doubles) -> Doubles:
    """[N, n]: the credit of the largest of each row, shared by equals; none where all are 0, nothing having been seen."""
    best = values == values.max(axis=1, keepdims=True)
    return np.asarray(np.where(np.any(values, axis=1, keepdims=True), best / best.sum(axis=1, keepdims=True), 0.0))
