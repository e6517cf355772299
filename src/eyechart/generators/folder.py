"""The folder of generated pictures: `prompts.jsonl` and `pictures/`. An interrupted run continues with what is missing."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eyechart.errors import UsageError
from eyechart.files.atomic import atomic_path, remove_abandoned, write_text
from eyechart.generators.generator import Generator, KnowsWhatItDrew
from eyechart.generators.prompt_plan import Job
from eyechart.progress import Progress

TABLE = "prompts.jsonl"


def write_prompts(folder: Path, jobs: Sequence[Job], generator: str) -> Path:
    """Write the table only, for pictures that are generated elsewhere and put at the paths it lists."""
    return _write_table(folder, [_row(job, generator) for job in jobs])


def draw_all(folder: Path, jobs: Sequence[Job], generator: Generator, progress: Progress) -> int:
    """Generate the missing pictures; returns their number.

    The table is written first. A folder with another table is refused."""
    rows = [_row(job, generator.name) for job in jobs]
    if isinstance(generator, KnowsWhatItDrew):
        for row, job in zip(rows, jobs, strict=True):
            row["detected"] = list(generator.drawn(job.prompt, job.seed))
    _write_table(folder, rows)
    missing = [job for job in jobs if not (folder / job.file).is_file()]
    with progress.task("drawing", len(missing), "pictures") as task:
        for job in missing:
            with atomic_path(folder / job.file) as unfinished:
                unfinished.write_bytes(generator.draw(job.prompt, job.seed))
            task.advance()
    return len(missing)


def _row(job: Job, generator: str) -> dict[str, Any]:
    prompt = job.prompt
    return {
        "picture": job.file, "prompt": prompt.text, "objects": list(prompt.objects), "generator": generator, "seed": job.seed,
    }  # fmt: skip


def _write_table(folder: Path, rows: Sequence[dict[str, Any]]) -> Path:
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; give a folder")
    remove_abandoned(folder)
    path, text = folder / TABLE, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
    if path.is_file():
        if path.read_text(encoding="utf-8") != text:
            raise UsageError(f"{path} has other prompts, or those of another generator; choose another folder")
    elif folder.is_dir() and any(folder.iterdir()):
        raise UsageError(f"{folder} contains other files; choose a new or empty folder")
    else:
        write_text(path, text)
    return path
