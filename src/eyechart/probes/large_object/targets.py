"""Targets of object retrieval: the mean vector of single-object pictures, or the vector of the name."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.data.dataset import Dataset
from eyechart.metrics.vectors import unit
from eyechart.probes.contract import CanEncode, ProbeInput
from eyechart.probes.tasks.objects import plain_name, single_objects

PICTURES, NAMES = "pictures", "names"


@dataclass(frozen=True)
class Targets:
    """One unit vector for each object name.

    against: "pictures" or "names".
    names: The object names.
    vectors: Their vectors [names, d].
    source: The datasets that the pictures come from.
    pictures: The largest number of pictures of a name.
    """

    against: str
    names: tuple[str, ...]
    vectors: Floats
    source: str = ""
    pictures: int = 0

    def numbers(self, names: Sequence[str]) -> npt.NDArray[np.int64]:
        """The number of the target of each name; -1 for names without a target."""
        place = {name: number for number, name in enumerate(self.names)}
        return np.array([place.get(name, -1) for name in names], np.int64)


def picture_targets(inputs: ProbeInput[Any], names: Sequence[str], most: int, seed: int) -> Targets | None:
    """The normalized mean of the vectors of each object's pictures: all of them, or `most` drawn at random.

    The pictures come from datasets of the role "gallery"; else from the first other dataset of the plan that has single-object
    pictures of all names. None where there is neither.
    """
    sources = inputs.companions_of("gallery") or _single_sets(inputs, names)
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


def encodable_names(dataset: Dataset, names: Sequence[str], can_encode: CanEncode) -> list[str]:
    """The object names and class names that the model can encode."""
    listed = [plain_name(c.name) for c in dataset.classes] if dataset.classes else []
    return [name for name in dict.fromkeys([*names, *listed]) if can_encode([name])]


def name_targets(inputs: ProbeInput[Any], names: Sequence[str]) -> Targets | None:
    """The vectors of the bare names."""
    found = encodable_names(inputs.dataset, names, inputs.can_encode)
    return Targets(NAMES, tuple(found), inputs.texts(found)) if len(found) > 1 else None
