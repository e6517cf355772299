"""What becomes of a thing when it is named in another turn: the same things in the same company, so that what they are does not
count."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles


@dataclass(frozen=True)
class OrderEffects:
    """`values[s]`: the change of one set of things, from −1 to 1 for outcomes from 0 to 1; `sets[s]`: its number."""

    values: Doubles
    sets: Counts


def order_effects(
    outcome: npt.ArrayLike, objects: Counts, sets: Counts, here: Sequence[int], there: Sequence[int]
) -> OrderEffects:
    r"""How much an outcome rises when a thing is named in the turns `here` rather than `there`.

    `outcome` [N, n] and `objects` [N, n] are of the thing named in turn k of prompt i; prompts of one number in `sets` name the
    same things. For thing o of set s, d_so is the mean outcome over prompts that name it here less that over prompts that name it
    there; the set's change is the mean of d_so over the things that are told both ways. A set none of whose things is (all its
    prompts have one order) says nothing and is left out. Where every thing is named in every turn equally often, the mean over
    sets is the difference of the turns' shares.

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
