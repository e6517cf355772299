"""The progress of an examination, in a small file of its folder, so that another process can show it."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from eyechart.errors import EyechartError
from eyechart.files.records import read_json
from eyechart.progress import Progress, Task

FILE = ".progress.json"
_EVERY = 1.0  # seconds between two writes


@dataclass(frozen=True)
class TaskProgress:
    """How far a task is.

    title: What is done.
    done: Items that are done.
    total: All items; None where unknown.
    unit: What is counted.
    """

    title: str
    done: int
    total: int | None
    unit: str


class RecordedProgress:
    """A progress that passes everything on and writes how far the current task is, at most once a second.

    Args:
        progress: Where it is shown.
        folder: The folder of the run.
    """

    def __init__(self, progress: Progress, folder: Path) -> None:
        self._progress, self._path = progress, folder / FILE

    @contextmanager
    def task(self, title: str, total: int | None, unit: str) -> Iterator[Task]:
        now = TaskProgress(title, 0, total, unit)
        _write(self._path, now)
        with self._progress.task(title, total, unit) as task:
            yield _RecordedTask(task, now, self._path)

    def line(self, text: str) -> None:
        self._progress.line(text)


class _RecordedTask:
    def __init__(self, task: Task, now: TaskProgress, path: Path) -> None:
        self._task, self._now, self._path = task, now, path
        self._last = time.monotonic()

    def advance(self, n: int = 1) -> None:
        self._task.advance(n)
        self._now = TaskProgress(self._now.title, self._now.done + n, self._now.total, self._now.unit)
        if time.monotonic() - self._last >= _EVERY:
            self._last = time.monotonic()
            _write(self._path, self._now)


@contextmanager
def recorded_progress(progress: Progress, folder: Path) -> Iterator[RecordedProgress]:
    """A progress that is recorded in a run's folder until the work ends."""
    try:
        yield RecordedProgress(progress, folder)
    finally:
        (folder / FILE).unlink(missing_ok=True)


def read_progress(folder: Path) -> TaskProgress | None:
    """How far the current task of a run is; None where nothing is recorded. Whether it still runs, its lock says."""
    try:
        content = read_json(folder / FILE, remedy="wait")
        return TaskProgress(str(content["title"]), int(content["done"]), content["total"], str(content["unit"]))
    except (EyechartError, ValueError, KeyError, TypeError):
        return None  # it was removed, or is being written


def _write(path: Path, now: TaskProgress) -> None:
    """Not synced to the disk: after a crash nobody needs it."""
    draft = path.with_name(f"{FILE}.draft")
    draft.write_text(json.dumps(asdict(now)), encoding="utf-8")
    draft.replace(path)
