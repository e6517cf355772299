"""How fast a model encodes on a device, measured while it encodes and kept in the store."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from eyechart.progress import Progress, Task
from eyechart.store.store import Store

Unit = Literal["pictures", "texts"]

LEAST = 32  # pictures or texts that a rate is measured on


class RateMeter:
    """A progress that passes everything on and measures how fast a task advances.

    The first batch is left out where there are more: it includes loading the network.
    """

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._times: list[tuple[float, int]] = []

    @contextmanager
    def task(self, title: str, total: int | None, unit: str) -> Iterator[Task]:
        self._times = [(time.monotonic(), 0)]
        with self._progress.task(title, total, unit) as task:
            yield _Measured(task, self._times)

    def line(self, text: str) -> None:
        self._progress.line(text)

    def rate(self) -> float | None:
        """Items a second; None where too few items were done."""
        times = self._times[1:] if len(self._times) > 2 else self._times
        if len(times) < 2:
            return None
        seconds, done = times[-1][0] - times[0][0], sum(n for _, n in times[1:])
        return done / seconds if done >= LEAST and seconds > 0 else None


class _Measured:
    def __init__(self, task: Task, times: list[tuple[float, int]]) -> None:
        self._task, self._times = task, times

    def advance(self, n: int = 1) -> None:
        self._times.append((time.monotonic(), n))
        self._task.advance(n)


def known_rate(store: Store, fingerprint: str, device: str, unit: Unit) -> float | None:
    """Pictures or texts that this model encoded per second on this device; None where it never did."""
    rates = (store.facts(fingerprint) or {}).get("rates", {})
    found = rates.get(device, {}).get(unit)
    return float(found) if found else None


def remember_rate(store: Store, fingerprint: str, device: str, unit: Unit, rate: float) -> None:
    """Keep a rate; the latest one replaces earlier ones."""
    rates = (store.facts(fingerprint) or {}).get("rates", {})
    store.remember_facts(fingerprint, {"rates": {**rates, device: {**rates.get(device, {}), unit: round(rate, 3)}}})
