"""From the table of a file to the table of a dataset: ids and labels as text, captions as lists, attributes by name."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from eyechart.data.columns import Roles, is_text
from eyechart.data.reading import check_ids
from eyechart.errors import DataError
from eyechart.files.records import parse_json

Where = Callable[[int], str]


@dataclass(frozen=True)
class Rows:
    """The table of a dataset.

    table: The rows.
    numbers: The label column as numbers, where the data has both names and numbers.
    labels: The class names that the data declares.
    ids_from: Where the ids come from, for the protocol.
    """

    table: pa.Table
    numbers: pa.ChunkedArray | None
    labels: tuple[str, ...]
    ids_from: str


def make_rows(
    found: pa.Table, roles: Roles, where: Where, *, names: Sequence[str] = (), paths: pa.ChunkedArray | None = None
) -> Rows:
    """Make the rows. `names` are the class names of label numbers; `paths` are file names inside the picture column."""
    columns: dict[str, pa.ChunkedArray] = {}
    columns["id"], ids_from = _ids(found, roles, where, paths)
    numbers = None
    if roles.label:
        columns["label"], numbers = _labels(plain(found.column(roles.label)), names, where)
    if roles.captions:
        columns["captions"] = _captions([plain(found.column(name)) for name in roles.captions], where)
    for name, source in roles.attributes.items():
        columns[name] = plain(found.column(source))
    return Rows(pa.table(columns), numbers, tuple(dict.fromkeys(names)) if roles.label else (), ids_from)


def _ids(found: pa.Table, roles: Roles, where: Where, paths: pa.ChunkedArray | None) -> tuple[pa.ChunkedArray, str]:
    if roles.id:
        ids = as_text(plain(found.column(roles.id)))
        check_ids(ids, where, f"give every row a unique id in column {roles.id!r}")
        return ids, f"column {roles.id}"
    if roles.path:
        ids = as_text(plain(found.column(roles.path)))
        if roles.image is None:
            remedy = "add a column 'id', or put the captions of one picture into one row (caption_1, caption_2, …)"
            check_ids(ids, where, remedy)
            return ids, f"column {roles.path}"
        paths = ids
    # The file name stored with a picture's bytes is often missing or not unique: then rows are numbered.
    if paths is not None and paths.null_count == 0 and len(paths.unique()) == len(paths):
        return as_text(paths), "file name with the bytes"
    return pa.chunked_array([pa.array(np.arange(found.num_rows)).cast(pa.string())]), "row number"


def _labels(column: pa.ChunkedArray, names: Sequence[str], where: Where) -> tuple[pa.ChunkedArray, pa.ChunkedArray | None]:
    """Text labels, and their numbers where the data has both. An empty label, or -1 in a named list, means no label."""
    if pt.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    if pt.is_floating(column.type) and pc.all(pc.equal(column, pc.floor(column))).as_py() is not False:
        column = column.cast(pa.int64())
    if names and pt.is_integer(column.type):
        numbers = pc.if_else(pc.equal(column, -1), pa.scalar(None, column.type), column)
        wrong = pc.fill_null(pc.or_(pc.less(numbers, 0), pc.greater_equal(numbers, len(names))), False)
        if pc.any(wrong).as_py():
            row = first_true(wrong)
            raise DataError(f"{where(row)}: label {column[row].as_py()} has no name; the data names only 0 to {len(names) - 1}")
        return pa.chunked_array([pa.array(names, pa.string())]).take(numbers), numbers
    encoded = as_text(column).combine_chunks().dictionary_encode()
    texts = pc.utf8_normalize(pc.utf8_trim_whitespace(encoded.dictionary), "NFC")
    texts = pc.if_else(pc.equal(texts, ""), pa.scalar(None, pa.string()), texts)
    # A table saved by pandas with empty cells in a column of numbers has 3.0 for 3.
    if texts.null_count < len(texts) and pc.all(pc.match_substring_regex(texts, r"^-?[0-9]+\.0$")).as_py():
        texts = pc.utf8_slice_codeunits(texts, 0, -2)
    return pa.chunked_array([texts.take(encoded.indices)]), None


def _captions(columns: Sequence[pa.ChunkedArray], where: Where) -> pa.ChunkedArray:
    """Several columns, or one of text or of lists, as one list per row; empty captions are left out."""
    if len(columns) == 1 and not is_text(columns[0].type):
        lists = columns[0].cast(pa.list_(pa.string())).combine_chunks()
        texts, rows_of = lists.flatten(), pc.list_parent_indices(lists)
        full = _not_empty(texts)
        return _lists(texts, full, np.bincount(rows_of.to_numpy()[full], minlength=len(lists)))
    rows, width = len(columns[0]), len(columns)
    if width == 1 and (lists := _json_lists(columns[0], where)) is not None:
        return lists
    texts = pa.concat_arrays([as_text(column).combine_chunks() for column in columns])
    if width > 1:
        texts = texts.take(pa.array(np.arange(rows * width).reshape(width, rows).T.ravel()))
    full = _not_empty(texts)
    return _lists(texts, full, full.reshape(rows, width).sum(axis=1))


def _not_empty(texts: pa.Array) -> npt.NDArray[np.bool_]:
    empty = pc.fill_null(pc.or_(pc.equal(texts, ""), pc.utf8_is_space(texts)), True)
    return ~np.asarray(empty.to_numpy(zero_copy_only=False), dtype=bool)


def _lists(texts: pa.Array, full: npt.NDArray[np.bool_], counts: npt.NDArray[np.int64]) -> pa.ChunkedArray:
    offsets = pa.array(np.concatenate([[0], np.cumsum(counts)]), pa.int32())
    return pa.chunked_array([pa.ListArray.from_arrays(offsets, texts if full.all() else texts.filter(pa.array(full)))])


def _json_lists(column: pa.ChunkedArray, where: Where) -> pa.ChunkedArray | None:
    """Captions of a CSV where every cell is a JSON list of texts; None where they are plain texts."""
    if column.null_count == len(column) or not pc.all(pc.starts_with(column, "[")).as_py():
        return None
    if not pc.all(pc.match_substring_regex(column, r'^\[\s*("[\s\S]*)?\]\s*$')).as_py():
        return None
    lists: list[list[str]] = []
    for row, cell in enumerate(column.to_pylist()):
        texts = parse_json(cell or "[]", f"{where(row)}, captions that begin like a JSON list", unique=False, row=False)
        if not all(isinstance(text, str) for text in texts):
            raise DataError(f"{where(row)}: the captions are a JSON list with something other than texts; write texts only")
        lists.append([text for text in texts if text.strip()])
    return pa.chunked_array([pa.array(lists, pa.list_(pa.string()))])


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Without dictionary encoding."""
    return column.cast(column.type.value_type) if pt.is_dictionary(column.type) else column


def as_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    return column if pt.is_string(column.type) else column.cast(pa.string())


def first_true(mask: pa.ChunkedArray) -> int:
    return int(np.argmax(mask.to_numpy()))
