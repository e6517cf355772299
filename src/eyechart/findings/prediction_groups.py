"""The predictions of one classifier on one dataset, without reading those of the others."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.parquet as pq

from eyechart.errors import StoreError
from eyechart.files.readable import readable


@dataclass(frozen=True)
class PredictionGroup:
    """Rows of one model, dataset and prompt set.

    model: The model.
    dataset: The dataset of the pictures.
    of: The dataset that has the classes.
    role: The role of the dataset.
    design: The class design with the predicted classes; None for the classes of a dataset.
    prompts: The prompt set; None for a classifier without prompts.
    row_groups: Where the rows are in the file.
    """

    model: str
    dataset: str
    of: str
    role: str
    design: str | None
    prompts: str | None
    row_groups: tuple[int, ...]


def prediction_groups(file: pq.ParquetFile, *, designs: bool = False) -> list[PredictionGroup]:
    """The groups of a run, in the order of the file. A row group has rows of one group only.

    Args:
        file: The predictions of a run.
        designs: Also the groups that predict the classes of a class design.
    """
    columns = ["model", "dataset", "of", "role", "design", "prompts"]
    found: dict[str, PredictionGroup] = {}
    for number in range(file.num_row_groups):
        rows = read_row_group(file, number, columns).slice(0, 1).to_pylist()
        if not rows or (rows[0]["design"] is not None and not designs):
            continue
        first = rows[0]
        known = found.setdefault(repr(first), PredictionGroup(**first, row_groups=()))
        found[repr(first)] = replace(known, row_groups=(*known.row_groups, number))
    return list(found.values())


def read_row_group(file: pq.ParquetFile, number: int, columns: Sequence[str] | None = None) -> pa.Table:
    """These columns of a row group, or all.

    Raises:
        StoreError: If they are damaged.
    """
    with readable("predictions.parquet", error=StoreError, remedy="examine again to write it"):
        table = file.read_row_group(number, columns=None if columns is None else list(columns))
        table.validate(full=True)
        return table


def read_group(file: pq.ParquetFile, group: PredictionGroup, columns: Sequence[str]) -> pa.Table:
    """These columns of the rows of a group, with one dictionary for each column of texts."""
    with readable("predictions.parquet", error=StoreError, remedy="examine again to write it"):
        table = file.read_row_groups(list(group.row_groups), columns=list(columns)).unify_dictionaries()
        table.validate(full=True)
        return table
