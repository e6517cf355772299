"""Right and wrong answers under corruption, counted up: by cell, by corruption, over all, and beside those of AlexNet."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share
from eyechart.metrics.intervals.mover import Estimate
from eyechart.probes.tasks.corrupted_rows import Corrupted


@dataclass(frozen=True)
class CorruptionTable:
    """`right`: of the corrupted rows; `clean_right`: of the same pictures as they are, and of others of the source."""

    found: Corrupted
    right: Flags
    clean_right: Flags

    @cached_property
    def cells(self) -> list[tuple[int, int, Indices]]:
        return self.found.cells()

    @cached_property
    def clean(self) -> ClusteredShare | None:
        """Accuracy on the pictures as they are, None where there are none."""
        return clustered_share(self.clean_right, self.found.clean_units) if len(self.clean_right) else None

    def severities(self, corruption: int) -> list[int]:
        return [severity for c, severity, _ in self.cells if c == corruption]

    def error(self, corruption: int, severity: int) -> ClusteredShare:
        rows = next(rows for c, s, rows in self.cells if (c, s) == (corruption, severity))
        return clustered_share(~self.right[rows], self.found.units[rows])

    def mean(self, hits: Flags, corruption: int | None = None, by: Mapping[str, float] | None = None) -> ClusteredShare:
        """The mean share of hits over severities and then over corruptions (or of one), each divided by its value in `by`, where
        corruptions that it does not name are left out."""
        cells = [cell for cell in self.cells if corruption in (None, cell[0]) and (by is None or self.found.names[cell[0]] in by)]
        of = np.array([c for c, _, _ in cells])
        weights = 1 / np.bincount(of)[of] / len(np.unique(of))
        if by is not None:
            weights = weights / np.array([by[self.found.names[c]] for c in of])
        rows = np.concatenate([rows for _, _, rows in cells])
        groups = np.repeat(np.arange(len(cells)), [len(rows) for _, _, rows in cells])
        return clustered_share(hits[rows], self.found.units[rows], groups=groups, weights=weights)

    def mean_at(self, severity: int) -> Estimate:
        """The mean error at a severity, over the corruptions that have it."""
        cells = [rows for _, s, rows in self.cells if s == severity]
        rows, groups = np.concatenate(cells), np.repeat(np.arange(len(cells)), [len(rows) for rows in cells])
        return clustered_share(~self.right[rows], self.found.units[rows], groups=groups).estimate

    @cached_property
    def errors(self) -> list[ClusteredShare]:
        """Of each corruption, mean over its severities."""
        return [self.mean(~self.right, c) for c in range(len(self.found.names))]

    @cached_property
    def accuracies(self) -> list[ClusteredShare]:
        return [self.mean(self.right, c) for c in range(len(self.found.names))]
