"""Cosines of all pictures with class vectors, kept column by column, so that a changed class costs one column."""

from collections import OrderedDict
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices

Places = npt.NDArray[np.int32]  # half the size of other indices: a suggestion holds hundreds of lists of them

_SPARE = 32  # columns of dropped classes that are kept, so that undo costs nothing
_AT_ONCE = 64  # columns that are computed together
_BLOCK = 1 << 22  # products held at once


class ScoreColumns:
    """One contiguous column of n cosines for each class vector.

    Args:
        vectors: Unit vectors of the pictures [n, d].
    """

    def __init__(self, vectors: Floats) -> None:
        self._vectors = vectors
        self._columns: OrderedDict[bytes, Floats] = OrderedDict()

    def __len__(self) -> int:
        """How many columns are kept."""
        return len(self._columns)

    @property
    def nbytes(self) -> int:
        return sum(column.nbytes for column in self._columns.values())

    def columns(self, class_vectors: Floats, duplicates: Indices) -> list[Floats]:
        """The column of every class. Duplicate classes share one, so that they tie exactly."""
        keys = [class_vectors[first].tobytes() for first in duplicates]
        new = {key: class_vectors[first] for key, first in zip(keys, duplicates, strict=True) if key not in self._columns}
        self._add(list(new), list(new.values()))
        for key in keys:
            self._columns.move_to_end(key)
        found = [self._columns[key] for key in keys]
        while len(self._columns) > len(set(keys)) + _SPARE:
            self._columns.popitem(last=False)
        return found

    def _add(self, keys: Sequence[bytes], vectors: Sequence[Floats]) -> None:
        if len(keys) <= 2:  # the usual case while typing
            for key, vector in zip(keys, vectors, strict=True):
                self._columns[key] = self._vectors @ vector
            return
        for key, column in zip(keys, self.passing(np.stack(vectors)), strict=True):
            self._columns[key] = column.copy()  # not a view, or one kept column would keep them all

    def passing(self, class_vectors: Floats) -> Iterator[Floats]:
        """The column of every class vector, without keeping them."""
        for first in range(0, len(class_vectors), _AT_ONCE):
            weights = np.ascontiguousarray(class_vectors[first : first + _AT_ONCE].T)
            made = np.empty((weights.shape[1], len(self._vectors)), np.float32)
            rows = max(1, _BLOCK // len(made))
            for start in range(0, len(self._vectors), rows):
                made[:, start : start + rows] = (self._vectors[start : start + rows] @ weights).T
            yield from made


def first_best(columns: Sequence[Floats]) -> tuple[Places, Floats]:
    """The first column with the highest value in every row, as argmax over a matrix of them; and that value."""
    best, place = columns[0].copy(), np.zeros(len(columns[0]), np.int32)
    for number, column in enumerate(columns[1:], start=1):
        higher = column > best
        np.copyto(best, column, where=higher)
        np.copyto(place, number, where=higher)
    return place, best


def best_with_one_more(place: Places, best: Floats, column: Floats, at: int) -> Places:
    """What `first_best` gives after a column is inserted before column `at`."""
    shifted = place + (place >= at)
    wins = (column > best) | ((column == best) & (place >= at))
    return np.where(wins, np.int32(at), shifted)


def best_after_change(columns: Sequence[Floats], place: Places, best: Floats, changed: Sequence[Floats]) -> tuple[Places, Floats]:
    """What `first_best(changed)` gives, from what it gave for `columns`.

    A column that stays is the same array in both. Only rows whose best column is dropped are searched again, and only columns
    that are new are compared with the best so far. Where the columns that stay change their order, everything is searched.
    """
    new = {id(column): at for at, column in reversed(list(enumerate(changed)))}  # the first place of each
    moved = np.array([new.get(id(column), -1) for column in columns], np.int32)
    stays = [at for at in dict.fromkeys(moved.tolist()) if at >= 0]
    known = {id(column) for column in columns}
    added = sorted(at for key, at in new.items() if key not in known)
    if not stays or stays != sorted(stays) or len(added) > len(changed) // 4:
        return first_best(changed)
    place, best = moved[place], best.copy()
    lost = np.flatnonzero(place < 0)
    if len(lost):
        again, value = first_best([changed[at][lost] for at in stays])
        place[lost], best[lost] = np.array(stays, np.int32)[again], value
    for at in added:
        column = changed[at]
        wins = (column > best) | ((column == best) & (place > at))
        np.copyto(best, column, where=wins)
        np.copyto(place, np.int32(at), where=wins)
    return place, best
