"""A folder of pictures: one subfolder per class, or a flat folder without labels."""

import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unicodedata import normalize

import pyarrow as pa

from eyechart.data.file_pictures import file_pictures, printable
from eyechart.data.picture import EXTENSIONS
from eyechart.data.reading import RawDataset, check_ids
from eyechart.errors import DataError, did_you_mean
from eyechart.findings.mark import is_examination
from eyechart.notice import Notice, counted

SPLITS = frozenset({"train", "training", "val", "valid", "validation", "dev", "test", "testing"})


def read_folder(folder: Path, *, split: str | None = None, root: Path | None = None, layout: bool = False) -> RawDataset:
    """Read a folder of pictures. Labels are the names of its direct subfolders; ids are the paths inside it.

    Args:
        folder: The folder.
        split: A subfolder that holds one split; needed where the folder holds several.
        root: Links may lead anywhere inside this folder; by default the folder itself.
        layout: The caller knows the folder structure, so that no notice about it is needed.

    Returns:
        Rows and pictures, before classes are attached.

    Raises:
        DataError: If the folder holds no picture.

    Example:
        >>> from PIL import Image
        >>> place = Path("pets") / "cat"
        >>> place.mkdir(parents=True)
        >>> Image.new("RGB", (8, 8)).save(place / "1.png")
        >>> read_folder(Path("pets")).table.to_pylist()
        [{'id': 'cat/1.png', 'label': 'cat'}]
    """
    folder, split = _split(folder, split)
    inside = os.path.realpath(root or folder)
    found = _Found()
    _walk(str(folder), "", inside, found, above=(os.path.realpath(folder),))
    if not found.pictures:
        raise DataError(_nothing(folder, found))
    # Sorted by path, so that the order is the same on every file system.
    found.pictures.sort()
    paths = pa.chunked_array([pa.array([os.fsencode(p) for p in found.pictures], pa.large_binary())])
    ids = pa.chunked_array([pa.array([printable(p.replace(os.sep, "/")) for p in found.pictures], pa.string())])
    table = pa.table({"id": ids})
    subfolders = sorted({as_label(name) for name in found.subfolders})
    if any(os.sep in p for p in found.pictures):
        labels = [as_label(p.partition(os.sep)[0]) if os.sep in p else None for p in found.pictures]
        table = table.append_column("label", pa.array(labels, pa.string()))
    else:
        subfolders = []
    pictures = file_pictures(folder, paths, Path(inside))
    check_ids(ids, lambda row: f"{folder}, file {found.pictures[row]!r}", "rename one of the files")
    return RawDataset(
        where_all=str(folder),
        table=table,
        pictures=pictures,
        where=pictures.place,
        labels=tuple(subfolders),
        notices=tuple(found.notices(folder, layout)),
        reader={"kind": "folder", "split": split, "ids": "path in the folder", "labels": "subfolder" if subfolders else None},
    )


def as_label(name: str) -> str:
    """A folder name as a label, with one spelling of accents on every file system (NFC)."""
    return normalize("NFC", printable(name))


@dataclass
class _Found:
    pictures: list[str] = field(default_factory=list)
    subfolders: list[str] = field(default_factory=list)
    others: Counter[str] = field(default_factory=Counter)  # by extension
    led_out: list[str] = field(default_factory=list)
    examinations: list[str] = field(default_factory=list)
    deeper: int = 0

    def notices(self, folder: Path, layout: bool = False) -> Iterator[Notice]:
        if self.others:
            kinds = ", ".join(f"{count} {extension or 'without extension'}" for extension, count in self.others.most_common(5))
            tables = {".csv", ".tsv", ".jsonl", ".parquet"} & set(self.others)
            remedy = "to use a table in this folder, give its path" if tables else ""
            yield Notice(str(folder), f"{counted(self.others.total(), 'file')} other than pictures ignored: {kinds}", remedy)
        if self.led_out:
            what = f"{len(self.led_out)} links lead out of the folder and were not followed, first {printable(self.led_out[0])!r}"
            yield Notice(str(folder), what, "copy the pictures, or give --root a folder that contains both")
        if self.examinations:
            what = f"results of examinations in the folder ignored, first {printable(self.examinations[0])!r}"
            yield Notice(str(folder), what, "keep results apart from pictures: give --out another folder")
        if layout:
            return
        loose = sum(os.sep not in path for path in self.pictures)
        if 0 < loose < len(self.pictures):
            yield Notice(
                str(folder), f"{loose} pictures are in no subfolder and have no label", "move them into a class's subfolder"
            )
        if self.deeper:
            yield Notice(str(folder), f"{self.deeper} pictures are deeper than one subfolder; the topmost one is their label")


def _walk(folder: str, prefix: str, inside: str, found: _Found, above: tuple[str, ...]) -> None:
    """Collect the pictures below a folder. `above` are its parents, with links resolved, to stop at circular links."""
    try:
        entries = list(os.scandir(folder))
    except OSError as error:
        raise DataError(f"{printable(folder)}: the folder cannot be listed ({error.strerror or error})") from error
    for entry in entries:
        if entry.name.startswith("."):
            continue
        path = prefix + entry.name
        real = above[-1] + os.sep + entry.name
        if entry.is_symlink():
            real = os.path.realpath(entry.path)
            if not Path(real).is_relative_to(inside):
                found.led_out.append(path)
                continue
        if _is_folder(entry):
            if is_examination(Path(entry.path)):
                found.examinations.append(path)
            elif real not in above:
                pictures, examinations = len(found.pictures), len(found.examinations)
                _walk(entry.path, path + os.sep, inside, found, (*above, real))
                # An empty folder is a class without pictures; a folder of results only is not a class.
                if not prefix and (len(found.pictures) > pictures or len(found.examinations) == examinations):
                    found.subfolders.append(entry.name)
        elif (extension := _extension(entry.name)) in EXTENSIONS:
            found.pictures.append(path)
            found.deeper += prefix.count(os.sep) > 1
        else:
            found.others[extension] += 1


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link that leads to itself: reading it gives the reason
        return False


def _extension(name: str) -> str:
    stem, dot, ending = name.rpartition(".")
    return (dot + ending).lower() if stem else ""


def _split(folder: Path, split: str | None) -> tuple[Path, str | None]:
    """Folders of splits are no classes: one of them is chosen."""
    try:
        seen = [entry for entry in os.scandir(folder) if not entry.name.startswith(".")]
    except OSError as error:
        raise DataError(f"{folder}: the folder cannot be listed ({error.strerror or error})") from error
    there = sorted(entry.name for entry in seen if _is_folder(entry))
    if split is not None:
        if split not in there:
            listed = ", ".join(there) or "none"
            raise DataError(f"{folder}: it has no split {split!r}{did_you_mean(split, there)} (there are: {listed})")
        return folder / split, split
    loose = any(_extension(entry.name) in EXTENSIONS for entry in seen if not _is_folder(entry))
    if not there or loose or not {name.lower() for name in there} <= SPLITS:
        return folder, None
    if len(there) == 1:
        return folder / there[0], there[0]
    raise DataError(f"{folder}: it has the splits {', '.join(there)}; choose one with --split")


def _nothing(folder: Path, found: _Found) -> str:
    notices = "; ".join(str(notice) for notice in found.notices(folder))
    listed = ", ".join(sorted(e.removeprefix(".") for e in EXTENSIONS))
    return f"{folder}: it contains no pictures (looked for {listed})" + (f"; {notices}" if notices else "")
