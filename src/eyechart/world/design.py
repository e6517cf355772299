"""A balanced design: every name equally often at every place of a row and in every rank of size."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Row:
    """Numbers of names from left to right, and the rank of each by size: 0 is the largest."""

    names: tuple[int, ...]
    ranks: tuple[int, ...]


def balanced_rows(names: int, objects: int, rng: np.random.Generator) -> Iterator[Row]:
    """Rows of `objects` out of `names` different names, without end; there must be enough names.

    Over the first `names` × `objects` rows, the next so many and so on, every name has every place in every rank exactly once. In
    between, no two of these counts differ by more than one."""
    while True:
        # A Latin square, its lines, columns and signs shuffled. A line says which rank stands where.
        lines, columns, signs = (rng.permutation(objects) for _ in range(3))
        ranks = signs[(lines[:, None] + columns[None, :]) % objects]
        # For each line all names stand in a ring, and a row takes those at some steps from one that goes round it.
        rings = [rng.permutation(names) for _ in range(objects)]
        steps = [rng.permutation(names)[:objects] for _ in range(objects)]
        for turn in range(names):
            for line in range(objects):
                chosen = rings[line][(turn + steps[line]) % names]
                yield Row(tuple(map(int, chosen)), tuple(map(int, ranks[line])))
