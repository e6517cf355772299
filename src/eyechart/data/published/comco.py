"""ComCO and SimCO (Abbasi et al., "CLIP Under the Microscope", CVPR 2025): renderings of one large object and small ones.

The set has no table. Names are in the file names, in the order of the row and joined by "_" (`cat_fire hydrant_cup.png`); where
the large object stands is in the folder's name (`CoCo-FourObject-Middle-Big`). Areas are not known: the large object is marked,
and that is all that can be said about sizes. Pictures of single objects (`CoCo-OneObject/cat.png`) are targets.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.formats.folder import read_folder
from eyechart.data.published.published_set import PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError, did_you_mean
from eyechart.notice import Notice, counted, shortened

_OBJECT = pa.struct([("name", pa.string()), ("x", pa.float64()), ("large", pa.bool_())])
_PLACES = {
    "start": "start", "first": "start", "begin": "start", "beginning": "start", "left": "start",
    "middle": "middle", "center": "middle", "centre": "middle",
    "end": "end", "last": "end", "right": "end",
}  # fmt: skip
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True)
class _Picture:
    """One picture.

    row: Its row in the folder that was read.
    folder: Its folder, relative to the given one; "" for the given one itself.
    names: Its objects from left to right.
    """

    row: int
    folder: str
    names: tuple[str, ...]


def read_comco(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Read the scenes below a folder, or one folder of it (`split`), which may be that of single objects.

    `label` is the large object, or the only one; `attr.large_at` is start, middle or end."""
    found = read_folder(folder, root=root, layout=True)
    pictures = [_picture(row, id) for row, id in enumerate(found.table.column("id").to_pylist())]
    if split is not None:
        there = sorted({picture.folder for picture in pictures})
        pictures = [picture for picture in pictures if split in (picture.folder, Path(picture.folder).name)]
        if not pictures:
            hint = did_you_mean(split, [Path(name).name for name in there])
            raise DataError(f"{folder}: no folder called {split!r} has pictures{hint} (there are: {shortened(there)})")
    elif any(len(picture.names) > 1 for picture in pictures):
        pictures = [picture for picture in pictures if len(picture.names) > 1]
    places = {name: large_place(name or folder.resolve().name) for name in {picture.folder for picture in pictures}}
    kept, notices = _with_known_size(pictures, places, folder)
    objects = [_objects(picture, places[picture.folder]) for picture in kept]
    large = [next(of["name"] for of in one if of["large"]) for one in objects]
    classes = tuple(PictureClass(name, name) for name in sorted({name for picture in kept for name in picture.names}))
    rows = [picture.row for picture in kept]
    return RawDataset(
        where_all=str(folder),
        table=pa.table(
            {
                "id": found.table.column("id").take(pa.array(rows)),
                "label": pa.array(large, pa.string()),
                "objects": pa.array(objects, pa.list_(_OBJECT)),
                "attr.count": pa.array([len(picture.names) for picture in kept], pa.int64()),
                "attr.large_at": pa.array([places[p.folder] if len(p.names) > 1 else None for p in kept], pa.string()),
            }
        ),
        pictures=found.pictures.take(rows),
        where=lambda row: found.where(rows[row]),
        notices=(*found.notices, *notices),
        reader={**found.reader, "kind": "comco", "split": split},
        classes=ClassList("comco", classes, "the names in the file names"),
    )


def large_place(folder: str) -> str | None:
    """Where the large object stands, by the words of the folder's name.

    Example:
        >>> [large_place(name) for name in ("CoCo-FourObject-Middle-Big", "ComCo/three_objects_big_start", "CoCo-OneObject")]
        ['middle', 'start', None]
    """
    words = (word.lower() for part in reversed(Path(folder).parts) for word in _WORD.findall(part))
    return next((_PLACES[word] for word in words if word in _PLACES), None)


def _picture(row: int, id: str) -> _Picture:
    folder, _, file = id.rpartition("/")
    names = tuple(" ".join(name.split()) for name in file.rpartition(".")[0].split("_"))
    if not all(names):
        raise DataError(f"{id}: a file name of ComCO is the names of its objects joined by '_', such as cat_cup.png")
    return _Picture(row, folder, names)


def _with_known_size(
    pictures: list[_Picture], places: Mapping[str, str | None], folder: Path
) -> tuple[list[_Picture], list[Notice]]:
    """The pictures whose large object is known. In the middle of two, none is."""
    kept = [p for p in pictures if len(p.names) == 1 or _index(places[p.folder], len(p.names)) is not None]
    if not kept:
        example = "CoCo-FourObject-Middle-Big"
        raise DataError(
            f"{folder}: no folder says where the large object stands; its name must have start, middle or end, such as {example}"
        )
    lost = len(pictures) - len(kept)
    names = sorted({p.folder or folder.name for p in pictures} - {p.folder or folder.name for p in kept})
    what = f"{counted(lost, 'picture')} left out: the name of the folder does not say where the large object stands"
    return kept, [Notice(str(folder), f"{what} ({shortened(names)})", "give it a name with start, middle or end")] if lost else []


def _index(place: str | None, count: int) -> int | None:
    """Start is the first of the row, end the last, and the middle of four the second, as in the public code."""
    if place is None or (place == "middle" and count == 2):
        return None
    return {"start": 0, "middle": (count - 1) // 2, "end": count - 1}[place]


def _objects(picture: _Picture, place: str | None) -> list[dict[str, object]]:
    count = len(picture.names)
    large = 0 if count == 1 else _index(place, count)
    return [{"name": name, "x": (k + 0.5) / count, "large": k == large} for k, name in enumerate(picture.names)]


SET = PublishedSet(
    name="comco",
    read=read_comco,
    n=None,
    license="none stated; see the set's own page",
    about="ComCO and SimCO: one large object and small ones, rendered. Areas are not known, only which object is large.",
    layout="CoCo-FourObject-Middle-Big/cat_fire hydrant_cup_bed.png; single objects in CoCo-OneObject/cat.png",
    example="comco:comco/CoCo-FourObject-Middle-Big",
    citation="Abbasi et al., 2025",
)
