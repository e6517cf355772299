"""Pictures of a text-to-image model with their prompts: a folder with `prompts.csv`, `.tsv` or `.jsonl`.

Columns: `picture` (the file, relative to the folder), `prompt`, `objects` (what the prompt names, in order of mention: a JSON
list, or names separated by ';'). Optional: `generator`, and `detected`, the objects that a detector found in the picture or that
it was composed of, as a JSON list of {"name", "area" or "box"}. Any other column becomes an attribute."""

import json
import re
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa

from eyechart.data.file_pictures import file_pictures
from eyechart.data.formats.text_table import as_numbers, read_csv, read_jsonl
from eyechart.data.paths import check_paths
from eyechart.data.published.published_set import PublishedSet
from eyechart.data.reading import RawDataset, check_ids
from eyechart.data.rows import as_text
from eyechart.errors import DataError, did_you_mean
from eyechart.notice import Notice, counted

TABLES = ("prompts.jsonl", "prompts.csv", "prompts.tsv")
NEEDED = ("picture", "prompt", "objects")
_DETECTED = pa.list_(pa.struct([("name", pa.string()), ("area", pa.float64()), ("box", pa.list_(pa.float64()))]))

Where = Callable[[int], str]


def read_generated(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Read a folder of generated pictures. `root` is the folder of pictures; by default that of the table."""
    if split is not None:
        raise DataError(f"{folder}: generated pictures have no splits, but split is {split!r}; leave it out")
    path = _table(folder)
    found = read_jsonl(path) if path.suffix == ".jsonl" else read_csv(path)
    names = found.table.column_names
    for name in NEEDED:
        if name not in names:
            raise DataError(f"{path}: there is no column {name!r}{did_you_mean(name, names)} (there are: {', '.join(names)})")

    def where(row: int) -> str:
        return f"{path}, row {found.lines[row]}"

    pictures, prompts = (as_text(found.table.column(name)) for name in ("picture", "prompt"))
    texts = [value or "" for value in prompts.to_pylist()]
    mentioned = [_names(cell, where(row)) for row, cell in enumerate(found.table.column("objects").to_pylist())]
    incomplete = sum(
        _lacks_words(prompt, objects, where(row)) for row, (prompt, objects) in enumerate(zip(texts, mentioned, strict=True))
    )
    columns: dict[str, Any] = {
        "id": pictures,
        "attr.prompt": prompts,
        "attr.mentioned": pa.array(mentioned, pa.list_(pa.string())),
    }
    for name in [name for name in names if name not in (*NEEDED, "detected")]:
        columns[f"attr.{name}"] = found.table.column(name) if path.suffix == ".jsonl" else as_numbers(found.table.column(name))
    if "detected" in names:
        cells = found.table.column("detected").to_pylist()
        columns["objects"] = pa.array([_detected(cell, where(row)) for row, cell in enumerate(cells)], _DETECTED)
    check_ids(pictures, where, "every picture must be listed once")
    check_paths(pictures, root or folder, where, root)
    what = f"{counted(incomplete, 'prompt')} without the name of one of its objects"
    return RawDataset(
        where_all=str(path),
        table=pa.table(columns),
        pictures=file_pictures(root or folder, pictures),
        where=where,
        notices=(Notice(str(path), what, "nothing to do where the prompt uses other words"),) if incomplete else (),
        reader={"kind": "generated", "table": path.name, "root": "given" if root else "the table's folder"},
    )


def _table(folder: Path) -> Path:
    there = [folder / name for name in TABLES if (folder / name).is_file()]
    if len(there) == 1:
        return there[0]
    if not there:
        raise DataError(f"{folder}: it contains no {', '.join(TABLES)}; write one with the columns {', '.join(NEEDED)}")
    raise DataError(f"{folder}: it contains {' and '.join(path.name for path in there)}; keep one of them")


def _names(cell: Any, where: str) -> list[str]:
    names = _listed(cell, where, "objects") if not isinstance(cell, str) or cell.lstrip().startswith("[") else cell.split(";")
    if not all(isinstance(name, str) for name in names):
        raise DataError(f"{where}: 'objects' contains something other than names; write the names in order of mention")
    objects = [name.strip() for name in names if name.strip()]
    if not objects:
        raise DataError(f"{where}: 'objects' is empty; write what the prompt names, such as cat; dog")
    if len({obj.casefold() for obj in objects}) < len(objects):
        raise DataError(f"{where}: 'objects' lists an object twice; write it once, where the prompt names it first")
    return objects


def _lacks_words(prompt: str, objects: Sequence[str], where: str) -> bool:
    """Whether the prompt lacks the name of an object; DataError where it names objects in another order than the list."""
    matches = [re.search(rf"(?<!\w){re.escape(obj)}(?:s|es)?(?!\w)", prompt, re.IGNORECASE) for obj in objects]
    known = [(found.start(), obj) for found, obj in zip(matches, objects, strict=True) if found]
    for (before, first), (after, second) in pairwise(known):
        if after < before:
            raise DataError(f"{where}: the prompt names {second!r} before {first!r}; write 'objects' in order of mention")
    return len(known) < len(objects)


def _detected(cell: Any, where: str) -> list[dict[str, Any]]:
    objects = _listed(cell, where, "detected") if cell is not None else []
    for obj in objects:
        if not isinstance(obj, dict) or not isinstance(obj.get("name"), str):
            raise DataError(f"{where}: 'detected' is a list of objects that have a name, and 'area' or 'box' where known")
    try:
        return [{"name": t["name"], "area": _area(t), "box": t.get("box")} for t in objects]
    except (TypeError, ValueError, IndexError):
        raise DataError(
            f"{where}: 'detected' has an area that is not a number, or a box that is not left, top, right, bottom"
        ) from None


def _area(obj: dict[str, Any]) -> float:
    """The given area, else that of the box in its own unit, else 1 for every object."""
    if obj.get("area") is not None:
        return float(obj["area"])
    if obj.get("box") is None:
        return 1.0
    left, top, right, bottom = (float(side) for side in obj["box"])
    return max(0.0, right - left) * max(0.0, bottom - top)


def _listed(cell: Any, where: str, column: str) -> list[Any]:
    if isinstance(cell, str):
        try:
            cell = json.loads(cell)
        except (ValueError, RecursionError):
            cell = None
    if not isinstance(cell, list):
        raise DataError(f"{where}: {column!r} is not a JSON list; write one, such as {_EXAMPLES[column]}")
    return cell


_EXAMPLES = {"objects": '["cat", "dog"]', "detected": '[{"name": "cat", "box": [10, 20, 90, 120]}]'}


SET = PublishedSet(
    name="generated",
    read=read_generated,
    n=None,
    license="that of the generated pictures",
    about="Pictures of a text-to-image model with their prompts and the objects each prompt names.",
    layout="prompts.csv, prompts.tsv or prompts.jsonl next to the pictures",
    example="generated:generated/",
)
