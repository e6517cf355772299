# ruff: noqa: E501 - commands and figures, one a line
"""`python -m torture --minutes 3`: all attacks within the given time. Exit code 1 where one of them succeeds."""

import argparse
import errno
import json
import os
import shutil
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from eyechart.notice import one_line
from torture.commands import TURNS, examine_once, in_turn, remove, writing_commands
from torture.corpus import keep
from torture.crashes import crash
from torture.endpoint import endpoints
from torture.fuzz import fuzz
from torture.growth import MOST, growth
from torture.layouts import generic_datasets, published_datasets
from torture.other_layouts import CLIP_TABLE, examinations, models, texts_and_plans
from torture.processes import share_store
from torture.rot import rot
from torture.slow_commands import untried

SEED = 1
PARTS = ("fuzz", "rot", "crash", "faults", "processes", "growth")
SHARES = {"fuzz": 0.5, "crash": 0.3, "faults": 0.15, "processes": 0.05}  # of the time; the others take as long as they take
SHORT = 300.0  # seconds of kills; with fewer, a part of the commands takes its turn
MEMORY, ROOM = Path("/dev/shm"), 2 << 30  # bytes that must be free there
LEAST = 40  # kills
FAULTS = (errno.ENOSPC, errno.EROFS, errno.EACCES, errno.EDQUOT, errno.EIO)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__)
    parser.add_argument("--minutes", type=float, default=3.0)
    parser.add_argument("--seed", type=int, default=SEED, help="another seed makes other inputs, kills and flips")
    parser.add_argument("--only", choices=PARTS, action="append")
    parser.add_argument("--flips", type=int, default=200, help="bit flips of each kind of file")
    parser.add_argument("--turn", type=int, default=0, help="which third of the commands a short run kills; any number")
    parser.add_argument("--points", type=int, help="crash points of each command; by default as many as the time allows")
    parser.add_argument(
        "--slow", action="store_true", help="also commands of which one run takes long: demo, export, world train …"
    )
    parser.add_argument("--keep", type=Path, help="write inputs that fail into this folder")
    args = parser.parse_args()
    parts = args.only or PARTS
    timed = {part: SHARES[part] for part in parts if part in SHARES}
    seconds = {part: 60 * args.minutes * share / sum(timed.values()) for part, share in timed.items()}
    work = _work_folder()
    print(f"folder     {work}")
    try:
        return _attack(parts, args, seconds, work)
    finally:
        remove(work)


def _work_folder() -> Path:
    """A folder in memory where there is room and TMPDIR names no other: on a disk, three quarters of the time are waits for it.
    A killed process loses nothing of what it wrote, in memory or not."""
    roomy = "TMPDIR" not in os.environ and MEMORY.is_dir() and os.access(MEMORY, os.W_OK)
    roomy = roomy and shutil.disk_usage(MEMORY).free > ROOM
    return Path(tempfile.mkdtemp(prefix="eyechart-torture-", dir=MEMORY if roomy else None))


def _attack(parts: list[str], args: argparse.Namespace, seconds: dict[str, float], work: Path) -> int:
    failures: list[str] = []
    run, store = examine_once(work / "once")
    if "growth" in parts:
        for name, (small, large) in growth().items():
            print(f"growth     {name}: {small:,} calls, {large:,} for four times as many ({large / small:.1f})")
            failures += [f"growth: {name} grows by {large / small:.1f}"] if large > MOST * small else []
    if "rot" in parts:
        study = _study(work)
        (work / "rot").mkdir()
        for name, rotten in rot(run, store, study, work / "rot", args.seed, args.flips).items():
            print(
                f"rot        {name}: {rotten.flips} flips, {rotten.same} the same, {rotten.refused} noticed, {len(rotten.different)} different"
            )
            failures += [f"rot: {name}: {one}" for one in rotten.different]
    undisturbed: dict[str, tuple[Any, int]] = {}
    commands = writing_commands(work / "once", slow=args.slow) if {"crash", "faults"} & set(parts) else []
    if commands and max(seconds.get(part, 0) for part in ("crash", "faults")) < SHORT:
        every, commands = len(commands), in_turn(commands, args.turn)
        print(
            f"commands   {len(commands)} of {every}, part {args.turn % TURNS + 1} of {TURNS}; --turn {args.turn + 1} has others, and more minutes all"
        )
    for part, faults in (("crash", ()), ("faults", FAULTS)):
        if part in parts:
            until = time.monotonic() + seconds[part]
            ended = crash(
                commands,
                work / part,
                args.seed,
                until,
                args.points,
                faults=faults,
                undisturbed=undisturbed,
                least=0 if faults else LEAST,
            )
            points = ", ".join(f"{name} {count}" for name, count in ended.points.items())
            print(
                f"{part:10} {ended.kills} {'faults' if faults else f'kills ({ended.again} of a repeated command)'}, {len(ended.failures)} failures; changes of the disk: {points}"
            )
            failures += [f"{part}: {one}" for one in ended.failures]
            for command in untried(args.slow):
                print(f"{part:10} skipped: {command}")
    if "processes" in parts:
        shared = share_store(work / "once", work / "processes", args.seed, time.monotonic() + seconds["processes"])
        print(
            f"processes  {shared.rounds} rounds of 2 or 4 processes on one store, {shared.processes} processes, {shared.kills} kills, {len(shared.failures)} failures"
        )
        failures += [f"processes: {one}" for one in shared.failures]
    if "fuzz" in parts:
        targets = [*generic_datasets(), *published_datasets(), *texts_and_plans(), *models(), *examinations(run), *endpoints()]
        found = fuzz(targets, args.seed, time.monotonic() + seconds["fuzz"])
        print(
            f"fuzz       {found.inputs:,} inputs of {len(found.by_target)} kinds: {found.read:,} read, {found.refused:,} refused, {len(found.failures)} failures"
        )
        for one in found.failures:
            failures.append(
                f"fuzz: {one.target} {one.number}: {one.site} {one.detail.strip().splitlines()[-1] if one.detail else ''}"
            )
            if args.keep:
                keep(next(t for t in targets if t.name == one.target), args.seed, one, args.keep)
    for failure in failures[:50]:
        print(f"FAILED     {one_line(failure)}", file=sys.stderr)
    print(json.dumps({"seed": args.seed, "minutes": args.minutes, "failures": len(failures)}))
    return 1 if failures else 0


def _study(work: Path) -> Path:
    from eyechart.study.importers.registry import TABLES
    from eyechart.study.sources import open_tables
    from eyechart.study.study_file import add_to_study

    (work / "r.csv").write_bytes(CLIP_TABLE)
    add_to_study(work / "study.parquet", [TABLES.get("open_clip")(open_tables([str(work / "r.csv")])).table])
    return work / "study.parquet"


if __name__ == "__main__":
    sys.exit(main())
