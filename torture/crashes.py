"""Crash points: a command is killed at its n-th change of the disk, then run again. The result must be as without the kill.

Once all points are tried, commands are killed twice: at one point, and again at a random change of the repeated command.

Faults of the disk (full, read-only, no permission) come at the same points; then the command must end with a sentence.

A change is an open for writing, an fsync, a rename, a removal or a new folder. Python's audit hook sees all but fsync, which is
wrapped. Files that Arrow writes are seen when they are synced and renamed.
"""

import errno
import gc
import hashlib
import importlib
import os
import random
import shutil
import signal
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

_CHANGES = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.link", "os.symlink", "os.truncate"}
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT
# Loaded before the first fork: a command then costs what it does, not what it imports.
_LOADED = (
    "exam",
    "exam_work",
    "cli.main",
    "inputs",
    "report.page",
    "study",
    "world.datasets.open",
    "probes.zero_shot",
    "probes.calibration",
)


@dataclass(frozen=True)
class Command:
    """A command that writes.

    name: Its name in the figures.
    arguments: Its arguments; {work} is the folder of the trial.
    again: What is added to repeat it after a kill.
    result: What must be the same, read from the folder of the trial.
    prepare: Copied into the folder of the trial beforehand.
    refuses: Whether it never replaces a complete result: repeated after the last change, it may refuse with exit code 2.
    most: The points to try at most, where one run takes long; None for all.
    call: What is called with the arguments; None for the command line.
    loads: Packages that it needs, imported before the first fork.
    """

    name: str
    arguments: Sequence[str]
    result: Callable[[Path], Any]
    again: Sequence[str] = ()
    prepare: Sequence[Path] = ()
    refuses: bool = False
    most: int | None = None
    call: Callable[[Sequence[str]], int] | None = None
    loads: Sequence[str] = ()


@dataclass
class CrashOutcome:
    """Counts over all kills.

    points: Command → its changes of the disk.
    kills: Kills.
    again: Those that hit a command while it was repeated after a kill.
    failures: Kills after which something was not as it should be.
    """

    points: dict[str, int] = field(default_factory=dict)
    kills: int = 0
    again: int = 0
    failures: list[str] = field(default_factory=list)


def crash(
    commands: Sequence[Command],
    work: Path,
    seed: int,
    until: float,
    most: int | None = None,
    *,
    faults: Sequence[int] = (),
    undisturbed: dict[str, tuple[Any, int]] | None = None,
    least: int = 0,
) -> CrashOutcome:
    """Kill the commands at random points until the time is over, each at `most` points: first one point of each command, then
    a second one of each, and so on.

    With None, at all points, and then twice until the time is over.
    On a busy machine up to twice as long, until there are `least` kills.
    With `faults`, error numbers of the disk, the change fails in place of a kill.
    `undisturbed` has the result of each command without a kill and its changes of the disk; what is missing is added.
    """
    _load([name for command in commands for name in command.loads])
    outcome, rng = CrashOutcome(), random.Random(f"crash {seed}")
    undisturbed = {} if undisturbed is None else undisturbed
    at_last = 2 * until - time.monotonic()
    ranked: list[tuple[int, Command, int]] = []
    for command in commands:
        if command.name not in undisturbed:
            place = _fresh(work, command)
            status, count = _run(command, place, command.arguments)
            if status != 0:
                outcome.failures.append(f"{command.name}: ends with {status} without a kill")
                continue
            undisturbed[command.name] = command.result(place), count
        count = outcome.points[command.name] = undisturbed[command.name][1]
        points = rng.sample(range(1, count + 1), count)
        points = points[: min(filter(None, (most, command.most)), default=None)]
        ranked += [(rank, command, point) for rank, point in enumerate(points)]
    rng.shuffle(ranked)
    waiting = [(command, point) for _, command, point in sorted(ranked, key=lambda one: one[0])]
    for command, point in waiting:
        if time.monotonic() >= (until if outcome.kills >= least else at_last):
            break
        outcome.kills += 1
        fault = rng.choice(faults) if faults else None
        if problem := _kill_and_repeat(command, point, work, undisturbed[command.name][0], fault):
            how = f"{errno.errorcode[fault]} at" if fault else "killed at"
            outcome.failures.append(f"{command.name}, {how} change {point}: {problem}")
    while waiting and most is None and not faults and time.monotonic() < until:
        command, point = rng.choice(waiting)
        _kill_twice(command, point, rng, work, undisturbed[command.name][0], outcome)
    return outcome


def _load(more: Sequence[str]) -> None:
    for name in (*(f"eyechart.{name}" for name in _LOADED), *more):
        importlib.import_module(name)
    importlib.import_module("onnxruntime")
    gc.collect()
    gc.freeze()


def _kill_twice(command: Command, point: int, rng: random.Random, work: Path, expected: Any, outcome: CrashOutcome) -> None:
    """Kill a command, and the same command again while it continues; count both kills."""
    place = _fresh(work, command)
    status, count = _run(command, place, command.arguments, kill_at=point)
    outcome.kills += status == -signal.SIGKILL
    second = rng.randint(1, outcome.points[command.name] - count + 1)
    status, _ = _run(command, place, (*command.arguments, *command.again), kill_at=second)
    if status == -signal.SIGKILL:
        outcome.kills, outcome.again = outcome.kills + 1, outcome.again + 1
    elif status != 0 and not (command.refuses and status == 2):
        outcome.failures.append(f"{command.name}, killed at change {point}: repeated, it ended with {status}")
        return
    if problem := _repeat(command, place, expected):
        outcome.failures.append(f"{command.name}, killed at changes {point} and {second}: {problem}")


def _kill_and_repeat(command: Command, point: int, work: Path, expected: Any, fault: int | None) -> str | None:
    place = _fresh(work, command)
    status, _ = _run(command, place, command.arguments, kill_at=point, fault=fault)
    said = (place / "errors").read_text(errors="replace")
    if fault is None and status not in (0, -signal.SIGKILL):
        return f"the killed command ended with {status}"
    if fault is not None and (status not in range(8) or "Traceback" in said):
        return f"it ended with {status}: {said[-600:]}"
    if fault is not None and status and "eyechart: " not in said:
        return f"it ended with {status} and no sentence: {said[-300:]}"
    return _repeat(command, place, expected)


def _repeat(command: Command, place: Path, expected: Any) -> str | None:
    """Run a command that was interrupted again. Returns what is not as it should be."""
    status, _ = _run(command, place, (*command.arguments, *command.again))
    if status != 0 and not (command.refuses and status == 2 and command.result(place) == expected):
        return f"the repeated command ended with {status}: {(place / 'errors').read_text()[-300:]}"
    if command.result(place) != expected:
        return "its result is different"
    if command.name.startswith(("examine", "encode", "run", "lint", "repair")):
        status, _ = _run(command, place, ("store", "verify"))
        if status != 0:
            return f"store verify ended with {status}"
        _run(command, place, ("store", "gc"))
    left = [
        str(path.relative_to(place))
        for path in place.rglob("*")
        if path.name.endswith(".tmp") or path.name.startswith(".unfinished")
    ]
    return f"it left {left[0]}" if left else None


def _fresh(work: Path, command: Command) -> Path:
    place = work / "trial"
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    for source in command.prepare:
        copy = shutil.copytree if source.is_dir() else shutil.copy2
        copy(source, place / source.name)
    return place


def _run(
    command: Command, place: Path, arguments: Sequence[str], kill_at: int | None = None, fault: int | None = None
) -> tuple[int, int]:
    """The exit code of a command, negative for a signal, and its changes of the disk."""
    call = None if arguments[:1] == ("store",) else command.call
    return start(place, [argument.format(work=place) for argument in arguments], kill_at, fault, call=call).finish()


@dataclass(frozen=True)
class Running:
    """A command in a process of its own.

    pid: The process.
    changes: A pipe that gets a byte for every change of the disk.
    """

    pid: int
    changes: int

    def finish(self) -> tuple[int, int]:
        """Wait for it: its exit code, negative for a signal, and its changes of the disk."""
        with os.fdopen(self.changes, "rb") as counted:
            count = len(counted.read())
        _, status = os.waitpid(self.pid, 0)
        return os.waitstatus_to_exitcode(status), count


def start(
    place: Path,
    arguments: Sequence[str],
    kill_at: int | None = None,
    fault: int | None = None,
    errors: str = "errors",
    call: Callable[[Sequence[str]], int] | None = None,
) -> Running:
    """Start a command in a fork, with all imported. What it says goes to the file `errors`.

    `call` is called with the arguments in place of the command line."""
    reading, writing = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(reading)
        code = 1
        try:
            code = _child(arguments, place, writing, kill_at, fault, errors, call)
        finally:
            os._exit(code)
    os.close(writing)
    return Running(pid, reading)


def _child(
    arguments: Sequence[str],
    place: Path,
    counted: int,
    kill_at: int | None,
    fault: int | None,
    said: str,
    call: Callable[[Sequence[str]], int] | None,
) -> int:
    os.chdir(place)
    os.environ |= {"EYECHART_STORE": str(place / "store"), "EYECHART_STUDY": str(place / "study.parquet"), "COLUMNS": "100"}
    errors = os.open(place / said, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(errors, 2)
    seen = 0

    def change() -> None:
        nonlocal seen
        seen += 1
        os.write(counted, b".")
        if seen == kill_at and fault is not None:
            raise OSError(fault, os.strerror(fault))
        if seen == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event: str, details: tuple[Any, ...]) -> None:
        if event in _CHANGES or (event == "open" and isinstance(details[2], int) and details[2] & _WRITING):
            change()

    plain = os.fsync

    def fsync(fd: int) -> None:
        change()
        plain(fd)

    os.fsync = fsync
    sys.addaudithook(hook)
    from eyechart.cli.main import main

    code = (call or main)(arguments)
    sys.stdout.flush()
    sys.stderr.flush()
    return code


def examination_of(place: Path, out: str = "out") -> Any:
    """Findings, skips, predictions and exhibits of the examination in the folder `out`."""
    tables = {name: pq.read_table(place / out / f"{name}.parquet").to_pylist() for name in ("findings", "skips", "predictions")}
    shown = {
        str(p.relative_to(place / out)): repr(pq.read_table(p, partitioning=None).to_pylist())
        for p in (place / out).glob("exhibits/*/*.parquet")
    }
    return repr(tables), shown


def files_in(*names: str) -> Callable[[Path], Any]:
    """The hash of every file at or below these names; of Parquet files, their rows. Locks, and the stamp of a page, which has
    times, are left out."""

    def read(place: Path) -> Any:
        files = [path for name in names for path in sorted([place / name, *(place / name).rglob("*")]) if path.is_file()]
        return {str(path.relative_to(place)): _content(path) for path in files if not path.name.endswith((".lock", ".page.json"))}

    return read


def _content(path: Path) -> str:
    if path.suffix == ".parquet":
        return repr(pq.read_table(path, partitioning=None).to_pylist())
    return hashlib.sha256(path.read_bytes()).hexdigest()
