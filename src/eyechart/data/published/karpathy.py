"""Karpathy's splits of Flickr30k and COCO: `dataset_flickr30k.json` or `dataset_coco.json` next to the pictures.

The file holds {"images": [{"filename", "filepath" (COCO), "split", "sentences": [{"raw"}, …]}, …], "dataset"}, as published with
Karpathy and Fei-Fei, 2015. Published retrieval results use the split "test" and the first five captions of every picture."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from eyechart.data.file_pictures import file_pictures
from eyechart.data.paths import check_link, check_paths
from eyechart.data.published.published_set import PublishedSet
from eyechart.data.reading import RawDataset, check_ids
from eyechart.errors import DataError, did_you_mean
from eyechart.files.records import read_json
from eyechart.files.text import nearest_sibling
from eyechart.notice import Notice, counted

CAPTIONS = 5  # of COCO's 5,000 test pictures, ten have a sixth or seventh
_FOLDERS = ("", "images", "flickr30k-images", "flickr30k_images", "Images")  # where pictures are looked for
_CHECKED = 50


def read_flickr30k(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    return _in_folder(folder, "dataset_flickr30k.json", split, root)


def read_coco(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    return _in_folder(folder, "dataset_coco.json", split, root)


def _in_folder(folder: Path, name: str, split: str | None, root: Path | None) -> RawDataset:
    if not (folder / name).is_file():
        remedy = "put Karpathy's split file there, or give the path of that file and --root for the pictures"
        raise DataError(f"{folder}: it contains no {name}{nearest_sibling(folder / name)}; {remedy}")
    return read_karpathy(folder / name, split=split, root=root)


def read_karpathy(path: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Read one of Karpathy's split files. `root` is the folder of pictures; by default one next to the file."""
    entries = _entries(path)
    split = split or "test"
    splits = Counter(str(entry.get("split")) for entry in entries)
    if split not in splits:
        listed = ", ".join(sorted(splits))
        raise DataError(f"{path}: it has no split {split!r}{did_you_mean(split, splits)} (there are: {listed})")
    chosen = [(place, entry) for place, entry in enumerate(entries) if entry.get("split") == split]

    def where(row: int) -> str:
        return f"{path}, images[{chosen[row][0]}]"

    files = [_file(entry, where(row)) for row, (_, entry) in enumerate(chosen)]
    captions = [_captions(entry, where(row)) for row, (_, entry) in enumerate(chosen)]
    table = pa.table(
        {
            "id": pa.array(files, pa.string()),
            "captions": pa.array([texts[:CAPTIONS] for texts in captions], pa.list_(pa.string())),
        }
    )
    check_ids(table.column("id"), where, "every picture must be listed once")
    base = root or _pictures_beside(path, files)
    check_paths(table.column("id"), base, where, root)
    more = sum(max(0, len(texts) - CAPTIONS) for texts in captions)
    what = f"{counted(more, 'caption')} beyond the {CAPTIONS}th of a picture left out"
    return RawDataset(
        where_all=str(path),
        table=table,
        pictures=file_pictures(base, table.column("id")),
        where=where,
        notices=(Notice(str(path), what, "published results use five captions per picture"),) if more else (),
        reader={"kind": "karpathy", "split": split, "captions": CAPTIONS, "root": "given" if root else "next to the file"},
    )


def _entries(path: Path) -> Sequence[Mapping[str, Any]]:
    content = read_json(path, remedy="download it again", most_bytes=None, unique=False)
    entries = content.get("images") if isinstance(content, dict) else None
    if not isinstance(entries, list) or not entries or not all(isinstance(e, dict) and "sentences" in e for e in entries):
        raise DataError(
            f"{path}: not one of Karpathy's split files, which have a list 'images' with 'filename', 'split' and 'sentences';"
            " give dataset_flickr30k.json or dataset_coco.json, or a table of another kind (.csv, .jsonl, .parquet)"
        )
    return entries


def _file(entry: Mapping[str, Any], where: str) -> str:
    name, folder = entry.get("filename"), entry.get("filepath", "")
    if not isinstance(name, str) or not name or not isinstance(folder, str):
        raise DataError(f"{where}: 'filename' is {name!r}; it must name the picture's file")
    return f"{folder}/{name}" if folder else name


def _captions(entry: Mapping[str, Any], where: str) -> list[str]:
    sentences = entry["sentences"]
    raw = [s.get("raw") if isinstance(s, dict) else None for s in sentences] if isinstance(sentences, list) else []
    texts = [text for text in raw if isinstance(text, str)]
    if not texts or len(texts) < len(raw):
        raise DataError(f"{where}: 'sentences' must be a list of captions, each with its text under 'raw'")
    return texts


def _pictures_beside(path: Path, files: Sequence[str]) -> Path:
    """The folder that contains some of the first pictures."""
    for name in _FOLDERS:
        folder = path.parent / name
        if any((folder / file).is_file() for file in files[:_CHECKED]):
            check_link(folder, path.parent)
            return folder
    looked = ", ".join(name or "the file's own folder" for name in _FOLDERS)
    raise DataError(f"{path}: no picture such as {files[0]} found (looked in {looked}); give --root the folder of the pictures")


SETS = (
    PublishedSet(
        name="coco-karpathy",
        read=read_coco,
        n=5_000,
        license="annotations CC BY 4.0; pictures under Flickr's terms of use",
        about="COCO in Karpathy's test split, with five captions per picture.",
        layout="dataset_coco.json next to the pictures",
        example="coco-karpathy:coco/",
        citation="Karpathy and Fei-Fei, 2015",
    ),
    PublishedSet(
        name="flickr30k",
        read=read_flickr30k,
        n=1_000,
        license="non-commercial research and education",
        about="Flickr30k in Karpathy's test split, with five captions per picture.",
        layout="dataset_flickr30k.json next to the pictures",
        example="flickr30k:flickr30k/",
        citation="Young et al., 2014; Karpathy and Fei-Fei, 2015",
    ),
)
