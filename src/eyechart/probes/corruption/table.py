"""Accuracy and error rates under corruption: by cell, by corruption, over all, and relative to AlexNet."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share
from eyechart.metrics.intervals.mover import Estimate
from eyechart.probes.tasks.corrupted_rows import CorruptedSet


@dataclass(frozen=True)
class CorruptionTable:
    """Correct predictions on corrupted and clean pictures.

    found: The corrupted set.
    predicted: The predicted class of each corrupted row.
    correct: Whether each corrupted row is classified correctly.
    clean_correct: Whether each clean row is.
    """

    found: CorruptedSet
    predicted: Indices
    correct: Flags
    clean_correct: Flags

    @cached_property
    def cells(self) -> list[tuple[int, int, Indices]]:
        return self.found.cells()

    @cached_property
    def clean(self) -> ClusteredShare | None:
        """Accuracy on clean pictures; None where there are none."""
        return clustered_share(self.clean_correct, self.found.clean_units) if len(self.clean_correct) else None

    def severities(self, corruption: int) -> list[int]:
        return [severity for c, severity, _ in self.cells if c == corruption]

    def error(self, corruption: int, severity: int) -> ClusteredShare:
        rows = next(rows for c, s, rows in self.cells if (c, s) == (corruption, severity))
        return clustered_share(~self.correct[rows], self.found.units[rows])

    def mean(self, hits: Flags, corruption: int | None = None, by: Mapping[str, float] | None = None) -> ClusteredShare:
        """The mean share of hits over severities, then over corruptions.

        Args:
            hits: Flags of the corrupted rows.
            corruption: One corruption; all where None.
            by: A divisor for each corruption. Corruptions without one are left out.
        """
        cells = [cell for cell in self.cells if corruption in (None, cell[0]) and (by is None or self.found.names[cell[0]] in by)]
        of = np.array([c for c, _, _ in cells])
        weights = 1 / np.bincount(of)[of] / len(np.unique(of))
        if by is not None:
            weights = weights / np.array([by[self.found.names[c]] for c in of])
        rows = np.concatenate([rows for _, _, rows in cells])
        groups = np.repeat(np.arange(len(cells)), [len(rows) for _, _, rows in cells])
        return clustered_share(hits[rows], self.found.units[rows], groups=groups, weights=weights)

    def mean_at(self, severity: int) -> Estimate:
        """The mean error rate at a severity, over the corruptions that have it."""
        cells = [rows for _, s, rows in self.cells if s == severity]
        rows, groups = np.concatenate(cells), np.repeat(np.arange(len(cells)), [len(rows) for rows in cells])
        return clustered_share(~self.correct[rows], self.found.units[rows], groups=groups).estimate

    @cached_property
    def errors(self) -> list[ClusteredShare]:
        """The error rate of each corruption, mean over its severities."""
        return [self.mean(~self.correct, c) for c in range(len(self.found.names))]

    @cached_property
    def accuracies(self) -> list[ClusteredShare]:
        return [self.mean(self.correct, c) for c in range(len(self.found.names))]
