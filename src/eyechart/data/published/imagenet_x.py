"""ImageNet-X: annotations of visual factors, from the installed package `imagenet-x`, on the ImageNet validation pictures.

Only the package's data files are read. They are licensed for non-commercial use and do not come with Eyechart; the package's
own code is not imported (it does not run under current NumPy, and would bring pandas).
"""

import csv
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.json

from eyechart.data.class_file import read_classes
from eyechart.data.formats.folder import read_folder
from eyechart.data.published.published_set import PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.files.records import parse_json
from eyechart.files.text import read_text
from eyechart.notice import Notice

PACKAGE = "imagenet_x"
INSTALL = "pip install --no-deps imagenet-x"
# The ten factors of the paper, by number of pictures, then the six rare ones.
FACTORS = (
    "pose", "background", "pattern", "color", "smaller", "shape", "partial_view", "subcategory", "texture", "larger",
    "darker", "object_blocking", "person_blocking", "style", "brighter", "multiple_objects",
)  # fmt: skip
# The metaclasses of the paper; all others are "other".
_METACLASSES = frozenset(
    {
        "device", "dog", "commodity", "bird", "structure", "covering", "wheeled_vehicle", "food", "equipment", "insect",
        "vehicle", "furniture", "primate", "vessel", "snake", "natural_object",
    }
)  # fmt: skip

Kind = Literal["top", "multi"]


def read_imagenet_x(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """The ImageNet validation pictures in any folders, with the factor in which each picture is most unusual."""
    return _read(folder, "top", split, root)


def read_imagenet_x_multi(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """The ImageNet validation pictures with all factors that an annotator marked."""
    return _read(folder, "multi", split, root)


def annotations_folder() -> Path:
    """The folder of the installed package's annotations, found without importing the package."""
    found = find_spec(PACKAGE)
    places = list(found.submodule_search_locations or ()) if found else []
    if not places:
        raise DataError(f"imagenet-x: the annotations come with the package imagenet-x, which is not installed: {INSTALL}")
    folder = Path(places[0]) / "annotations"
    if not folder.is_dir():
        raise DataError(f"{folder}: the installed package imagenet-x has no such folder; install version 0.0.7: {INSTALL}==0.0.7")
    return folder


def _read(folder: Path, kind: Kind, split: str | None, root: Path | None) -> RawDataset:
    """The pictures with `label`, `factor.*`, `attr.metaclass` and `attr.real`.

    Factors are null for prototypes and for pictures without annotation. `attr.real` lists all classes in the picture (ReaL)."""
    source = annotations_folder()
    pictures = read_folder(folder, split=split, root=root)
    names = [str(id).rpartition("/")[2] for id in pictures.table.column("id").to_pylist()]
    labels = _labels(source / "filename_label.csv")
    known = [labels.get(name) for name in names]
    if not any(known):
        what = f"none of its {len(names):,} pictures is named like the ImageNet validation set (ILSVRC2012_val_00000293.JPEG)"
        raise DataError(f"{folder}: {what}; give the folder of that set")
    _check_folders(pictures, known)
    marked = _factors(source, kind)
    place = pc.index_in(pa.array(names), value_set=marked.column("file_name").combine_chunks())
    table = pa.table({"id": pictures.table.column("id"), "label": pa.array(known, pa.string())})
    for factor in FACTORS:
        table = table.append_column(f"factor.{factor}", marked.column(factor).take(place))
    metaclass, real = _metaclasses(source), _real_labels(source)
    table = table.append_column("attr.metaclass", pa.array([metaclass.get(label or "") for label in known], pa.string()))
    table = table.append_column("attr.real", pa.array([real.get(name) for name in names], pa.list_(pa.string())))
    return RawDataset(
        where_all=str(folder),
        table=table,
        pictures=pictures.pictures,
        where=pictures.where,
        labels=tuple(c.label for c in read_classes("imagenet-1k")),
        notices=(*pictures.notices, *_notices(folder, table)),
        benchmark="imagenet",
        reader={**pictures.reader, "kind": "imagenet-x", "factors": kind, "prototypes": "not annotated", "labels": "imagenet-x"},
    )


def _labels(path: Path) -> dict[str, str]:
    """The WordNet id of all 50,000 file names."""
    wnids = [c.label for c in read_classes("imagenet-1k")]
    rows = _rows(path, ("file_name", "label"))
    try:
        return {row["file_name"]: wnids[int(row["label"])] for row in rows}
    except (ValueError, IndexError):
        raise DataError(f"{path}: a label is not a number from 0 to 999; install the package again: {INSTALL}") from None


def _factors(source: Path, kind: Kind) -> pa.Table:
    """The annotations without the prototypes, which were the reference for annotating the others."""
    path = source / f"imagenet_x_val_{kind}_factor.jsonl"
    try:
        table = pyarrow.json.read_json(path)
    except (OSError, pa.ArrowException) as error:
        raise DataError(f"{path}: the annotations cannot be read ({error}); install the package again: {INSTALL}") from None
    missing = [name for name in ("file_name", *FACTORS) if name not in table.column_names]
    if missing:
        raise DataError(f"{path}: it has no column {missing[0]!r}; install version 0.0.7: {INSTALL}==0.0.7")
    prototypes = [row["file_name"] for row in _rows(source / "prototypical_paths.csv", ("file_name",))]
    kept = table.filter(pc.invert(pc.is_in(table.column("file_name"), value_set=pa.array(prototypes, pa.string()))))
    return pa.table({"file_name": kept.column("file_name"), **{f: kept.column(f).cast(pa.bool_()) for f in FACTORS}})


def _metaclasses(source: Path) -> dict[str, str]:
    """The metaclass of every WordNet id; the paper has seventeen."""
    rows = _rows(source / "imagenet_1k_classes_to_100_metaclasses.csv", ("name",))
    names = [row["name"] if row["name"] in _METACLASSES else "other" for row in rows]
    return dict(zip((c.label for c in read_classes("imagenet-1k")), names, strict=False))


def _real_labels(source: Path) -> dict[str, list[str]]:
    """The WordNet ids of all classes in a picture (ReaL labels, Beyer et al., 2020); the list may be empty."""
    wnids = [c.label for c in read_classes("imagenet-1k")]
    path = source / "imagenet_real_labels.jsonl"
    try:
        listed = parse_json(read_text(path), str(path), unique=False)
        return {f"ILSVRC2012_val_{i:08d}.JPEG": [wnids[c] for c in classes] for i, classes in enumerate(listed, 1)}
    except (OSError, ValueError, IndexError, TypeError) as error:
        raise DataError(f"{path}: the labels cannot be read ({error}); install the package again: {INSTALL}") from None


def _rows(path: Path, columns: tuple[str, ...]) -> list[dict[str, str]]:
    try:
        with path.open(newline="", encoding="utf-8") as file:
            reader = csv.DictReader(file)
            rows = list(reader)
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path}: the annotations cannot be read ({error}); install the package again: {INSTALL}") from None
    for column in columns:
        if column not in (reader.fieldnames or ()):
            raise DataError(f"{path}: it has no column {column!r}; install version 0.0.7: {INSTALL}==0.0.7")
    return rows


def _check_folders(pictures: RawDataset, known: list[str | None]) -> None:
    """Where folders are named by WordNet ids, each picture must be in the folder of its class."""
    if "label" not in pictures.table.column_names:
        return
    wnids = {c.label for c in read_classes("imagenet-1k")}
    for row, (folder, label) in enumerate(zip(pictures.table.column("label").to_pylist(), known, strict=True)):
        if label is not None and folder in wnids and folder != label:
            raise DataError(f"{pictures.where(row)}: it is in {folder} but belongs to class {label}; move it there")


def _notices(folder: Path, table: pa.Table) -> list[Notice]:
    unmarked = int(table.column(f"factor.{FACTORS[0]}").null_count)
    what = f"{unmarked:,} of {table.num_rows:,} pictures are prototypes or have no annotation; they count for no factor"
    return [Notice(str(folder), what)] if unmarked else []


SETS = (
    PublishedSet(
        name="imagenet-x",
        read=read_imagenet_x,
        n=50_000,
        license="annotations CC BY-NC 4.0; pictures under ImageNet's terms",
        about="ImageNet validation pictures with the factor in which each is most unusual; needs the package imagenet-x.",
        layout="the ImageNet validation pictures in any folders",
        example="imagenet-x:val/",
        citation="Idrissi et al., 2023",
    ),
    PublishedSet(
        name="imagenet-x-multi",
        read=read_imagenet_x_multi,
        n=50_000,
        license="annotations CC BY-NC 4.0; pictures under ImageNet's terms",
        about="ImageNet validation pictures with all annotated factors; needs the package imagenet-x.",
        layout="the ImageNet validation pictures in any folders",
        example="imagenet-x-multi:val/",
        citation="Idrissi et al., 2023",
    ),
)
