"""Datasets at an address: Parquet, WebDataset tars, tables of file names, and folders of pictures.

Nothing is copied to this machine: columns and headers are read by ranges, pictures one by one.
"""

from collections.abc import Mapping

import pyarrow as pa

from eyechart.data.formats.columnar import read_parquet
from eyechart.data.formats.folder import as_label
from eyechart.data.formats.shards import expand_address
from eyechart.data.formats.table import KINDS as TEXT_TABLES
from eyechart.data.formats.table import read_table
from eyechart.data.formats.webdataset import read_webdataset
from eyechart.data.picture import EXTENSIONS
from eyechart.data.reading import RawDataset
from eyechart.data.remote_pictures import remote_pictures
from eyechart.errors import DataError
from eyechart.files.remote import RemotePath, remote_path

_PARQUET = (".parquet", ".pq")


def read_remote(spec: str, *, columns: Mapping[str, str] | None = None) -> RawDataset:
    """Read a file, several files (a glob or a range) or a folder at an address.

    Raises:
        DataError: If nothing is there, or no kind of dataset that can be read at an address.
    """
    names = [] if any(sign in spec for sign in "*?[{") else remote_path(spec).names_below()
    if names:
        return _read_folder(remote_path(spec), names, columns)
    files = expand_address(spec)
    kinds = {file.suffix.lower() for file in files}
    if len(kinds) > 1:
        raise DataError(f"{spec}: files of several kinds ({', '.join(sorted(kinds))}); name one kind")
    kind = kinds.pop()
    if kind == ".tar":
        return read_webdataset(files, columns=columns)
    if kind in _PARQUET:
        return read_parquet(files, columns=columns)
    if kind in TEXT_TABLES and len(files) == 1:
        return read_table(files[0], columns=columns)
    known = ", ".join([*TEXT_TABLES, ".parquet", ".tar"])
    raise DataError(f"{spec}: not a kind of dataset that is read at an address; give a folder of pictures or files of {known}")


def _read_folder(folder: RemotePath, names: list[str], columns: Mapping[str, str] | None) -> RawDataset:
    visible = [name for name in names if not any(part.startswith(".") for part in name.split("/"))]
    for kinds, read in (((".tar",), read_webdataset), (_PARQUET, read_parquet)):
        files = [folder / name for name in visible if "/" not in name and name.lower().endswith(kinds)]
        if files:
            return read(files, columns=columns)
    pictures = [name for name in visible if (folder / name).suffix.lower() in EXTENSIONS]
    if not pictures:
        raise DataError(f"{folder}: it contains no pictures, tars or Parquet files")
    if columns:
        raise DataError(f"{folder}: a folder of pictures has no columns; give the table's own address")
    table = pa.table({"id": pa.chunked_array([pa.array(pictures, pa.string())])})
    labels = [as_label(name.partition("/")[0]) if "/" in name else None for name in pictures]
    if any(labels):
        table = table.append_column("label", pa.array(labels, pa.string()))
    source = remote_pictures(folder, table.column("id"))
    reader = {"kind": "folder", "split": None, "ids": "path in the folder", "labels": "subfolder" if any(labels) else None}
    known = tuple(sorted({label for label in labels if label}))
    return RawDataset(str(folder), table, source, source.place, labels=known, reader=reader)
