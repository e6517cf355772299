"""Several examinations at once with one store, of which one is killed. All results must be as those of one alone."""

import random
import shutil
import signal
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torture.commands import EXAMINE
from torture.crashes import examination_of, start

COUNTS = (2, 4)  # processes at once


@dataclass
class SharedStore:
    """Counts over all rounds.

    rounds: Rounds of two or four processes.
    processes: Processes in all of them.
    kills: Processes that were killed.
    failures: What was not as it should be.
    """

    rounds: int = 0
    processes: int = 0
    kills: int = 0
    failures: list[str] = field(default_factory=list)


def share_store(once: Path, work: Path, seed: int, until: float) -> SharedStore:
    """Rounds until the time is over, at least two: one of two and one of four processes.

    Args:
        once: A folder with the photos and the result of one examination, as `examine_once` makes it.
        work: Where to work.
        seed: Which process is killed when.
        until: The time on the monotonic clock.
    """
    found, rng = SharedStore(), random.Random(f"processes {seed}")
    expected = examination_of(once)
    while found.rounds < len(COUNTS) or time.monotonic() < until:
        count = COUNTS[found.rounds % len(COUNTS)]
        found.rounds, found.processes = found.rounds + 1, found.processes + count
        killed, point = rng.randrange(count), rng.randint(1, 280)
        place = work / "trial"
        shutil.rmtree(place, ignore_errors=True)
        shutil.copytree(once / "photos", place / "photos")
        problems = _round(place, count, killed, point, expected, found)
        found.failures += [f"{count} processes, number {killed} killed at change {point}: {one}" for one in problems]
    return found


def _round(place: Path, count: int, killed: int, point: int, expected: Any, found: SharedStore) -> Sequence[str]:
    commands = [_into(f"out{number}") for number in range(count)]
    running = [
        start(place, command, kill_at=point if number == killed else None, errors=f"errors{number}")
        for number, command in enumerate(commands)
    ]
    codes = [one.finish()[0] for one in running]
    problems = [
        f"process {number} ended with {code}: {(place / f'errors{number}').read_text(errors='replace')[-300:]}"
        for number, code in enumerate(codes)
        if code != 0 and not (number == killed and code == -signal.SIGKILL)
    ]
    if codes[killed] == -signal.SIGKILL:
        found.kills += 1
        code, _ = start(place, commands[killed]).finish()
        problems += [f"the repeated command ended with {code}"] if code else []
    if problems:
        return problems
    problems = [f"the result of process {n} is different" for n in range(count) if examination_of(place, f"out{n}") != expected]
    code, _ = start(place, ("store", "verify")).finish()
    return problems + ([f"store verify ended with {code}"] if code else [])


def _into(out: str) -> list[str]:
    """The command with another folder of results."""
    command = list(EXAMINE)
    command[command.index("--out") + 1] = out
    return command
