"""Exhibits that are read back from a file, with everything checked that pages rely on: a run folder may come from anyone."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pyarrow.types as pt

from eyechart.errors import StoreError
from eyechart.files.records import Table, parse_json
from eyechart.findings.exhibit import Exhibit, PlacedExhibit

_AGAIN = "examine again to write it"
_METADATA = b"eyechart.exhibit"
_OWN = {
    "pictures": {"dataset": "text", "id": "text", "jpeg": "bytes"},
    "set-aside": {"id": "text", "place": "text", "reason": "text"},
}
_NOTICE = {"where": "text", "what": "text", "remedy": "text"}


@dataclass(frozen=True)
class _About:
    model: str
    dataset: str
    probe: str
    name: str
    title: str
    sentence: str
    kind: Literal["chart", "pictures", "table"]
    chart: str
    slice: str


def checked_exhibit(table: pa.Table, path: Path, *, exam: str) -> PlacedExhibit:
    """The exhibit in a table; StoreError where it is none or has been changed.

    Args:
        table: The table of the file.
        path: The file, for errors.
        exam: The probe name of exhibits that the exam itself writes.
    """
    metadata = (table.schema.metadata or {}).get(_METADATA)
    if metadata is None:
        raise StoreError(f"{path}: this is not an exhibit (no 'eyechart.exhibit' in its metadata); remove the file")
    about = Table(str(path), _json(metadata.decode("utf-8", "replace"), path), error=StoreError).into(_About)
    chart, where = _json(about.chart, path), _json(about.slice, path)
    if not isinstance(chart, dict | None) or not isinstance(where, dict):
        raise StoreError(f"{path}: its chart or its slice is not an object; {_AGAIN}")
    _check_columns(table, about, path, exam)
    exhibit = Exhibit(
        about.name, about.title, about.sentence, table.replace_schema_metadata(None), kind=about.kind, chart=chart, slice=where
    )
    return PlacedExhibit(about.model, about.dataset, about.probe, exhibit)


def _check_columns(table: pa.Table, about: _About, path: Path, exam: str) -> None:
    """The columns that pages read by name have the type that the exam writes."""
    needed: dict[str, str] = {}
    if about.probe == exam:
        needed = next((columns for start, columns in _OWN.items() if about.name.startswith(start)), {})
        needed = _NOTICE if about.name.startswith("notices") else needed
    elif about.kind == "pictures":
        kinds = {"id": "text", "ids": "texts", "dataset": "text", "drawn": "bytes"}
        needed = {name: kind for name, kind in kinds.items() if name in table.column_names}
    if about.probe == exam and about.name.startswith("notices") and set(table.column_names) - set(_NOTICE):
        raise StoreError(f"{path}: it has columns that a list of notices does not have; {_AGAIN}")
    for name, kind in needed.items():
        place = table.schema.get_field_index(name)
        if place < 0 or not _is(kind, table.schema.field(place).type):
            raise StoreError(f"{path}: its column {name!r} is missing or has another type than {kind}; {_AGAIN}")


def _is(kind: str, found: pa.DataType) -> bool:
    if kind == "texts":
        return bool((pt.is_list(found) or pt.is_large_list(found)) and _is("text", found.value_type)) or pt.is_null(found)
    if pt.is_dictionary(found):
        return _is(kind, found.value_type)
    if kind == "bytes":
        return bool(pt.is_binary(found) or pt.is_large_binary(found) or pt.is_null(found))
    return bool(pt.is_string(found) or pt.is_large_string(found) or pt.is_null(found))


def _json(text: str, path: Path) -> Any:
    return parse_json(text, str(path), error=StoreError, remedy=_AGAIN)
