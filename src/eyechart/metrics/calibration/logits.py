"""A classifier's logits, given block by block: 50,000 pictures × 1,000 classes never stand in memory at once."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Floats, Indices

_BLOCK = 1 << 18  # logits held at once: few enough for what is made of them to stay in the processor's cache


class LogitBlocks(Protocol):
    """Logits [n, width] that nobody holds whole."""

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
    """Of a zero-shot classifier: scale · cosine + bias. `images` and `classes` [C, d], unit length. `twins[c]`: the first class
    that is the same as c, which gets the very same logits (None: no two are). `rows`: which of the images, in which order (None:
    all); they are fetched block by block, for a copy of a million vectors would not fit beside them."""

    images: Floats
    classes: Floats
    scale: float
    bias: float = 0.0
    twins: Indices | None = None
    rows: Indices | None = None

    def __len__(self) -> int:
        return len(self.images if self.rows is None else self.rows)

    @property
    def width(self) -> int:
        return len(self.classes)

    def take(self, rows: Indices) -> Self:
        return replace(self, rows=np.arange(len(self.images))[rows] if self.rows is None else self.rows[rows])

    def choose(self, columns: Indices) -> Self:
        return replace(self, classes=self.classes[columns], twins=None if self.twins is None else self.twins[columns])

    def blocks(self) -> Iterator[tuple[slice, Doubles]]:
        twins = np.arange(len(self.classes)) if self.twins is None else self.twins
        _, first, column = np.unique(twins, return_index=True, return_inverse=True)
        weights = np.ascontiguousarray(self.classes[first].T)
        rows = max(1, _BLOCK // max(len(twins), 1))
        for start in range(0, len(self), rows):
            block = slice(start, min(start + rows, len(self)))
            images = self.images[block if self.rows is None else self.rows[block]]
            # The product is of float32 as the vectors are; what is summed over classes and pictures is float64.
            logits: Doubles = np.multiply(images @ weights, self.scale, dtype=np.float64)
            if len(first) < len(twins):
                logits = logits[:, column]
            if self.bias:
                logits += self.bias
            yield block, logits


@dataclass(frozen=True)
class ListedLogits:
    """Of a classifier that gives its own: `look(rows)` [rows, classes] for rows of its dataset."""

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
