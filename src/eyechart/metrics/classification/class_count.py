"""Accuracy as the class list grows: each longer list contains the shorter ones."""

from collections.abc import Iterator

import numpy as np

from eyechart.arrays import Floats, Indices


def class_orders(classes: int, orders: int, *, seed: int) -> Indices:
    """[orders, classes]: random orders of the classes; a list of length k is the first k of one."""
    rng = np.random.default_rng(seed)
    return np.array([rng.permutation(classes) for _ in range(orders)], np.int64)


def list_lengths(classes: int) -> list[int]:
    """2, 5, 10, 20, 50, … and all classes."""
    steps = [m * 10**e for e in range(7) for m in (1, 2, 5)]
    return [*(k for k in steps if 2 <= k < classes), classes]


def first_rivals(scores: Floats, truth: Indices, orders: Indices) -> tuple[Indices, Indices]:
    """[orders, n] each: the position of the true class in an order, and of the first class that scores as high or higher.

    A picture is in a list of length k if its position is below k, and classified correctly if no rival's position is. Ties
    count as errors."""
    n, classes = scores.shape
    own = scores[np.arange(n), truth]
    rival = scores >= own[:, None]
    rival[np.arange(n), truth] = False
    place, first = np.empty((len(orders), n), np.int64), np.empty((len(orders), n), np.int64)
    for o, order in enumerate(orders):
        position = np.empty(classes, np.int64)
        position[order] = np.arange(classes)
        place[o] = position[truth]
        in_order = rival[:, order]
        first[o] = np.where(in_order.any(axis=1), in_order.argmax(axis=1), classes)
    return place, first


def blocks(n: int, size: int = 4096) -> Iterator[slice]:
    for start in range(0, n, size):
        yield slice(start, min(start + size, n))
