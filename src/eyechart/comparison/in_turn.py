"""The order in which pictures of a comparison are shown."""

from collections import defaultdict
from collections.abc import Callable, Iterable
from typing import TypeVar

Item = TypeVar("Item")


def in_turn(items: Iterable[Item], class_of: Callable[[Item], object]) -> list[Item]:
    """One item of each class, then a second one of each, and so on: datasets are often sorted by class.

    >>> in_turn(["cat 1", "cat 2", "cat 3", "dog 1"], lambda name: name[:3])
    ['cat 1', 'dog 1', 'cat 2', 'cat 3']
    """
    by_class: dict[object, list[Item]] = defaultdict(list)
    for item in items:
        by_class[class_of(item)].append(item)
    longest = max(map(len, by_class.values()), default=0)
    return [of[turn] for turn in range(longest) for of in by_class.values() if turn < len(of)]
