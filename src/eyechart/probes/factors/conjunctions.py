"""The search for the two conditions under which a model does worst together: two factors, or a factor and an attribute."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.dataset import Dataset
from eyechart.metrics.intervals.slices import lowest_slice_p_values
from eyechart.probes.tasks.factor_columns import PREFIX, FactorColumns
from eyechart.probes.tasks.parts import parts_of

_VALUES = 20  # different values of an attribute up to which its parts are looked at


@dataclass(frozen=True)
class Condition:
    """A factor, or an attribute's having a value."""

    title: str
    members: Flags
    is_factor: bool


@dataclass(frozen=True)
class Conjunction:
    """Where both conditions hold. `p`: how often chance alone makes some conjunction look as bad as this one does."""

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
    """Every factor, then every value of the attributes; `scene` is the column that says which pictures belong together."""
    found = [Condition(name, factors.marks[:, f], True) for f, name in enumerate(factors.names)]
    table = dataset.table.drop_columns([c for c in dataset.table.column_names if c.startswith(PREFIX) or c == scene])
    parts = parts_of(Dataset(dataset.name, table, dataset.pictures), most=_VALUES)
    return [*found, *(Condition(part.title, part.members & factors.annotated, False) for part in parts)]


def conjunctions(found: Sequence[Condition], least: int) -> list[Conjunction]:
    """Pairs that hold together in at least so many pictures, one of them a factor. Where one condition holds only with the
    other, the two together are no more than that one, and left out."""
    pairs = []
    for first, second in combinations(found, 2):
        if not (first.is_factor or second.is_factor):
            continue
        both = first.members & second.members
        count = int(both.sum())
        if count >= least and count < min(int(first.members.sum()), int(second.members.sum())):
            pairs.append(Conjunction(first, second, both))
    return pairs


def judged(
    pairs: Sequence[Conjunction], right: Flags, rows: Indices, units: Indices, *, seed: int, permutations: int
) -> list[Conjunction]:
    """The pairs, worst first, each with its p-value. `rows` are those whose answers are dealt anew: one of each picture. Rows of
    one number in `units` show one scene."""
    if not pairs:
        return []
    members = np.column_stack([pair.members[rows] for pair in pairs])
    kept = [int(i) for i in np.flatnonzero(members.any(axis=0))]
    p_values = lowest_slice_p_values(right[rows], members[:, kept], seed=seed, scenes=units[rows], permutations=permutations)
    found = [
        Conjunction(pairs[i].first, pairs[i].second, pairs[i].members, float(p)) for i, p in zip(kept, p_values, strict=True)
    ]
    return sorted(found, key=lambda pair: (pair.p, float(right[pair.members].mean())))
