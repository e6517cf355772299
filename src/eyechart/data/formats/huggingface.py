"""Hugging Face datasets: saved on disk, as a folder of Parquet shards, or from the hub. Dataset scripts are never run."""

import os
import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from eyechart.data.formats.columnar import read_arrow, read_parquet
from eyechart.data.formats.folder import SPLITS
from eyechart.data.pairs import is_pairs
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError, MissingExtra, did_you_mean
from eyechart.files.records import read_json
from eyechart.findings.mark import is_examination

_HUB = re.compile(r"hf://(?:datasets/)?([A-Za-z0-9._-]+/[A-Za-z0-9._-]+)(?:/([A-Za-z0-9._-]+))?")
_SHARD = re.compile(r"(.+?)[-_.]\d+(?:-of-\d+)?(?:-[0-9a-f]+)?")


def is_saved(folder: Path) -> bool:
    return (folder / "state.json").is_file() or (folder / "dataset_dict.json").is_file()


def read_saved(
    folder: Path, *, split: str | None = None, columns: Mapping[str, str] | None = None, root: Path | None = None
) -> RawDataset:
    """Read what `save_to_disk` wrote for a Dataset or a DatasetDict."""
    top = folder
    if (folder / "dataset_dict.json").is_file():
        listed = _names(_json(folder / "dataset_dict.json").get("splits", []), folder / "dataset_dict.json", "splits")
        split = choose_split(split, listed, str(folder))
        folder = folder / split
    entries = _json(folder / "state.json").get("_data_files", [])
    if not isinstance(entries, list) or not entries:
        raise DataError(f"{folder / 'state.json'}: lists no data files; save the dataset again")
    files = [entry.get("filename") if isinstance(entry, dict) else entry for entry in entries]
    paths = [folder / name for name in _names(files, folder / "state.json", "data files")]
    for path in paths:
        # A link in a folder from someone else could lead to any file of this machine.
        if not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(root or top)):
            raise DataError(
                f"{path}: the link leads out of {root or top}; copy the file, or give --root a folder that contains both"
            )
    about = _json(folder / "dataset_info.json").get("features") if (folder / "dataset_info.json").is_file() else None
    features = about if isinstance(about, dict) else None
    reading = read_arrow(paths, columns=columns, root=root, features=features)
    return _as("saved", reading, split)


def parquet_shards(folder: Path) -> dict[str, list[Path]]:
    """The shards of every split, for a folder laid out as on the hub: `data/train-00000-of-00002.parquet`, `train/0.parquet`."""
    found: dict[str, list[Path]] = {}
    for path in sorted(folder.rglob("*.parquet")):
        if any(part.startswith(".") for part in path.relative_to(folder).parts) or is_pairs(path):
            continue
        if any(is_examination(above) for above in path.parents if above.is_relative_to(folder)):
            continue
        shard = _SHARD.fullmatch(path.stem)
        name = shard[1] if shard else path.stem
        if path.parent != folder and (path.parent.name in SPLITS or path.stem.isdigit()):
            name = path.parent.name
        found.setdefault(name, []).append(path)
    return found


def read_parquet_folder(
    folder: Path, *, split: str | None = None, columns: Mapping[str, str] | None = None, root: Path | None = None
) -> RawDataset:
    shards = parquet_shards(folder)
    if not shards:
        raise DataError(f"{folder}: its Parquet files are behind links or hidden; copy them into the folder, or name one file")
    # Names other than splits are parts of one dataset: part-0, part-1, …
    if split is None and not set(shards) & SPLITS:
        return _as(
            "parquet folder", read_parquet([p for paths in shards.values() for p in paths], columns=columns, root=root), None
        )
    split = choose_split(split, list(shards), str(folder))
    return _as("parquet folder", read_parquet(shards[split], columns=columns, root=root), split)


def read_hub(spec: str, *, split: str | None = None, columns: Mapping[str, str] | None = None) -> RawDataset:
    """`hf://owner/name` or `hf://owner/name/split`."""
    found = _HUB.fullmatch(spec)
    if not found:
        raise DataError(f"{spec}: not a dataset of the hub; write hf://owner/name or hf://owner/name/split")
    return _as("hub", fetch(found[1], split or found[2], columns=columns), split or found[2])


def fetch(name: str, split: str | None, *, columns: Mapping[str, str] | None = None) -> RawDataset:
    """Download with the `datasets` package, which stores Arrow files; these are read like any others."""
    try:
        import datasets
    except ImportError:
        raise MissingExtra(f"hf://{name}", "datasets") from None
    try:
        loaded: Any = datasets.load_dataset(name, split=split)
    except (OSError, ValueError, RuntimeError) as error:
        raise DataError(f"hf://{name}: {error}") from error
    if isinstance(loaded, dict):
        loaded = loaded[choose_split(None, list(loaded), f"hf://{name}")]
    files = [Path(entry["filename"]) for entry in loaded.cache_files]
    if not files:
        raise DataError(f"hf://{name}: it has no files on disk; save it with save_to_disk and give that folder")
    return read_arrow(files, columns=columns, features=loaded.features.to_dict())


def choose_split(split: str | None, there: list[str], where: str) -> str:
    if split is None and len(there) == 1:
        return there[0]
    if split is None:
        raise DataError(f"{where}: it has the splits {', '.join(there)}; choose one with --split")
    if split not in there:
        raise DataError(f"{where}: there is no split {split!r}{did_you_mean(split, there)} (there are: {', '.join(there)})")
    return split


def _as(kind: str, reading: RawDataset, split: str | None) -> RawDataset:
    return replace(reading, reader={**reading.reader, "kind": kind, "split": split})


def _names(listed: Any, path: Path, what: str) -> list[str]:
    """A list of names in the file's folder; DataError for anything else."""
    if not isinstance(listed, list):
        raise DataError(f"{path}: its {what} are {listed!r}, not a list of names; save the dataset again")
    for name in listed:
        if not isinstance(name, str) or name in ("", ".", "..") or any(sign in name for sign in "/\\\0"):
            raise DataError(f"{path}: {name!r} in its {what} is not a name in its folder; save the dataset again")
    return listed


def _json(path: Path) -> dict[str, Any]:
    content = read_json(path, remedy="save the dataset again")
    if not isinstance(content, dict):
        raise DataError(f"{path}: not a JSON object; save the dataset again")
    return content
