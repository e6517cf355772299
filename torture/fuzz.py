"""Fuzzing: mutated inputs are read in forked workers, so that a native crash is counted and does not end the run.

Every input is a function of (seed, target, number); a failure can be repeated from these three alone. An input must be read, or
refused with an EyechartError. Anything else is a failure: another exception, a signal, or no end within the time limit.
"""

import json
import math
import os
import random
import select
import shutil
import signal
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from eyechart.errors import EyechartError
from torture.layouts import Files, Target
from torture.mutations import mutate

SECONDS = 10  # for one input on an idle machine; the slowest usual ones take well below one
BATCH = 200


@dataclass(frozen=True)
class Failure:
    """An input that was neither read nor refused.

    target: What was read.
    number: Which input.
    site: Exception and place, or the signal; failures with the same site have the same cause.
    detail: The end of the traceback.
    """

    target: str
    number: int
    site: str
    detail: str


@dataclass
class Outcome:
    """Counts over all inputs.

    read: Inputs that were read.
    refused: Inputs that were refused with an error of ours.
    failures: The others.
    by_target: Inputs per target.
    """

    read: int = 0
    refused: int = 0
    failures: list[Failure] = field(default_factory=list)
    by_target: Counter[str] = field(default_factory=Counter)

    @property
    def inputs(self) -> int:
        return self.read + self.refused + len(self.failures)


class TooLong(BaseException):
    """Raised by the alarm in a worker."""


def time_limit() -> int:
    """Seconds for one input: more where other processes want the same cores. A start of an interpreter, as for `.mat` files, is
    no hang where it has to wait for its turn."""
    return math.ceil(SECONDS * max(1.0, os.getloadavg()[0] / (os.cpu_count() or 1)))


def mutated(target: Target, seed: int, number: int) -> tuple[Files, list[str]]:
    """The files of one input, and what becomes of the file system besides."""
    rng = random.Random(f"{seed}/{target.name}/{number}")
    names = target.mutable()
    changed = dict(target.files)
    chosen = rng.sample(names, 1 if rng.random() < 0.85 else min(2, len(names)))
    places: list[str] = []
    for name in chosen:
        if rng.random() < 0.06:
            places.append(f"{rng.choice(('pipe', 'folder', 'loop', 'dangling', 'away', 'gone', 'outside', 'hidden'))}:{name}")
        else:
            changed[name] = mutate(name, changed[name], rng)
    return changed, places


def write(folder: Path, files: Files, places: Sequence[str]) -> None:
    for name, data in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    for place in places:
        kind, _, name = place.partition(":")
        path = folder / name
        if not path.parent.is_dir():  # moved away before
            continue
        path.unlink()
        if kind == "pipe":
            os.mkfifo(path)
        elif kind == "folder":
            path.mkdir()
        elif kind == "loop":
            path.symlink_to(path.name)
        elif kind == "dangling":
            path.symlink_to("nothing")
        elif kind == "outside":
            path.symlink_to("/etc/hostname")
        elif kind == "away":
            path.parent.rename(path.parent.with_name("away")) if path.parent != folder else None
        elif kind == "hidden":
            path.with_name(f".{path.name}").write_bytes(b"x")


def fuzz(targets: Sequence[Target], seed: int, until: float, most: int | None = None) -> Outcome:
    """Read mutated inputs of all targets in turn until the time is over, or `most` inputs of each."""
    outcome = Outcome()
    begin = 0
    while time.monotonic() < until and (most is None or begin < most):
        for target in targets:
            if time.monotonic() >= until:
                break
            first, last = int(begin * target.share), int((begin + BATCH) * target.share)
            if most is not None:
                last = min(last, int(most * target.share))
            for number, site, detail in run_batch(target, seed, first, last):
                outcome.by_target[target.name] += 1
                if site == "read":
                    outcome.read += 1
                elif site == "refused":
                    outcome.refused += 1
                else:
                    outcome.failures.append(Failure(target.name, number, site, detail))
        begin += BATCH
    return outcome


def run_batch(target: Target, seed: int, begin: int, end: int) -> Iterator[tuple[int, str, str]]:
    """Number, outcome and detail of every input. A worker that dies is replaced, and goes on with the next input."""
    while begin < end:
        last = begin - 1
        reading, pid = _fork(target, seed, begin, end)
        with os.fdopen(reading, "rb") as results:
            while (found := _next(results)) is not None:
                yield found
                last = found[0]
            hung = _next.hung  # type: ignore[attr-defined]
        if hung:
            os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        if last < end - 1:
            cause = "no end" if hung else f"signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else f"exit {status}"
            yield last + 1, f"{cause} in {target.name}", ""
            last += 1
        begin = last + 1


def _next(results: object) -> tuple[int, str, str] | None:
    """The next result of a worker; None at its end, or where it gives no sign of life."""
    _next.hung = False  # type: ignore[attr-defined]
    ready, _, _ = select.select([results], [], [], 2 * time_limit())
    if not ready and not results.peek(1):  # type: ignore[attr-defined]
        _next.hung = True  # type: ignore[attr-defined]
        return None
    line = results.readline()  # type: ignore[attr-defined]
    if not line.endswith(b"\n"):  # the worker ended
        return None
    number, outcome, trace = json.loads(line)
    return number, outcome, trace


def _fork(target: Target, seed: int, begin: int, end: int) -> tuple[int, int]:
    reading, writing = os.pipe()
    pid = os.fork()
    if pid:
        os.close(writing)
        return reading, pid
    os.close(reading)
    try:
        with os.fdopen(writing, "wb") as results:
            null = os.open(os.devnull, os.O_WRONLY)
            os.dup2(null, 2)  # native libraries complain there
            for number in range(begin, end):
                found = json.dumps((number, *attempt(target, *mutated(target, seed, number))))
                results.write(found.encode("ascii") + b"\n")
                results.flush()
    finally:
        os._exit(0)


def attempt(target: Target, files: Files, places: Sequence[str] = ()) -> tuple[str, str]:
    """ "read", "refused" or the site of the failure, and the end of its traceback."""
    work = Path(tempfile.mkdtemp(prefix="eyechart-fuzz-", dir="/dev/shm" if Path("/dev/shm").is_dir() else None))
    (work / "in").mkdir()
    signal.signal(signal.SIGALRM, _alarm)
    try:
        write(work / "in", files, places)
        signal.alarm(time_limit())
        target.use(work / "in")
        return "read", ""
    except EyechartError as error:
        str(error)
        return "refused", ""
    except TooLong:
        return f"no end in {target.name}", traceback.format_exc()[-1500:]
    except BaseException as error:  # noqa: BLE001 - whatever it is, it is counted
        frames = [f for f in traceback.extract_tb(error.__traceback__) if "/eyechart/" in f.filename]
        at = f"{Path(frames[-1].filename).name}:{frames[-1].name}:{frames[-1].lineno}" if frames else "?"
        return f"{type(error).__name__} in {at}", traceback.format_exc()[-1500:]
    finally:
        signal.alarm(0)
        shutil.rmtree(work, ignore_errors=True)


def _alarm(number: int, frame: object) -> None:
    raise TooLong
