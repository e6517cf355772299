"""A classifier's logits, block by block: 50,000 pictures × 1,000 classes are never in memory at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Floats, Indices
from eyechart.metrics.classification.shared_scores import Cosines, SharedScores

_BLOCK = 1 << 18  # logits held at once: few enough for what is made of them to stay in the processor's cache


class LogitBlocks(Protocol):
    """Logits [n, width], computed in blocks."""

    @property
    def width(self) -> int: ...

    def __len__(self) -> int: ...

    def take(self, rows: Indices) -> Self:
        """Only these rows, in this order."""

    def choose(self, columns: Indices) -> Self:
        """Only these classes can be answered."""

    def blocks(self) -> Iterator[tuple[slice, Doubles]]:
        """Rows and their logits [rows, width], which the caller may change."""


@dataclass(frozen=True)
class CosineLogits:
    """Logits of a zero-shot classifier: scale · cosine + bias.

    images: Unit vectors [n, d].
    classes: Unit vectors [C, d].
    duplicates: For each class the first class with the same vector, which gets exactly the same logits; None where all differ.
    rows: Which images, in which order; None for all. They are fetched block by block, since a copy of a million vectors would not
        fit in memory.
    columns: Which classes can be answered, in which order; None for all.
    shared: Where cosines are kept for other probes; None to compute them each time.
    """

    images: Floats
    classes: Floats
    scale: float
    bias: float = 0.0
    duplicates: Indices | None = None
    rows: Indices | None = None
    columns: Indices | None = None
    shared: SharedScores | None = None

    def __len__(self) -> int:
        return len(self.images if self.rows is None else self.rows)

    @property
    def width(self) -> int:
        return len(self.classes if self.columns is None else self.columns)

    def take(self, rows: Indices) -> Self:
        return replace(self, rows=np.arange(len(self.images))[rows] if self.rows is None else self.rows[rows])

    def choose(self, columns: Indices) -> Self:
        return replace(self, columns=np.arange(len(self.classes))[columns] if self.columns is None else self.columns[columns])

    def cosines(self) -> Iterator[tuple[slice, Floats]]:
        """Rows and their cosines [rows, width], which the caller must not change."""
        found, column = self._distinct()
        everything = np.array_equal(column, np.arange(found.width))
        rows = max(1, _BLOCK // max(self.width, 1))
        for start in range(0, len(self), rows):
            block = slice(start, min(start + rows, len(self)))
            cosines = found.rows(block if self.rows is None else self.rows[block])
            yield block, cosines if everything else cosines[:, column]

    def best(self) -> Indices:
        """The first class with the highest cosine for every picture, as its place among `columns`."""
        best = np.empty(len(self), np.int64)
        for rows, cosines in self.cosines():
            best[rows] = cosines.argmax(axis=1)
        return best

    def blocks(self) -> Iterator[tuple[slice, Doubles]]:
        for rows, cosines in self.cosines():
            # The product is of float32 as the vectors are; what is summed over classes and pictures is float64.
            logits: Doubles = np.multiply(cosines, self.scale, dtype=np.float64)
            if self.bias:
                logits += self.bias
            yield rows, logits

    def _distinct(self) -> tuple[Cosines, Indices]:
        """Cosines with every distinct class, and which of them each of `columns` has. A product may round two equal columns
        differently, so each is computed once."""
        duplicates = np.arange(len(self.classes)) if self.duplicates is None else self.duplicates
        if self.shared is None and self.columns is not None:
            duplicates = duplicates[self.columns]
        _, first, column = np.unique(duplicates, return_index=True, return_inverse=True)
        if self.shared is not None:
            found = self.shared.cosines(self.images, self.classes, first)
            return found, column if self.columns is None else column[self.columns]
        classes = self.classes if self.columns is None else self.classes[self.columns]
        return Cosines(self.images, np.ascontiguousarray(classes[first].T), keep=False), column


@dataclass(frozen=True)
class ListedLogits:
    """Logits of a classifier that gives its own: `look(rows)` [rows, classes] for rows of the dataset."""

    look: Callable[[list[int]], npt.NDArray[np.float32]]
    rows: Indices
    columns: Indices

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def width(self) -> int:
        return len(self.columns)

    def take(self, rows: Indices) -> Self:
        return replace(self, rows=self.rows[rows])

    def choose(self, columns: Indices) -> Self:
        return replace(self, columns=self.columns[columns])

    def blocks(self) -> Iterator[tuple[slice, Doubles]]:
        rows = max(1, _BLOCK // max(self.width, 1))
        for start in range(0, len(self), rows):
            block = slice(start, min(start + rows, len(self)))
            yield block, self.look([int(row) for row in self.rows[block]])[:, self.columns].astype(np.float64)
