"""A least-recently-used cache with a limit in bytes. `functools.lru_cache` counts entries, but a map for 512 pixels is as
large as sixty for 64 pixels."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class KeptMaps(Generic[P, T]):
    """A cached function. `held` is the size of the cache in bytes, never more than `most`."""

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
        made = self._make(*args, **named)  # two threads may both compute it, with the same result
        with self._lock:
            if key not in self._kept:
                self._kept[key] = made
                self.held += self._weigh(made)
            while self.held > self._most:
                self.held -= self._weigh(self._kept.popitem(last=False)[1])
        return made


def kept(most: int, weigh: Callable[[T], int]) -> Callable[[Callable[P, T]], KeptMaps[P, T]]:
    """Decorate a pure function with a cache of `most` bytes."""
    return lambda make: KeptMaps(make, weigh, most)
