"""Predictions: what a model answered for each picture, in one table of the run, `predictions.parquet`.

A probe hands back arrays (`Predictions`). They become rows in batches, so that a million pictures never exist as a million
strings; each unit of work writes its own part, and the run's table is copied together from the parts, batch by batch.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from eyechart.arrays import Flags, Floats, Indices
from eyechart.errors import StoreError
from eyechart.files.parquet import CHECKSUMS, VERIFY
from eyechart.files.readable import require_regular
from eyechart.findings.added_attributes import AddedAttributes
from eyechart.findings.attributes import attribute_lists

FILE = "predictions.parquet"
TOP = 5  # classes kept for each picture
BATCH = 1 << 16  # rows in memory at once, and in a row group

_NAME = pa.dictionary(pa.int32(), pa.string())

SCHEMA = pa.schema(
    [
        pa.field("model", _NAME, nullable=False),
        pa.field("dataset", _NAME, nullable=False),
        pa.field("role", _NAME, nullable=False),
        pa.field("of", _NAME, nullable=False),
        pa.field("design", _NAME),
        pa.field("prompts", _NAME),
        pa.field("id", pa.string(), nullable=False),
        pa.field("cluster", pa.int64(), nullable=False),
        pa.field("label", _NAME),
        pa.field("class", _NAME),
        pa.field("predicted", _NAME, nullable=False),
        pa.field("predicted_class", _NAME, nullable=False),
        pa.field("rank", pa.int32()),
        pa.field("confidence", pa.float32()),
        pa.field("margin", pa.float32()),
        pa.field("ood_score", pa.float32(), nullable=False),
        pa.field("top5_labels", pa.list_(pa.string(), TOP), nullable=False),
        pa.field("top5_classes", pa.list_(pa.string(), TOP), nullable=False),
        pa.field("top5_probabilities", pa.list_(pa.float32(), TOP), nullable=False),
        pa.field("attributes", pa.list_(pa.string()), nullable=False),
    ],
    metadata={"eyechart.schema": "prediction/2"},
)
NAMES = [field.name for field in SCHEMA if field.type == _NAME]  # columns of a few distinct texts


@dataclass(frozen=True, eq=False)
class Predictions:
    """What a probe returns where it classified pictures: one row per picture, all under one prompt set.

    ids: The id of each picture.
    clusters: Equal numbers mark rows that are not independent: copies of a picture, and versions of one.
    labels: The label of each class, as the dataset spells it.
    titles: The name of each class, as it is shown.
    truth: The true class of each picture, as an index into `labels`; -1 where it is unknown.
    top: [n, k ≤ 5] the classes with the highest scores, best first.
    probabilities: [n, k] their probabilities; None where the model's scores are not probabilities.
    margin: Probability of the best class − that of the second; NaN where one of them is missing.
    rank: How many classes come before the true one; -1 where it is unknown.
    ood_score: A score that is higher for in-distribution pictures: MCM by prompts, MSP for a classifier of its own.
    prompts: The prompt set; None for a classifier without prompts.
    dataset: The dataset of the pictures; None for the one that the probe is run on.
    design: The class design with the predicted classes; None for the classes of the dataset.
    attributes: Attribute → its value for each picture as text, null where it is unknown.
    """

    ids: Sequence[str]
    clusters: Indices
    labels: Sequence[str]
    titles: Sequence[str]
    truth: Indices
    top: Indices
    probabilities: Floats | None
    margin: Floats
    rank: Indices
    ood_score: Floats
    prompts: str | None = None
    dataset: str | None = None
    design: str | None = None
    attributes: Mapping[str, pa.Array] = field(default_factory=dict)

    def __post_init__(self) -> None:
        rows = len(self.ids)
        lengths = {name: len(getattr(self, name)) for name in ("clusters", "truth", "top", "margin", "rank", "ood_score")}
        wrong = [name for name, length in lengths.items() if length != rows]
        if self.probabilities is not None and self.probabilities.shape != self.top.shape:
            wrong.append("probabilities")
        wrong += [f"attribute {name}" for name, values in self.attributes.items() if len(values) != rows]
        if wrong or len(self.labels) != len(self.titles):
            raise ValueError(f"predictions: {', '.join(wrong) or 'titles'} must have one entry for each id (or label)")
        if len(set(self.ids)) != rows:
            raise ValueError("predictions: an id occurs twice")

    def batches(self, *, model: str, dataset: str, roles: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
        """Rows of the schema, in batches.

        Args:
            model: The model.
            dataset: The dataset that the probe was run on, whose classes were predicted.
            roles: The role of each dataset.
        """
        own = self.dataset or dataset
        if own not in roles:
            raise ValueError(f"predictions: {own!r} is not the probe's dataset or a companion of it")
        about: dict[str, str | None] = {"model": model, "dataset": own, "role": roles[own], "of": dataset}
        about |= {"design": self.design, "prompts": self.prompts}
        labels, titles = pa.array(self.labels, pa.string()), pa.array(self.titles, pa.string())
        for start in range(0, len(self.ids), BATCH):
            yield self._batch(slice(start, start + BATCH), about, labels, titles)

    def _batch(self, rows: slice, about: Mapping[str, str | None], labels: pa.Array, titles: pa.Array) -> pa.RecordBatch:
        ids = self.ids[rows]
        true, top, rank = self.truth[rows], self.top[rows], self.rank[rows]
        unknown = true < 0
        p = None if self.probabilities is None else self.probabilities[rows]
        padded = np.full((len(ids), TOP), -1, np.int64)
        padded[:, : top.shape[1]] = top  # a list of fewer than five classes ends in nulls
        places = pa.array(padded.ravel(), mask=padded.ravel() < 0)
        columns: dict[str, pa.Array] = {name: _repeated(value, len(ids)) for name, value in about.items()}
        columns |= {
            "id": pa.array(ids, pa.string()),
            "cluster": pa.array(self.clusters[rows], pa.int64()),
            "label": _named(true, unknown, labels),
            "class": _named(true, unknown, titles),
            "predicted": _named(top[:, 0], None, labels),
            "predicted_class": _named(top[:, 0], None, titles),
            "rank": pa.array(rank + 1, pa.int32(), mask=rank < 0),
            "confidence": pa.nulls(len(ids), pa.float32()) if p is None else pa.array(p[:, 0], pa.float32()),
            "margin": pa.array(self.margin[rows], pa.float32(), from_pandas=True),  # NaN becomes null
            "ood_score": pa.array(self.ood_score[rows], pa.float32()),
            "top5_labels": _lists(labels.take(places)),
            "top5_classes": _lists(titles.take(places)),
            "top5_probabilities": _probability_lists(p, len(ids)),
            "attributes": attribute_lists({name: values[rows] for name, values in self.attributes.items()}, len(ids)),
        }
        return pa.RecordBatch.from_arrays([columns[name] for name in SCHEMA.names], schema=SCHEMA)


def _repeated(value: str | None, n: int) -> pa.Array:
    indices = pa.nulls(n, pa.int32()) if value is None else pa.array(np.zeros(n, np.int32))
    return pa.DictionaryArray.from_arrays(indices, pa.array([] if value is None else [value], pa.string()))


def _named(classes: Indices, missing: Flags | None, names: pa.Array) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(classes.astype(np.int32), mask=missing), names)


def _lists(values: pa.Array) -> pa.Array:
    return pa.FixedSizeListArray.from_arrays(values, TOP)


def _probability_lists(p: Floats | None, n: int) -> pa.Array:
    padded = np.full((n, TOP), np.nan, np.float32)
    if p is not None:
        padded[:, : p.shape[1]] = p
    return _lists(pa.array(padded.ravel(), pa.float32(), from_pandas=True))


Group = tuple[str, str, str, str | None, str | None]  # model, dataset, of, design, prompts: one classifier on one dataset


def write_part(path: Path, predictions: Sequence[Predictions], *, model: str, dataset: str, roles: Mapping[str, str]) -> None:
    """Write the predictions of one unit of work; each group is one row group or several."""
    with _writer(path) as writer:
        for given in predictions:
            for batch in given.batches(model=model, dataset=dataset, roles=roles):
                writer.write_batch(batch, row_group_size=BATCH)


def write_predictions(path: Path, parts: Iterable[Path]) -> None:
    """Copy parts together, row group by row group.

    Of a group that several parts have, the first part's rows are kept, with the attributes that only later parts have.
    """
    owner: dict[Group, Path] = {}
    later: dict[Group, list[tuple[Path, int]]] = {}
    for part, number, group in (found := list(_row_groups(parts))):
        if owner.setdefault(group, part) != part:
            later.setdefault(group, []).append((part, number))
    added = {group: AddedAttributes(_pieces(places)) for group, places in later.items()}
    with _writer(path) as writer:
        for part, number, group in found:
            if owner[group] == part:
                table = _complete(_read(part, number)).cast(SCHEMA)
                table = added[group].onto(table) if group in added else table
                writer.write_table(table, row_group_size=BATCH)


def _row_groups(parts: Iterable[Path]) -> Iterator[tuple[Path, int, Group]]:
    for part in parts:
        with pq.ParquetFile(part, memory_map=True, read_dictionary=NAMES, **VERIFY) as file:
            columns = [name for name in NAMES if name in file.schema_arrow.names]
            for number in range(file.num_row_groups):
                yield part, number, _group(file.read_row_group(number, columns=columns))


def _pieces(places: Iterable[tuple[Path, int]]) -> Iterator[pa.Table]:
    for part, number in places:
        yield _complete(_read(part, number)).select(["id", "attributes"])


def _read(part: Path, number: int) -> pa.Table:
    with pq.ParquetFile(part, memory_map=True, read_dictionary=NAMES, **VERIFY) as file:
        return file.read_row_group(number)


def read_predictions(path: Path) -> pq.ParquetFile:
    """The predictions of a run: memory-mapped, and read by row group or as a whole."""
    require_regular(path, error=StoreError)
    try:
        schema = pq.ParquetFile(path, memory_map=True).schema_arrow
        names = [name for name in NAMES if (place := schema.get_field_index(name)) >= 0 and _is_text(schema.field(place).type)]
        file = pq.ParquetFile(path, memory_map=True, read_dictionary=names, **VERIFY)
    except FileNotFoundError:
        raise StoreError(f"{path} is missing: the run is from an older version; examine again to write it") from None
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise StoreError(f"{path} cannot be read ({error}); examine again to write it") from error
    missing = [name for name in SCHEMA.names if name not in file.schema_arrow.names]
    if missing:
        raise StoreError(f"{path}: column {missing[0]!r} is missing; the file is from another version, so examine again")
    odd = [name for name in SCHEMA.names if not _same_type(file.schema_arrow, name)]
    if odd:
        raise StoreError(f"{path}: column {odd[0]!r} has another type than a run writes; examine again to write it")
    return file


def _same_type(found: pa.Schema, name: str) -> bool:
    if found.get_field_index(name) < 0:  # two of this name
        return False
    here, there = (schema.field(schema.get_field_index(name)).type for schema in (found, SCHEMA))
    plain = [kind.value_type if pa.types.is_dictionary(kind) else kind for kind in (here, there)]
    if all(map(_is_list, plain)):
        plain = [kind.value_type for kind in plain]
    return bool(plain[0] == plain[1])


def _is_text(kind: pa.DataType) -> bool:
    return bool(pa.types.is_string(kind) or (pa.types.is_dictionary(kind) and pa.types.is_string(kind.value_type)))


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_fixed_size_list(kind))


def _complete(table: pa.Table) -> pa.Table:
    """With the columns that a part of an earlier version lacks: no design, no attributes."""
    if "design" not in table.column_names:
        table = table.append_column("design", _repeated(None, table.num_rows))
    if "attributes" not in table.column_names:
        table = table.append_column("attributes", attribute_lists({}, table.num_rows))
    return table.select(SCHEMA.names)


def _group(table: pa.Table) -> Group:
    names = [name for name in ("model", "dataset", "of", "design", "prompts") if name in table.column_names]
    first = {name: table.column(name)[0].as_py() for name in names}
    return first["model"], first["dataset"], first["of"], first.get("design"), first["prompts"]


def _writer(path: Path) -> pq.ParquetWriter:
    texts = [*NAMES, "top5_labels.list.element", "top5_classes.list.element", "attributes.list.element"]
    return pq.ParquetWriter(path, SCHEMA, compression="zstd", use_dictionary=texts, **CHECKSUMS)
