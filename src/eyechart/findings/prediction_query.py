"""Choose rows of the predictions: by model, dataset, prompts, class and correctness, sorted and limited, in bounded memory."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from eyechart.arrays import Flags
from eyechart.errors import UsageError, did_you_mean
from eyechart.findings.attributes import has_attribute
from eyechart.findings.prediction_groups import read_row_group

Order = Literal["confidence", "margin", "rank", "ood"]
ORDERS: tuple[Order, ...] = get_args(Order)
# What a person looks for first: confident answers, close decisions, true classes that are far down, unfamiliar pictures.
_KEYS = {
    "confidence": ("confidence", "descending"),
    "margin": ("margin", "ascending"),
    "rank": ("rank", "descending"),
    "ood": ("ood_score", "ascending"),
}
_TURNED = {"ascending": "descending", "descending": "ascending"}


@dataclass(frozen=True)
class PredictionQuery:
    """Which rows, and in which order.

    model: Only this model.
    dataset: Only pictures of this dataset.
    design: Only predictions among the classes of this class design. None: among the classes of the dataset.
    prompts: Only this prompt set.
    without_prompts: Leave out these prompt sets.
    without_datasets: Leave out pictures of these datasets.
    where: Only pictures with all these attributes, as "name=value".
    label: Only pictures of this class: its label or its name.
    predicted: Only pictures that were predicted as this class.
    correct: Only correct predictions, or only wrong ones. Pictures without a label are neither.
    sort: "confidence" (highest first), "margin" (lowest first), "rank" (highest first) or "ood" (lowest score first).
    reverse: Turn that order around.
    limit: At most this many rows.
    """

    model: str | None = None
    dataset: str | None = None
    design: str | None = None
    prompts: str | None = None
    without_prompts: tuple[str, ...] = ()
    without_datasets: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    label: str | None = None
    predicted: str | None = None
    correct: bool | None = None
    sort: Order | None = None
    reverse: bool = False
    limit: int | None = None


def select_predictions(file: pq.ParquetFile, query: PredictionQuery) -> Iterator[pa.Table]:
    """The chosen rows, in pieces. With a limit, sorting keeps no more rows than that in memory, and one row group.

    Raises:
        UsageError: If the query names a model, dataset, prompt set or class that no row has.
    """
    if query.sort is None:
        yield from _limited(_matching(file, query), query.limit)
        return
    column, order = _KEYS[query.sort]
    order = _TURNED[order] if query.reverse else order
    best = file.schema_arrow.empty_table()
    for piece in _matching(file, query):
        both = pa.concat_tables([best, piece], promote_options="permissive")
        best = both.take(pc.sort_indices(both, [(column, order)])[: query.limit])
    yield best


def count_predictions(file: pq.ParquetFile, query: PredictionQuery) -> int:
    """How many rows match, without the limit."""
    return sum(piece.num_rows for piece in _matching(file, query))


def count_confusions(file: pq.ParquetFile, query: PredictionQuery) -> Counter[tuple[str, str]]:
    """(class, wrong class that it was predicted as) → number of pictures."""
    counts: Counter[tuple[str, str]] = Counter()
    for piece in _matching(file, replace(query, correct=False)):
        pairs = piece.group_by(["class", "predicted_class"]).aggregate([([], "count_all")]).to_pydict()
        counts.update(dict(zip(zip(pairs["class"], pairs["predicted_class"], strict=True), pairs["count_all"], strict=True)))
    return counts


def _limited(pieces: Iterator[pa.Table], limit: int | None) -> Iterator[pa.Table]:
    left = limit
    for piece in pieces:
        shown = piece if left is None else piece.slice(0, left)
        yield shown
        if left is not None:
            left -= shown.num_rows
            if left == 0:
                return


def _matching(file: pq.ParquetFile, query: PredictionQuery) -> Iterator[pa.Table]:
    """Row groups, filtered. A name that no row has is an error, with the nearest one that is there."""
    wanted = {
        "--model": (query.model, ("model",)),
        "--dataset": (query.dataset, ("dataset",)),
        "--design": (query.design, ("design",)),
        "--prompts": (query.prompts, ("prompts",)),
        "--class": (query.label, ("label", "class")),
        "--predicted": (query.predicted, ("predicted", "predicted_class", "label", "class")),
    }
    _check_names(file, {flag: (name, columns) for flag, (name, columns) in wanted.items() if name is not None})
    _check_attributes(file, query.where)
    asked = {"model": query.model, "dataset": query.dataset, "prompts": query.prompts}
    named = {column: name for column, name in asked.items() if name is not None}
    for number in range(file.num_row_groups):
        if named and not _may_hold(file, number, named):
            continue
        table = read_row_group(file, number)
        keep = np.ones(table.num_rows, bool)
        for name, columns in wanted.values():
            if name is not None:
                before = keep.copy()
                keep &= np.logical_or.reduce([_equal(table, column, name) for column in columns[:2]])
                if len(columns) > 1:
                    keep |= before & _has_name(table, columns[0], columns[1], name)
        if query.design is None:
            keep &= np.asarray(table.column("design").is_null().to_numpy(), np.bool_)
        for name in query.without_prompts:
            keep &= ~_equal(table, "prompts", name)
        for name in query.without_datasets:
            keep &= ~_equal(table, "dataset", name)
        for text in query.where:
            keep &= has_attribute(table, text)
        if query.correct is not None:
            rank = table.column("rank").fill_null(0).to_numpy()
            keep &= (rank == 1) if query.correct else (rank > 1)
        if keep.any():
            yield table.filter(pa.array(keep))


def _may_hold(file: pq.ParquetFile, number: int, named: dict[str, str]) -> bool:
    """Whether a row group can have rows with these names. A group holds one model, dataset and prompt set, so that a table of
    millions of rows is read in the part that is asked for.

    The columns are read, not their statistics: those have no checksum, and pyarrow ends the process over damaged ones.
    """
    table = read_row_group(file, number, list(named))
    return all(name in table.column(column).unique().to_pylist() for column, name in named.items())


def _equal(table: pa.Table, column: str, name: str) -> Flags:
    equal = pc.equal(table.column(column).cast(pa.string()), name).fill_null(False)
    return np.asarray(equal.to_numpy(), np.bool_)


def _has_name(table: pa.Table, label: str, title: str, name: str) -> Flags:
    """Rows with the title 'label (name)'."""
    labels = table.column(label).cast(pa.string())
    equal = pc.equal(table.column(title).cast(pa.string()), pc.binary_join_element_wise(labels, f" ({name})", ""))
    return np.asarray(equal.fill_null(False).to_numpy(), np.bool_)


def _check_attributes(file: pq.ParquetFile, where: tuple[str, ...]) -> None:
    if not where:
        return
    known: set[str] = set()
    for number in range(file.num_row_groups):
        column = read_row_group(file, number, ["attributes"]).column("attributes")
        known.update(pc.list_flatten(column).unique().to_pylist())
    for text in where:
        if text not in known:
            name, is_pair, _ = text.partition("=")
            values = sorted(other for other in known if other.startswith(f"{name}="))
            names = sorted({other.partition("=")[0] for other in known})
            if not is_pair:
                why = "give an attribute and its value, NAME=VALUE"
            elif values:
                why = f"no prediction has it{did_you_mean(text, values) or f'; there is {_some(values)}'}"
            else:
                why = (
                    f"no picture has the attribute{did_you_mean(name, names) or (f'; there is {_some(names)}' if names else '')}"
                )
            raise UsageError(f"--where {text}: {why}")


def _some(names: Sequence[str]) -> str:
    return ", ".join(names[:8]) + (" …" if len(names) > 8 else "")


def _check_names(file: pq.ParquetFile, wanted: dict[str, tuple[str, tuple[str, ...]]]) -> None:
    for flag, (name, columns) in wanted.items():
        known: set[str] = set()
        for number in range(file.num_row_groups):
            table = read_row_group(file, number, columns)
            for column in columns:
                known.update(value for value in table.column(column).unique().to_pylist() if value is not None)
        if name not in known and not any(f"{label} ({name})" in known for label in known):
            shown = f"; there is {_some(sorted(known))}" if known else ""
            raise UsageError(f"{flag} {name}: no prediction has it{did_you_mean(name, known) or shown}")
