"""The folder of a rendered dataset: `pictures/`, `depth/` and the table `dataset.parquet`. The table is written last: where it
exists, the rest is complete."""

import json
import re
import shutil
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import pyarrow as pa
import pyarrow.parquet as pq

from eyechart.data.dataset import Dataset
from eyechart.data.pairs import PAIRS_FILE
from eyechart.errors import StoreError, UsageError
from eyechart.files.atomic import atomic_path, is_unfinished
from eyechart.progress import Progress
from eyechart.world.composer import Rendering
from eyechart.world.depth_file import SAYS, encode_depth
from eyechart.world.scene_pictures import encode_picture

TABLE = "dataset.parquet"
_PARTS = ("pictures", "depth")
_UNFINISHED = ".unfinished-"
_PICTURE = re.compile(r"\d{6}\.png")


@runtime_checkable
class Renders(Protocol):
    """Pictures with the ground truth of every pixel."""

    def render(self, row: int) -> Rendering: ...


def write_rendered(
    dataset: Dataset, folder: Path, settings: Mapping[str, Any], progress: Progress, *, overwrite: bool = False
) -> Path:
    """Render every picture of a dataset of the world; returns the path of the table. `settings` go into the table's metadata."""
    if not isinstance(dataset.pictures, Renders):
        raise UsageError(f"{dataset.name} is not a dataset of the world: its pictures are files already")
    old = check_folder(folder, overwrite)
    with _said_in_words(folder):
        folder.mkdir(parents=True, exist_ok=True)
        draft = folder / f"{_UNFINISHED}{uuid.uuid4().hex}"
        try:
            names = _write_pictures(dataset.pictures, len(dataset), draft, progress)
            for path in sorted(old, key=lambda path: path.name != TABLE):  # the table first: without it, nothing looks complete
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            for part in _PARTS:
                (draft / part).rename(folder / part)
        finally:
            shutil.rmtree(draft, ignore_errors=True)
        _write_tables(dataset, names, folder, settings)
    return folder / TABLE


def _write_pictures(pictures: Renders, count: int, draft: Path, progress: Progress) -> list[str]:
    for part in _PARTS:
        (draft / part).mkdir(parents=True)
    names = [f"{row:06d}.png" for row in range(count)]
    with progress.task("rendering", count, "pictures") as task:
        for row, name in enumerate(names):
            rendering = pictures.render(row)
            (draft / "pictures" / name).write_bytes(encode_picture(rendering.picture))
            (draft / "depth" / name).write_bytes(encode_depth(rendering.depth))
            task.advance()
    return names


def _write_tables(dataset: Dataset, names: list[str], folder: Path, settings: Mapping[str, Any]) -> None:
    table = dataset.table.add_column(1, "path", pa.array([f"pictures/{name}" for name in names], pa.string()))
    if "depth" in table.column_names:
        table = table.drop_columns("depth")
    table = table.append_column("depth", pa.array([f"depth/{name}" for name in names], pa.string()))
    about = {"dataset": dataset.name, "depth": SAYS, **settings}
    if dataset.pairs is not None:
        with atomic_path(folder / PAIRS_FILE) as path:
            pq.write_table(dataset.pairs, path)
    with atomic_path(folder / TABLE) as path:
        pq.write_table(table.replace_schema_metadata({"eyechart.world": json.dumps(about, sort_keys=True)}), path)


def check_folder(folder: Path, overwrite: bool) -> list[Path]:
    """The files of an earlier rendering that are replaced; other files never are. UsageError where the folder has other files."""
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is a file; give a folder")
    there = sorted(folder.iterdir()) if folder.is_dir() else []
    if not there:
        return []
    foreign = next((path for path in there if not _is_ours(path)), None)
    if foreign is not None:
        raise UsageError(f"{folder} contains {foreign.name}, which is not part of a rendering; choose a new or empty folder")
    if not overwrite:
        what = "a rendering" if (folder / TABLE).exists() else "an interrupted rendering"
        raise UsageError(f"{folder} already contains {what}; choose another folder, or use --overwrite")
    return there


def _is_ours(path: Path) -> bool:
    if path.is_symlink():
        return False
    if path.name.startswith(_UNFINISHED) and path.is_dir():
        return all(_is_ours(part) for part in path.iterdir())
    if path.name in _PARTS and path.is_dir():
        return all(_PICTURE.fullmatch(file.name) and file.is_file() for file in path.iterdir())
    return (path.name in (TABLE, PAIRS_FILE) or is_unfinished(path)) and path.is_file()


@contextmanager
def _said_in_words(folder: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise StoreError(f"{folder} cannot be written ({error.strerror or error}); choose a folder with enough space") from error
