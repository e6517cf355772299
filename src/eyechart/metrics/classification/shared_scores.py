"""Class scores that several probes need: the cosines of the same pictures with the same class vectors are computed once."""

from collections.abc import Callable, Hashable
from typing import TypeVar, cast

import numpy as np

from eyechart.arrays import Floats, Indices

BUDGET = 1 << 31  # bytes of cosines that are kept: 50,000 pictures × 1,000 classes under ten prompt sets
_CHUNK = 1 << 10  # rows that are computed together

Made = TypeVar("Made")


class Cosines:
    """Cosines of pictures [n, d] with the columns of `weights` [d, C], both of unit length. They are computed when their rows are
    first asked for, and kept where there is room.

    Args:
        images: Unit vectors [n, d].
        weights: Unit vectors as columns [d, C].
        keep: Whether to keep what was computed.
    """

    def __init__(self, images: Floats, weights: Floats, *, keep: bool) -> None:
        self._images, self._weights = images, weights
        self._kept = np.empty((len(images), weights.shape[1]), np.float32) if keep else None
        self._done = np.zeros(-(-len(images) // _CHUNK), np.bool_)

    @property
    def width(self) -> int:
        return int(self._weights.shape[1])

    def rows(self, rows: slice | Indices) -> Floats:
        """[rows, C] of these rows. Not to be changed: it may be what is kept."""
        if self._kept is None:
            return np.asarray(self._images[rows] @ self._weights)
        for chunk in self._missing(rows):
            of_chunk = slice(chunk * _CHUNK, (chunk + 1) * _CHUNK)
            np.matmul(self._images[of_chunk], self._weights, out=self._kept[of_chunk])
            self._done[chunk] = True
        found = self._kept[rows]
        found.flags.writeable = False
        return found

    def _missing(self, rows: slice | Indices) -> list[int]:
        if isinstance(rows, slice):
            start, stop, _ = rows.indices(len(self._images))
            wanted = range(start // _CHUNK, -(-stop // _CHUNK))
            return [chunk for chunk in wanted if not self._done[chunk]]
        if self._done.all():
            return []
        return [int(chunk) for chunk in np.unique(rows // _CHUNK) if not self._done[chunk]]


class SharedScores:
    """What the probes of one model and dataset share. Nothing is thrown away to make room: probes go through the same prompt sets
    one after the other, so the set that was used longest ago is the one that is needed next.

    Args:
        budget: How many bytes of cosines are kept. What does not fit is computed each time, block by block.
    """

    def __init__(self, budget: int = BUDGET) -> None:
        self._room = budget
        self._cosines: dict[tuple[int, int], tuple[Cosines, Floats, Floats]] = {}
        self._made: dict[Hashable, object] = {}

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` returned when this key was first used."""
        if key not in self._made:
            self._made[key] = make()
        return cast(Made, self._made[key])

    def cosines(self, images: Floats, classes: Floats, distinct: Indices) -> Cosines:
        """The cosines of pictures [n, d] with those of the classes [C, d] that are `distinct`.

        Arrays are told apart by identity, so they must not be changed, and the same class vectors are always given with the
        same `distinct`.
        """
        key = id(images), id(classes)
        if key not in self._cosines:
            size = 4 * len(images) * len(distinct)
            keep = size <= self._room
            self._room -= size if keep else 0
            weights = np.ascontiguousarray(classes[distinct].T)
            # The arrays are kept as well: another array could get the id of one that is gone.
            self._cosines[key] = Cosines(images, weights, keep=keep), images, classes
        return self._cosines[key][0]
