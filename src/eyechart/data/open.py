"""Open a dataset of any kind."""

from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from eyechart.data.class_file import read_classes
from eyechart.data.classes import ClassList
from eyechart.data.containment import check_contained
from eyechart.data.dataset import Dataset
from eyechart.data.file_pictures import printable
from eyechart.data.formats.columnar import read_arrow, read_parquet
from eyechart.data.formats.folder import read_folder
from eyechart.data.formats.huggingface import is_saved, read_hub, read_parquet_folder, read_saved
from eyechart.data.formats.remote import read_remote
from eyechart.data.formats.shards import expand
from eyechart.data.formats.table import KINDS as TEXT_TABLES
from eyechart.data.formats.table import read_table
from eyechart.data.formats.webdataset import read_webdataset
from eyechart.data.kinds import DatasetKind, dataset_kinds
from eyechart.data.labels import attach_classes
from eyechart.data.pairs import read_pairs
from eyechart.data.picture import EXTENSIONS
from eyechart.data.published.corruption_folders import WRITTEN as CORRUPTED
from eyechart.data.published.karpathy import read_karpathy
from eyechart.data.published.registry import published_set, split_source
from eyechart.data.reading import RawDataset
from eyechart.data.sample import filmed_sample, paired_sample, stratified_sample
from eyechart.data.severity import COLUMN as SEVERITY
from eyechart.data.severity import read_severities
from eyechart.errors import DataError, UsageError
from eyechart.files.readable import readable
from eyechart.files.remote import is_address
from eyechart.files.text import nearest_sibling
from eyechart.findings.mark import is_examination

__all__ = ["DatasetKind", "dataset_kinds", "default_name", "open_dataset"]

_COMPRESSED_TARS = (".tar.gz", ".tgz", ".tar.bz2", ".tbz2", ".tar.xz", ".txz", ".tar.zst", ".tar.lz4")


# Names of a part of a dataset; the folder above has the dataset's own name.
_PARTS = frozenset({"test", "train", "training", "val", "valid", "validation", "dev", "images", "imgs", "pictures", "data"})


def open_dataset(
    spec: str | Path,
    *,
    name: str | None = None,
    classes: str | Path | ClassList | None = None,
    split: str | None = None,
    columns: Mapping[str, str] | None = None,
    root: str | Path | None = None,
    limit: int | None = None,
    seed: int = 0,
) -> Dataset:
    """Open a dataset. Pictures are read when they are needed.

    Args:
        spec: A folder, a table, tars (a path, a glob or a range `{0000..0009}`), a saved Hugging Face dataset,
            `hf://owner/name`, or a published set in its own layout, such as `imagenet-x:FOLDER`.
        name: The dataset's name in the findings; by default made from `spec`.
        classes: The name of a class list (`imagenet-1k`), a file of class names, or a ClassList; by default the data's labels.
        split: The split to read, where there are several.
        columns: The column of each role, such as {"path": "photo", "label": "species"}; by default found by name.
        root: The folder that file names are relative to and that no picture may be outside of; by default the dataset's own.
        limit: At most this many pictures, a stratified sample drawn with `seed`.
        seed: The seed of that sample.

    Raises:
        DataError: If the dataset cannot be used; the message names the file and row.
        UsageError: If an argument makes no sense.

    Example:
        >>> from pathlib import Path
        >>> from PIL import Image
        >>> Path("pets/cat").mkdir(parents=True)
        >>> Image.new("RGB", (8, 8)).save("pets/cat/1.png")
        >>> open_dataset("pets").ids()
        ['cat/1.png']
    """
    if limit is not None and limit < 1:
        raise UsageError(f"limit is {limit}; choose 1 or more")
    with readable(printable(str(spec))):
        return _opened(str(spec), name, classes, split, columns, Path(root) if root is not None else None, limit, seed)


def _opened(
    spec: str, name: str | None, classes: str | Path | ClassList | None, split: str | None, columns: Mapping[str, str] | None,
    root: Path | None, limit: int | None, seed: int,
) -> Dataset:  # fmt: skip
    reading = _read(spec, split, columns, root)
    if (top := _top(spec)) is not None:
        check_contained(reading.pictures, top, root)
    if SEVERITY in reading.table.column_names:
        read_severities(reading.table.column(SEVERITY), reading.where)  # rows still have their place in the file
    given = classes if isinstance(classes, ClassList) or classes is None else read_classes(classes)
    labeled = attach_classes(reading, given or reading.classes)
    reader = {
        "source": printable(spec), **reading.reader, "classes": labeled.classes_from, "rows": reading.table.num_rows,
        "limit": limit, "seed": seed if limit is not None else None,
    }  # fmt: skip
    dataset = Dataset(
        name=printable(name or default_name(spec)),
        table=labeled.table,
        pictures=reading.pictures,
        classes=labeled.classes,
        notices=(*reading.notices, *labeled.notices),
        reader=reader,
        pairs=_pairs(spec, reading),
        benchmark=reading.benchmark,
    )
    if limit is None or limit >= len(dataset):
        return dataset
    if dataset.pairs is not None and limit > 1:
        ends = (dataset.pairs.column(end).to_pylist() for end in ("id_a", "id_b"))
        return dataset.take(paired_sample(dataset.ids(), list(zip(*ends, strict=True)), limit, seed))
    if dataset.has("attr.neighbours"):
        around = dataset.table.column("attr.neighbours").to_pylist()
        return dataset.take(filmed_sample(dataset.ids(), [[n["id"] for n in near or ()] for near in around], limit, seed))
    strata = dataset.table.column("label").to_pylist() if dataset.has("label") else [None] * len(dataset)
    return dataset.take(stratified_sample(dataset.ids(), strata, limit, seed))


def _top(spec: str) -> Path | None:
    """The folder that the user named; None for a file, which the user named itself, and for the hub."""
    folder = Path(named[1] if (named := split_source(spec)) else spec)
    return folder if not spec.startswith("hf://") and folder.is_dir() else None


def _pairs(spec: str, reading: RawDataset) -> pa.Table | None:
    if reading.pairs is not None or spec.startswith("hf://") or is_address(spec):
        return reading.pairs
    return read_pairs(Path(spec), reading.table.column("id"))


def default_name(spec: str) -> str:
    """A dataset's name, made from its path: the last part without its ending, or the folder's name for dataset.EXT.

    A part that says only which split it is, or that it has pictures, is given with the folder above: pets/test."""
    if spec.startswith("hf://"):
        return spec.removeprefix("hf://").removeprefix("datasets/")
    if named := split_source(spec):
        return named[0]
    path = Path(spec).absolute()
    stem = path.name if path.is_dir() else path.name.split(".")[0]
    stem = stem.split("{")[0].split("*")[0].rstrip("-_.")
    if not stem or (stem == "dataset" and not path.is_dir()):
        return path.parent.name or "dataset"
    return f"{path.parent.name}/{stem}" if stem.lower() in _PARTS and path.parent.name else stem


def _read(spec: str, split: str | None, columns: Mapping[str, str] | None, root: Path | None) -> RawDataset:
    if spec.startswith("hf://"):
        return read_hub(spec, split=split, columns=columns)
    if is_address(spec):
        if split is not None or root is not None:
            raise UsageError(f"{spec}: --split and --root are for folders of this machine; give the address of the part itself")
        return read_remote(spec, columns=columns)
    if named := split_source(spec):
        return _read_named(*named, split, columns, root)
    path = Path(spec)
    if not spec:
        raise UsageError("the dataset's name is empty; give a folder, a file or hf://owner/name")
    try:
        if path.is_dir():
            return _read_folder(path, split, columns, root)
    except OSError as error:
        raise DataError(f"{spec}: cannot be read ({error.strerror or error})") from error
    if not path.exists() and not any(sign in spec for sign in "*?[{"):
        raise DataError(f"{spec}: there is no such file or folder{nearest_sibling(path)}")
    files = expand(spec)
    kinds = {file.suffix.lower() for file in files}
    if any(file.name.lower().endswith(_COMPRESSED_TARS) for file in files):
        raise DataError(f"{spec}: a compressed tar cannot be read in place; decompress it to a plain .tar first")
    if len(kinds) > 1:
        raise DataError(f"{spec}: files of several kinds ({', '.join(sorted(kinds))}); name one kind")
    if kinds == {".json"} and len(files) == 1:
        return read_karpathy(files[0], split=split, root=root)
    if split is not None:
        raise DataError(f"{spec}: a file has no splits, but split is {split!r}; give the file of that split")
    kind = kinds.pop()
    if kind == ".tar":
        return read_webdataset(files, columns=columns)
    if kind in (".parquet", ".pq"):
        return read_parquet(files, columns=columns, root=root)
    if kind == ".arrow":
        return read_arrow(files, columns=columns, root=root)
    if kind in TEXT_TABLES and len(files) == 1:
        return read_table(files[0], columns=columns, root=root)
    known = ", ".join([*TEXT_TABLES, ".parquet", ".tar", ".arrow"])
    if kind in EXTENSIONS:
        raise DataError(f"{spec}: a single picture is not a dataset; give the folder that contains it")
    raise DataError(f"{spec}: not a kind of dataset that can be read; give a folder or one file of {known}")


def _read_named(name: str, folder: str, split: str | None, columns: Mapping[str, str] | None, root: Path | None) -> RawDataset:
    if columns:
        raise UsageError(f"{name}: its columns are fixed; leave out --column")
    if not folder or not Path(folder).is_dir():
        raise DataError(f"{name}: there is no folder {folder!r}{nearest_sibling(Path(folder)) if folder else ''}")
    read = published_set(name).read
    return read(Path(folder), split=split, root=root)


def _read_folder(folder: Path, split: str | None, columns: Mapping[str, str] | None, root: Path | None) -> RawDataset:
    if is_examination(folder):
        raise DataError(f"{folder}: this is the folder of an examination, not of pictures; `eyechart report {folder}` shows it")
    for written, levels in ((folder, "corruptions"), (folder.absolute().parent, "severities")):
        if (written / CORRUPTED).is_file():
            given = folder if written == folder else folder.parent
            raise DataError(
                f"{folder}: `eyechart corrupt` wrote this folder, so its subfolders are {levels} and not classes; examine the "
                f"original pictures and compare with it: --data ORIGINALS --shift corrupted:{given}"
            )
    if is_saved(folder):
        return read_saved(folder, split=split, columns=columns, root=root)
    tars = sorted(path for path in folder.iterdir() if path.suffix.lower() == ".tar" and not path.name.startswith("."))
    if tars:
        return read_webdataset(tars, columns=columns)
    if _holds_parquet(folder):
        return read_parquet_folder(folder, split=split, columns=columns, root=root)
    if columns:
        raise DataError(f"{folder}: a folder of pictures has no columns; give the table's own path")
    return read_folder(folder, split=split, root=root)


def _holds_parquet(folder: Path) -> bool:
    """Whether the folder or one below contains Parquet shards without pictures next to them.

    With pictures, they would be tables of attributes."""
    near = [*folder.glob("*.parquet"), *(p for p in folder.glob("*/*.parquet") if not is_examination(p.parent))]
    near = [path for path in near if not any(part.startswith(".") for part in path.relative_to(folder).parts)]
    return bool(near) and not any(path.suffix.lower() in EXTENSIONS for shard in near for path in shard.parent.iterdir())
