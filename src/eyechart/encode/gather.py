"""Vectors from a shelf as arrays."""

from collections.abc import Sequence

from eyechart.arrays import Floats
from eyechart.encode.shelf import Key, Shelf


def gather(shelf: Shelf, keys: Sequence[Key]) -> Floats:
    """[n, d] vectors in the order of `keys`, which may repeat; KeyError for the first missing one."""
    return shelf.get(keys)
