"""Which objects a generated picture shows: scored by the examined model, or by annotated objects (exact, or of a detector)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles
from eyechart.probes.contract import ProbeInput
from eyechart.probes.generation.prompted_pictures import PromptedPictures, PromptGroup
from eyechart.probes.tasks.objects import total_areas

MODEL, OBJECTS = "model", "objects"


@dataclass(frozen=True)
class Presence:
    """Presence and prominence of the objects of each prompt.

    by: The scorer: "model" or "objects".
    prompted: The pictures and their prompts.
    present: 1 where the object at this position of the prompt is in the picture [N, n].
    prominent: 1 where it is the most prominent of the named objects; ties share the 1 [N, n].
    alarms: The false positive rate: objects detected that the prompt does not name.
    pairs: How many pairs of a picture and such an object it rests on.
    """

    by: str
    prompted: PromptGroup
    present: Doubles
    prominent: Doubles
    alarms: float
    pairs: int

    @property
    def slice(self) -> dict[str, object]:
        return {**self.prompted.slice, "by": self.by, "objects": self.prompted.count}


class NormalizedScores:
    """Picture–name similarities, normalized by picture and by name.

    Some pictures are close to all names, and some names to all pictures. So the mean over names that the prompt does not have is
    subtracted for each picture. The rest is compared with the negatives: pictures of the same generator whose prompts do not
    name the object. Both results are NaN for a name with fewer than `least` negatives.

    z: The score in standard deviations above the mean of the negatives [rows, names].
    p: The share of negatives that score at least as high [rows, names].
    """

    def __init__(self, scores: Doubles, mentioned: npt.NDArray[np.bool_], generators: Sequence[str | None], least: int) -> None:
        self.z = np.full(scores.shape, np.nan)
        self.p = np.full(scores.shape, np.nan)
        foreign = ~mentioned
        beyond = scores - ((scores * foreign).sum(axis=1) / np.maximum(foreign.sum(axis=1), 1))[:, None]
        for generator in dict.fromkeys(generators):
            mine = np.array([name == generator for name in generators], np.bool_)
            for name in range(scores.shape[1]):
                others = np.sort(beyond[mine & foreign[:, name], name])
                if len(others) < least or not others.std() > 0:
                    continue
                own = beyond[mine, name]
                self.z[mine, name] = (own - others.mean()) / others.std()
                self.p[mine, name] = (len(others) - np.searchsorted(others, own, "left")) / len(others)


def by_model(
    inputs: ProbeInput[Any], pictures: PromptedPictures, texts: Sequence[str], alarm: float
) -> tuple[list[Presence], list[str]]:
    """Presence in every group as the model scores it; and the names with too few negatives, whose prompts are left out."""
    scores = np.asarray(inputs.images @ inputs.texts(texts).T, np.float64)
    normalized = NormalizedScores(scores, pictures.mentioned, pictures.generators, round(1 / alarm))
    unscored = [name for name, column in zip(pictures.names, normalized.z.T, strict=True) if np.isnan(column).any()]
    presences = []
    for group in pictures.groups:
        own = np.take_along_axis(normalized.z[group.rows], group.objects, axis=1)
        known = np.isfinite(own).all(axis=1)
        if known.any():
            some = _subset(group, known)
            p = normalized.p[some.rows]
            present = np.take_along_axis(p, some.objects, axis=1) <= alarm
            foreign = ~pictures.mentioned[some.rows] & np.isfinite(p)
            alarms = float((p[foreign] <= alarm).mean())
            presences.append(Presence(MODEL, some, present.astype(float), _winners(own[known]), alarms, int(foreign.sum())))
    return presences, unscored


def by_objects(inputs: ProbeInput[Any], pictures: PromptedPictures) -> list[Presence]:
    """Presence in every group by the annotated objects; the most prominent object is the one with the largest area."""
    if not inputs.dataset.has("objects"):
        return []
    by_picture, number = total_areas(inputs.dataset), {name: place for place, name in enumerate(pictures.names)}
    if not any(by_picture):
        return []  # an empty column means no annotation, not empty pictures
    areas = np.zeros((len(inputs.dataset), len(pictures.names)))
    for row, by_name in enumerate(by_picture):
        for name, area in by_name.items():
            if name in number:
                areas[row, number[name]] = area
    presences = []
    for group in pictures.groups:
        own = np.take_along_axis(areas[group.rows], group.objects, axis=1)
        foreign = ~pictures.mentioned[group.rows]
        alarms = float((areas[group.rows] > 0)[foreign].mean()) if foreign.any() else 0.0
        presences.append(Presence(OBJECTS, group, (own > 0).astype(float), _winners(own), alarms, int(foreign.sum())))
    return presences


def _subset(group: PromptGroup, chosen: npt.NDArray[np.bool_]) -> PromptGroup:
    return PromptGroup(group.generator, group.rows[chosen], group.objects[chosen], group.sets[chosen], group.units[chosen])


def _winners(values: Doubles) -> Doubles:
    """[N, n]: 1 for the largest of each row, shared by ties; 0 where all values are 0."""
    best = values == values.max(axis=1, keepdims=True)
    return np.asarray(np.where(np.any(values, axis=1, keepdims=True), best / best.sum(axis=1, keepdims=True), 0.0))
