"""A memory for maps that are dear to make: those used last, up to a number of bytes. `functools.lru_cache` counts entries, and a
map for a picture of 512 pixels is as large as sixty for one of 64."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class KeptMaps(Generic[P, T]):
    """A function that remembers. `held` is the weight of what it remembers now, in bytes, and never more than `most`."""

    def __init__(self, make: Callable[P, T], weigh: Callable[[T], int], most: int) -> None:
        self._make, self._weigh, self._most = make, weigh, most
        self._kept: OrderedDict[Hashable, T] = OrderedDict()
        self._lock = Lock()
        self.held = 0

    def __call__(self, *args: P.args, **named: P.kwargs) -> T:
        key = (args, *named.items())
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key]
        made = self._make(*args, **named)  # two threads may both make it, which is no harm: they make the same
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self.held += self._weigh(made)
            while self.held > self._most:
                self.held -= self._weigh(self._kept.popitem(last=False)[1])
        return made


def kept(most: int, weigh: Callable[[T], int]) -> Callable[[Callable[P, T]], KeptMaps[P, T]]:
    """Decorate a pure function with a memory of `most` bytes."""
    return lambda make: KeptMaps(make, weigh, most)
