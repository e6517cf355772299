"""Unit vectors of all texts that a session has encoded so far. The bank grows; nothing in it is encoded or looked up again."""

from collections.abc import Iterable, Sequence

import numpy as np

from eyechart.arrays import Floats
from eyechart.errors import ModelError
from eyechart.metrics.vectors import unit


class TextBank:
    """Rows are added in blocks, and the array doubles when it is full, so that n additions copy each row about once."""

    def __init__(self) -> None:
        self._rows: dict[str, int] = {}
        self._vectors: Floats = np.empty((0, 0), np.float32)

    @property
    def width(self) -> int:
        """Numbers in a vector; 0 before the first text."""
        return int(self._vectors.shape[1])

    def missing(self, texts: Iterable[str]) -> list[str]:
        """The texts that are not in the bank yet, each once, sorted."""
        return sorted(set(texts).difference(self._rows))

    def add(self, texts: Sequence[str], vectors: Floats) -> None:
        """Keep new texts with their vectors [n, d], which need not have unit length.

        Raises:
            ModelError: If the vectors are not as wide as those of earlier texts.
        """
        if self._rows and vectors.shape[1] != self.width:
            raise ModelError(f"text vectors have {vectors.shape[1]} numbers, and those of earlier texts {self.width}")
        start, end = len(self._rows), len(self._rows) + len(texts)
        if end > len(self._vectors):
            grown = np.empty((max(end, 2 * start), vectors.shape[1]), np.float32)
            grown[:start] = self._vectors[:start] if start else 0
            self._vectors = grown
        self._vectors[start:end] = unit(vectors)
        self._rows.update(zip(texts, range(start, end), strict=True))

    def __call__(self, texts: Sequence[str]) -> Floats:
        """[n, d] unit vectors, in the order of `texts`; KeyError for a text that was not added."""
        vectors: Floats = self._vectors[[self._rows[text] for text in texts]]
        return vectors
