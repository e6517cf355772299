"""The published tables that ship with Eyechart: openly licensed results, condensed to the study's schema.

`scripts/make_published_tables.py` makes the files in `published/`; `published/NOTICE.txt` has their sources and licenses.
"""

from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from eyechart.files.records import parse_json
from eyechart.study.table import SCHEMA

FOLDER = "published"


@dataclass(frozen=True)
class ShippedTable:
    """A table that ships with Eyechart.

    origin: Its name in the study.
    title: What it holds.
    address: Where it was published.
    license: Its license.
    copyright: Who holds the rights.
    revision: The commit that it was taken from; None where it was not recorded.
    files: Name of each file that it was made from → SHA-256 of its content.
    """

    origin: str
    title: str
    address: str
    license: str
    copyright: str
    revision: str | None
    files: dict[str, str]


@cache
def shipped_tables() -> tuple[ShippedTable, ...]:
    """Every table that ships, by name."""
    text = files("eyechart.study").joinpath(FOLDER, "tables.json").read_text(encoding="utf-8")
    records = parse_json(text, "tables.json")
    return tuple(ShippedTable(origin, **records[origin]) for origin in sorted(records))


def read_shipped_table(origin: str) -> pa.Table:
    """The rows of one table."""
    with as_file(files("eyechart.study").joinpath(FOLDER, f"{origin}.parquet")) as path:
        return _read(path)


def _read(path: Path) -> pa.Table:
    # pq.read_table would import pandas where it is installed, which is slow.
    return pq.ParquetFile(path).read().select(SCHEMA.names).cast(SCHEMA)
