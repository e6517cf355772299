"""A zero-shot classifier's logits, scale · cosine + bias, given block by block: 50,000 pictures × 1,000 classes never stand in
memory at once."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eyechart.metrics.vectors import Floats

Doubles = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int64]

_BLOCK = 1 << 18  # logits held at once: few enough for what is made of them to stay in the processor's cache


@dataclass(frozen=True)
class Logits:
    """`images` [n, d] and `classes` [C, d], unit length. `twins[c]`: the first class that is the same as c, which gets the very
    same logits (None: no two are)."""

    images: Floats
    classes: Floats
    scale: float
    bias: float = 0.0
    twins: Indices | None = None

    def __len__(self) -> int:
        return len(self.images)

    def take(self, rows: npt.ArrayLike) -> "Logits":
        return replace(self, images=self.images[np.asarray(rows)])

    def choose(self, columns: Indices) -> "Logits":
        """Only these classes can be answered."""
        return replace(self, classes=self.classes[columns], twins=None if self.twins is None else self.twins[columns])

    def blocks(self) -> Iterator[tuple[slice, Doubles]]:
        """Rows and their logits [rows, C]."""
        twins = np.arange(len(self.classes)) if self.twins is None else self.twins
        _, first, column = np.unique(twins, return_index=True, return_inverse=True)
        weights = np.ascontiguousarray(self.classes[first].T)
        rows = max(1, _BLOCK // max(len(twins), 1))
        for start in range(0, len(self), rows):
            block = slice(start, min(start + rows, len(self)))
            # The product is of float32 as the vectors are; what is summed over classes and pictures is float64.
            cosines = (self.images[block] @ weights).astype(np.float64)
            if len(first) < len(twins):
                cosines = cosines[:, column]
            cosines *= self.scale
            cosines += self.bias
            yield block, cosines
