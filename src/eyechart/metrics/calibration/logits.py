"""A classifier's logits, block by block: 50,000 pictures × 1,000 classes are never in memory at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Floats, Indices

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
    """

    images: Floats
    classes: Floats
    scale: float
    bias: float = 0.0
    duplicates: Indices | None = None
    rows: Indices | None = None

    def __len__(self) -> int:
        return len(self.images if self.rows is None else self.rows)

    @property
    def width(self) -> int:
        return len(self.classes)

    def take(self, rows: Indices) -> Self:
        return replace(self, rows=np.arange(len(self.images))[rows] if self.rows is None else self.rows[rows])

    def choose(self, columns: Indices) -> Self:
        return replace(
            self, classes=self.classes[columns], duplicates=None if self.duplicates is None else self.duplicates[columns]
        )

    def blocks(self) -> Iterator[tuple[slice, Doubles]]:
        duplicates = np.arange(len(self.classes)) if self.duplicates is None else self.duplicates
        _, first, column = np.unique(duplicates, return_index=True, return_inverse=True)
        weights = np.ascontiguousarray(self.classes[first].T)
        rows = max(1, _BLOCK // max(len(duplicates), 1))
        for start in range(0, len(self), rows):
            block = slice(start, min(start + rows, len(self)))
            images = self.images[block if self.rows is None else self.rows[block]]
            # The product is of float32 as the vectors are; what is summed over classes and pictures is float64.
            logits: Doubles = np.multiply(images @ weights, self.scale, dtype=np.float64)
            if len(first) < len(duplicates):
                logits = logits[:, column]
            if self.bias:
                logits += self.bias
            yield block, logits


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
