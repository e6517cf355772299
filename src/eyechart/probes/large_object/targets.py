"""What the things of a scene are looked for among: pictures of one thing each, or the names themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.data.dataset import Dataset
from eyechart.metrics.vectors import unit
from eyechart.probes.probe import CanEncode, ProbeInput
from eyechart.probes.tasks.objects import plain_name, single_objects

PICTURES, NAMES = "pictures", "names"


@dataclass(frozen=True)
class Targets:
    """One unit vector a name. `against`: "pictures" or "names"; `source`: the datasets that pictures come from; `pictures`: how
    many there are of each name, at most."""

    against: str
    names: tuple[str, ...]
    vectors: Floats
    source: str = ""
    pictures: int = 0

    def numbers(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        """Where these names stand among the targets; -1 for one that is not there."""
        place = {name: number for number, name in enumerate(self.names)}
        return np.array([place.get(name, -1) for name in names], np.int64)


def picture_targets(inputs: ProbeInput[Any], names: Sequence[str], most: int, seed: int) -> Targets | None:
    """The normalised mean of the vectors of each name's pictures: all of them, or `most` drawn at random.

    From the datasets whose role it is; where there is none, from the first other one of the plan that shows one thing in every
    picture and all the names among them. None where there is neither."""
    sources = inputs.companions_of("targets") or _single_sets(inputs, names)
    found: dict[str, list[Floats]] = {}
    for source in sources:
        for name, vector in zip(single_objects(source.dataset), source.images, strict=True):
            if name:
                found.setdefault(name, []).append(vector)
    if len(found) < 2:
        return None
    rng = np.random.default_rng(seed)
    chosen = {n: [v[int(i)] for i in rng.permutation(len(v))[: most or None]] for n, v in sorted(found.items())}
    means = unit(np.stack([np.mean(vectors, axis=0, dtype=np.float64) for vectors in chosen.values()]).astype(np.float32))
    come_from = ", ".join(source.dataset.name for source in sources)
    return Targets(PICTURES, tuple(chosen), means, come_from, max(map(len, chosen.values())))


def _single_sets(inputs: ProbeInput[Any], names: Sequence[str]) -> list[ProbeInput[Any]]:
    for other in inputs.companions.values():
        if other.dataset.role != "exam" or other.dataset.name == inputs.dataset.name:
            continue
        there = single_objects(other.dataset)
        if all(there) and set(names) <= set(there):
            return [other]
    return []


def heard_names(dataset: Dataset, names: Sequence[str], can_encode: CanEncode) -> list[str]:
    """Those of the names that the model has vectors for, and the names of the dataset's classes, where it has any."""
    listed = [plain_name(c.name) for c in dataset.classes] if dataset.classes else []
    return [name for name in dict.fromkeys([*names, *listed]) if can_encode([name])]


def name_targets(inputs: ProbeInput[Any], names: Sequence[str]) -> Targets | None:
    """The names as texts, bare."""
    heard = heard_names(inputs.dataset, names, inputs.can_encode)
    return Targets(NAMES, tuple(heard), inputs.texts(heard)) if len(heard) > 1 else None
