# ruff: noqa: E501 - commands and figures, one a line
"""The commands that write, on small data, for crash points and faults of the disk."""

import contextlib
import io
import os
import shutil
from collections.abc import Sequence
from pathlib import Path

from torture.crashes import Command, examination_of, files_in
from torture.more_commands import more_commands
from torture.other_layouts import CLIP_TABLE
from torture.photos import write_photos
from torture.saving_commands import saving_commands
from torture.slow_commands import slow_commands

TURNS = 3
EXAMINE = ("examine", "--model", "demo:", "--data", "photos", "--out", "out", "--prompts", "single", "--probes", "zero_shot,calibration",
            "--batch-size", "4", "--workers", "1", "--quiet")  # fmt: skip


def make_photos(folder: Path) -> Path:
    write_photos(folder, each=5, side=20)
    (folder / "square" / "broken.png").write_bytes(b"no picture")
    return folder


def examine_once(work: Path) -> tuple[Path, Path]:
    """The folder and the store of a finished examination. It runs in a fork: threads of the network must not be forked later."""
    photos = make_photos(work / "photos")
    pid = os.fork()
    if not pid:
        try:
            os.chdir(work)
            os.environ["EYECHART_STORE"] = str(work / "store")
            from eyechart.cli.main import main

            with contextlib.redirect_stdout(io.StringIO()):
                main(list(EXAMINE))
        finally:
            os._exit(0)
    os.waitpid(pid, 0)
    assert photos.is_dir() and (work / "out" / "findings.parquet").is_file(), "the examination did not finish"
    return work / "out", work / "store"


def writing_commands(work: Path, *, slow: bool = False) -> list[Command]:
    """Every kind of command that writes; with `slow`, also those that take long. `work` holds what `examine_once` made."""
    photos, out, store = work / "photos", work / "out", work / "store"
    (work / "table").mkdir(exist_ok=True)
    (work / "table" / "r.csv").write_bytes(CLIP_TABLE)
    shutil.copytree(out, work / "other", dirs_exist_ok=True)
    return [
        *more_commands(work),
        *saving_commands(work),
        *(slow_commands(work) if slow else ()),
        Command("examine", EXAMINE, examination_of, prepare=(photos,)),
        Command("examine again", EXAMINE, examination_of, prepare=(photos, out, store)),
        Command("encode --shard", ("encode", "--model", "demo:", "--data", "photos", "--shard", "0/1", "--shard-size", "4", "--quiet"),
                stored_keys, prepare=(photos,)),
        Command("report", ("report", "out"), files_in("out/report"), prepare=(out,)),
        Command("report --export csv", ("report", "out", "--export", "csv", "--to", "csv"), files_in("csv"), prepare=(out,)),
        Command("predictions", ("predictions", "out", "--csv", "--out", "p.csv"), files_in("p.csv"), prepare=(out,)),
        Command("compare --out", ("compare", "out", "other", "--out", "compared"), files_in("compared"), prepare=(out, work / "other")),
        Command("gate", ("gate", "out", "--fail-if", "top1 < 0", "--junit", "gate.xml", "--summary", "gate.md"), files_in("gate.xml", "gate.md"),
                prepare=(out,)),
        Command("corrupt", ("corrupt", "photos", "bad", "--corruption", "gaussian_blur", "--severity", "1", "--workers", "1", "--quiet"),
                files_in("bad"), prepare=(photos,)),
        Command("world render", ("world", "render", "--dataset", "world-objects", "--n", "3", "--quiet", "scenes"), files_in("scenes"),
                again=("--overwrite",)),
        Command("study add", ("study", "add", "--from", "open_clip", "table/r.csv"), files_in("study.parquet"), prepare=(work / "table",)),
        Command("store compact", ("store", "compact"), lambda place: None, prepare=(store,)),
    ]  # fmt: skip


def in_turn(commands: Sequence[Command], turn: int) -> list[Command]:
    """A third of the commands, another one each turn. One run of each of them takes as long as a short attack."""
    return list(commands[turn % TURNS :: TURNS])


def stored_keys(place: Path) -> list[str]:
    """The keys of all picture vectors in the store of a trial, each as often as it is stored."""
    from eyechart.store import Store

    segments = [s for shelf in Store(place / "store").shelves() if shelf.label.role == "image" for s in shelf.refresh()]
    return sorted(bytes(key).hex() for segment in segments for block in segment.blocks for key in block.keys)


def remove(work: Path) -> None:
    shutil.rmtree(work, ignore_errors=True)
