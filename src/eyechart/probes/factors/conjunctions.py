"""Combinations of two conditions with the lowest accuracy: two factors, or a factor and an attribute."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.dataset import Dataset
from eyechart.metrics.intervals.slices import lowest_slice_p_values
from eyechart.probes.tasks.factor_columns import PREFIX, FactorColumns
from eyechart.probes.tasks.parts import parts_of

_VALUES = 20  # attributes with more different values are left out


@dataclass(frozen=True)
class Condition:
    """A factor, or one value of an attribute.

    title: Its name.
    members: The pictures it holds for.
    is_factor: Whether it is a factor.
    """

    title: str
    members: Flags
    is_factor: bool


@dataclass(frozen=True)
class Conjunction:
    """Two conditions that hold together.

    first: The first condition.
    second: The second condition.
    members: The pictures that both hold for.
    p: The p-value of its low accuracy, corrected for all combinations.
    """

    first: Condition
    second: Condition
    members: Flags
    p: float = 1.0

    @property
    def title(self) -> str:
        return f"{self.first.title} & {self.second.title}"

    @property
    def slice(self) -> dict[str, object]:
        return {"factor": self.first.title, "and": self.second.title}


def conditions(dataset: Dataset, factors: FactorColumns, scene: str) -> list[Condition]:
    """Every factor, then every value of the attributes, without the column of scenes."""
    found = [Condition(name, factors.marks[:, f], True) for f, name in enumerate(factors.names)]
    table = dataset.table.drop_columns([c for c in dataset.table.column_names if c.startswith(PREFIX) or c == scene])
    parts = parts_of(Dataset(dataset.name, table, dataset.pictures), most=_VALUES)
    return [*found, *(Condition(part.title, part.members & factors.annotated, False) for part in parts)]


def conjunctions(found: Sequence[Condition], least: int) -> list[Conjunction]:
    """Pairs with at least `least` pictures, one of them a factor. A pair that equals one of its conditions is left out."""
    pairs = []
    for first, second in combinations(found, 2):
        if not (first.is_factor or second.is_factor):
            continue
        both = first.members & second.members
        count = int(both.sum())
        if count >= least and count < min(int(first.members.sum()), int(second.members.sum())):
            pairs.append(Conjunction(first, second, both))
    return pairs


def with_p_values(
    pairs: Sequence[Conjunction], correct: Flags, rows: Indices, units: Indices, *, seed: int, permutations: int
) -> list[Conjunction]:
    """The pairs with p-values from a permutation test, worst first.

    Args:
        pairs: The combinations.
        correct: Which pictures are classified correctly.
        rows: The rows that are permuted: one of each picture.
        units: Rows of one number show one scene and stay together.
        seed: The seed of the permutations.
        permutations: Their number.
    """
    if not pairs:
        return []
    members = np.column_stack([pair.members[rows] for pair in pairs])
    kept = [int(i) for i in np.flatnonzero(members.any(axis=0))]
    p_values = lowest_slice_p_values(correct[rows], members[:, kept], seed=seed, scenes=units[rows], permutations=permutations)
    found = [
        Conjunction(pairs[i].first, pairs[i].second, pairs[i].members, float(p)) for i, p in zip(kept, p_values, strict=True)
    ]
    return sorted(found, key=lambda pair: (pair.p, float(correct[pair.members].mean())))
