"""Vectors from a shelf, as the arrays that probes work on."""

from collections.abc import Sequence

from eyechart.arrays import Floats
from eyechart.encode.shelf import Key, Shelf


def gather(shelf: Shelf, keys: Sequence[Key]) -> Floats:
    """[n, d] in the order of `keys`, repeats and all; KeyError for the first that the shelf lacks."""
    return shelf.get(keys)
