"""The effect of position: the same objects, named at different positions of a prompt."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles


@dataclass(frozen=True)
class OrderEffects:
    """`values[s]`: the change of one set of objects, between −1 and 1 for outcomes between 0 and 1; `sets[s]`: its number."""

    values: Doubles
    sets: Counts


def order_effects(
    outcome: npt.ArrayLike, objects: Counts, sets: Counts, here: Sequence[int], there: Sequence[int]
) -> OrderEffects:
    """How much an outcome rises when an object is named at the positions `here` rather than `there`.

    `outcome` [N, n] and `objects` [N, n] are of the object named at position k of prompt i; prompts with equal numbers in
    `sets` name the same objects. For object o of set s, d_so is the mean outcome over prompts that name it here minus that over
    prompts that name it there; the change of the set is the mean of d_so over the objects named in both ways. A set without
    such an object is left out. Where every object is at every position equally often, the mean over sets is the difference of
    the shares of the positions.

    >>> order_effects([[1, 0], [1, 0]], np.array([[4, 7], [7, 4]]), np.array([0, 0]), [0], [1]).values
    array([1.])
    """
    outcome, objects, sets = np.asarray(outcome, np.float64), np.asarray(objects), np.asarray(sets)
    keys = np.stack([np.broadcast_to(sets[:, None], objects.shape), objects], axis=-1).reshape(-1, 2)
    known, group = np.unique(keys, axis=0, return_inverse=True)
    group = group.reshape(objects.shape)

    def means(turns: Sequence[int]) -> Doubles:
        of = group[:, list(turns)].ravel()
        sums, sizes = np.bincount(of, outcome[:, list(turns)].ravel(), len(known)), np.bincount(of, minlength=len(known))
        with np.errstate(invalid="ignore"):
            return np.asarray(sums / sizes, np.float64)

    changes = means(here) - means(there)
    told = np.isfinite(changes)
    numbers, index = np.unique(known[told, 0], return_inverse=True)
    values = np.bincount(index, changes[told]) / np.bincount(index) if len(numbers) else np.empty(0)
    return OrderEffects(np.asarray(values, np.float64), numbers.astype(np.int64))
