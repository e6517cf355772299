"""Progress of long work: done of total, rate, time left. Packages report to `Progress`; the caller chooses how it is shown."""

import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Protocol, TextIO

from eyechart.notice import one_line

_PLAIN_EVERY = 10.0  # seconds between two lines where there is no terminal to redraw


class Task(Protocol):
    """One piece of work in progress."""

    def advance(self, n: int = 1) -> None:
        """Report that `n` more items are done."""


class Progress(Protocol):
    """Shows the progress of tasks."""

    def task(self, title: str, total: int | None, unit: str) -> AbstractContextManager[Task]:
        """Begin a task; `total` is None where it is unknown."""

    def line(self, text: str) -> None:
        """Show one line of text."""


class _SilentTask:
    def advance(self, n: int = 1) -> None:
        """Show nothing."""


class SilentProgress:
    """Shows nothing."""

    @contextmanager
    def task(self, title: str, total: int | None, unit: str) -> Iterator[Task]:
        yield _SilentTask()

    def line(self, text: str) -> None:
        """Show nothing."""


class _PlainTask:
    def __init__(self, stream: TextIO, title: str, total: int | None, unit: str) -> None:
        self._stream, self._title, self._total, self._unit = stream, one_line(title), total, unit
        self._done = 0
        self._start = self._last = time.monotonic()

    def advance(self, n: int = 1) -> None:
        self._done += n
        now = time.monotonic()
        if now - self._last >= _PLAIN_EVERY:
            self._last = now
            self._print(now, finished=False)

    def finish(self) -> None:
        self._print(time.monotonic(), finished=True)

    def _print(self, now: float, *, finished: bool) -> None:
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
    """A progress bar. The rate is that of the whole task: encoders work in batches, and a short window would fluctuate."""

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

    def line(self, text: str) -> None:
        print(one_line(text), file=self._stream, flush=True)

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
            yield _BarTask(bar, bar.add_task(one_line(title), total=total, unit=unit, rate=""))
