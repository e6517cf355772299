"""The file of a study: one Parquet table, by default in the user's data folder; written atomically."""

import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.errors import StoreError
from eyechart.files.atomic import atomic_path, remove_abandoned
from eyechart.files.locks import hold
from eyechart.files.parquet import read_checked, write_checked
from eyechart.files.text import nearest_sibling
from eyechart.study.table import SCHEMA, empty

_ELSEWHERE = "choose another place with --study"
_KEY = ("origin", "model", "metric", "prompts")


def default_study_path() -> Path:
    """EYECHART_STUDY, or a file in the user's data folder."""
    if chosen := os.environ.get("EYECHART_STUDY"):
        return Path(chosen).expanduser()
    return _data_folder() / "eyechart" / "study.parquet"


def read_study(path: Path, *, may_be_new: bool = False) -> pa.Table:
    """The table in `path`; an empty one where the file does not exist and `may_be_new`."""
    if not path.is_file():
        if may_be_new and not path.exists():
            return empty()
        remedy = "make one with `eyechart study add --from KIND SOURCE`"
        raise StoreError(f"{path}: no such study{nearest_sibling(path)}; {remedy}")
    try:
        table = read_checked(path)
        table.validate(full=True)
        if "title" not in table.column_names:  # written by an older version
            title = SCHEMA.field("title")
            table = table.append_column(title, pa.nulls(table.num_rows, title.type))
        return table.select(SCHEMA.names).cast(SCHEMA)
    except (pa.ArrowException, OSError, KeyError) as error:
        raise StoreError(f"{path} is not a study ({error}); move it, and add the tables again") from error


def add_to_study(path: Path, tables: Iterable[pa.Table]) -> pa.Table:
    """Merge tables into the study in `path`, and return it whole. Several processes may do so at once."""
    with ExitStack() as stack:
        try:
            stack.enter_context(hold(path.with_name(f".{path.name}.lock")))
        except OSError as error:
            raise StoreError(f"{path} cannot be written: {error.strerror or error}; {_ELSEWHERE}") from error
        remove_abandoned(path.parent, below=False)
        study = read_study(path, may_be_new=True)
        for table in tables:
            study = merge(study, table)
        write_study(study, path)
    return study


def write_study(table: pa.Table, path: Path) -> None:
    try:
        with atomic_path(path) as unfinished:
            write_checked(table, unfinished, compression="zstd")
    except OSError as error:
        raise StoreError(f"{path} cannot be written: {error.strerror or error}; {_ELSEWHERE}") from error


def merge(study: pa.Table, added: pa.Table) -> pa.Table:
    """Both tables; a row of `added` replaces the one with the same origin, model, metric and prompts."""
    known = set(_keys(added))
    kept = study.filter(pa.array([key not in known for key in _keys(study)], pa.bool_())) if study.num_rows else study
    return pa.concat_tables([kept, added]).unify_dictionaries().combine_chunks()


def without_origin(study: pa.Table, origin: str) -> pa.Table:
    """The study without the rows of one origin."""
    return study.filter(pc.not_equal(study["origin"].cast(pa.string()), origin))


def _keys(table: pa.Table) -> list[tuple[str | None, ...]]:
    return list(zip(*(table[name].cast(pa.string()).to_pylist() for name in _KEY), strict=True))


def _data_folder() -> Path:
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support"
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    return Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
