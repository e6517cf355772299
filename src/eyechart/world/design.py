"""A balanced design: every name equally often at every position and size rank."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Row:
    """One row: indices of names from left to right, and their size ranks (0 is the largest)."""

    names: tuple[int, ...]
    ranks: tuple[int, ...]


def balanced_rows(names: int, objects: int, rng: np.random.Generator) -> Iterator[Row]:
    """An endless sequence of rows of `objects` out of `names` names.

    Over every `names` × `objects` rows, every name has every position in every size rank exactly once. In between, no two of
    these counts differ by more than one."""
    while True:
        # A Latin square with shuffled rows, columns and symbols. A row gives the size rank at every position.
        lines, columns, signs = (rng.permutation(objects) for _ in range(3))
        ranks = signs[(lines[:, None] + columns[None, :]) % objects]
        # For each row of the square, names are arranged in a ring and taken at fixed steps from a moving start.
        rings = [rng.permutation(names) for _ in range(objects)]
        steps = [rng.permutation(names)[:objects] for _ in range(objects)]
        for turn in range(names):
            for line in range(objects):
                chosen = rings[line][(turn + steps[line]) % names]
                yield Row(tuple(map(int, chosen)), tuple(map(int, ranks[line])))
