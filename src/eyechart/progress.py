"""How far the work is: done of total, the rate, time left. Rooms speak to `Progress`; who runs them picks its looks."""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TextIO

_PLAIN_EVERY = 10.0  # seconds between two lines where there is no terminal to redraw


class Task(Protocol):
    def advance(self, n: int = 1) -> None: ...


class Progress(Protocol):
    def task(self, title: str, total: int | None, unit: str) -> AbstractContextManager[Task]:
        """One piece of work; `total` is None where it cannot be known."""


class _Silence:
    def advance(self, n: int = 1) -> None:
        """Nobody is looking."""


class SilentProgress:
    @contextmanager
    def task(self, title: str, total: int | None, unit: str) -> Iterator[Task]:
        yield _Silence()


class _PlainTask:
    def __init__(self, stream: TextIO, title: str, total: int | None, unit: str) -> None:
        self._stream, self._title, self._total, self._unit = stream, title, total, unit
        self._done = 0
        self._start = self._last = time.monotonic()

    def advance(self, n: int = 1) -> None:
        self._done += n
        now = time.monotonic()
        if now - self._last >= _PLAIN_EVERY:
            self._last = now
            self._say(now, finished=False)

    def finish(self) -> None:
        self._say(time.monotonic(), finished=True)

    def _say(self, now: float, *, finished: bool) -> None:
        seconds = now - self._start
        rate = self._done / seconds if seconds > 0 else 0.0
        of = f"/{self._total:,}" if self._total is not None else ""
        line = f"{self._title}: {self._done:,}{of} {self._unit}, {rate:,.1f}/s"
        if finished:
            line += f", took {spell_seconds(seconds)}"
        elif self._total is not None and rate > 0:
            line += f", {spell_seconds((self._total - self._done) / rate)} left"
        print(line, file=self._stream, flush=True)


def spell_seconds(seconds: float) -> str:
    """75 → '1:15', 3700 → '1:01:40'."""
    minutes, rest = divmod(max(0, round(seconds)), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


class _BarTask:
    """Rates are taken over the whole task: encoders work in bursts of a batch, and a short window would jump about."""

    def __init__(self, bar: object, task_id: int) -> None:
        self._bar, self._id = bar, task_id
        self._done = 0
        self._start = time.monotonic()

    def advance(self, n: int = 1) -> None:
        self._done += n
        rate = self._done / max(time.monotonic() - self._start, 1e-9)
        self._bar.update(self._id, completed=self._done, rate=f"{rate:,.1f}/s")  # type: ignore[attr-defined]


class TerminalProgress:
    """A bar on a terminal; elsewhere (a log file, CI) a plain line at most every ten seconds and one at the end."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream if stream is not None else sys.stderr

    @contextmanager
    def task(self, title: str, total: int | None, unit: str) -> Iterator[Task]:
        if self._stream.isatty():
            with self._bar(title, total, unit) as task:
                yield task
            return
        plain = _PlainTask(self._stream, title, total, unit)
        try:
            yield plain
        finally:
            plain.finish()

    @contextmanager
    def _bar(self, title: str, total: int | None, unit: str) -> Iterator[Task]:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[unit]}", markup=False),
            TextColumn("{task.fields[rate]}", markup=False),
            TimeRemainingColumn(),
        )
        with Bar(*columns, console=Console(file=self._stream), refresh_per_second=4) as bar:
            yield _BarTask(bar, bar.add_task(title, total=total, unit=unit, rate=""))
