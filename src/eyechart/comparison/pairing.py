"""Pictures that all compared models classified, row by row, and a notice of everything in which the runs differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from eyechart.arrays import Flags, Floats, Indices
from eyechart.comparison.sides import Side
from eyechart.errors import DataError
from eyechart.findings.attributes import has_attribute
from eyechart.findings.prediction_groups import PredictionGroup, read_group
from eyechart.notice import Notice, counted

_COLUMNS = ("id", "cluster", "label", "class", "predicted", "predicted_class", "rank", "confidence", "ood_score", "attributes")


@dataclass(frozen=True, eq=False)
class PairedPictures:
    """The predictions of K models for the same n pictures.

    dataset: The dataset.
    role: Its role.
    of: The dataset that has the classes.
    prompts: The prompt set of each model.
    ids: The pictures.
    clusters: Equal numbers mark rows that are not independent: copies of a picture, and versions of one.
    classes: The names of all classes that are a label or were predicted.
    truth: [n] the true class, as an index into `classes`; -1 where it is unknown.
    predicted: [K, n] the predicted class, likewise.
    rank: [K, n] the rank of the true class, 1 for a correct prediction; 0 where it is unknown.
    confidence: [K, n] its probability; NaN where the model has none.
    ood_score: [K, n] the OOD score.
    attributes: For each picture the texts "name=value" of its attributes, as the first run has them.
    """

    dataset: str
    role: str
    of: str
    prompts: tuple[str | None, ...]
    ids: Sequence[str]
    clusters: Indices
    classes: tuple[str, ...]
    truth: Indices
    predicted: Indices
    rank: Indices
    confidence: Floats
    ood_score: Floats
    attributes: pa.Table

    def __len__(self) -> int:
        return len(self.ids)

    @cached_property
    def correct(self) -> Flags:
        """[K, n] whether the prediction is correct; False where the true class is unknown."""
        return np.asarray(self.rank == 1)

    def has(self, attribute: str) -> Flags:
        """Pictures that have this "name=value" among their attributes."""
        return has_attribute(self.attributes, attribute)

    @property
    def labelled(self) -> Indices:
        """The rows that have a true class."""
        return np.flatnonzero(self.truth >= 0)


def matching_groups(sides: Sequence[Side]) -> list[tuple[PredictionGroup, ...]]:
    """Groups of predictions that can be compared: of the same dataset and prompt set.

    Where the models of a dataset have no prompt set in common, the first of each is taken: a fine-tuned classifier has none.
    """
    by_side = [_by_dataset(side) for side in sides]
    shared = [key for key in by_side[0] if all(key in of for of in by_side)]
    found = []
    for key in shared:
        per_side = [of[key] for of in by_side]
        common = [prompts for prompts in per_side[0] if all(prompts in of for of in per_side)]
        if common:
            found += [tuple(of[prompts] for of in per_side) for prompts in common]
        else:
            found.append(tuple(next(iter(of.values())) for of in per_side))
    return found


def _by_dataset(side: Side) -> dict[tuple[str, str], dict[str | None, PredictionGroup]]:
    found: dict[tuple[str, str], dict[str | None, PredictionGroup]] = {}
    for group in side.groups:
        found.setdefault((group.dataset, group.of), {})[group.prompts] = group
    return found


def pair_pictures(sides: Sequence[Side], groups: Sequence[PredictionGroup]) -> tuple[PairedPictures, list[Notice]]:
    """The pictures that all models classified, sorted by id, and a notice where some have more.

    Raises:
        DataError: If no picture is shared, or if the runs give one picture different labels.
    """
    tables = [read_group(side.file, group, _COLUMNS).sort_by("id") for side, group in zip(sides, groups, strict=True)]
    ids = [np.asarray(table.column("id").to_pylist(), object) for table in tables]
    rows = _common_rows(ids)
    dataset, n = groups[0].dataset, len(rows[0])
    if n == 0:
        raise DataError(f"{dataset}: the runs have no picture in common; compare runs on the same data")
    tables = [table.take(pa.array(places)) for table, places in zip(tables, rows, strict=True)]
    _check_labels(dataset, sides, tables)
    codes: dict[str, int] = {}
    truth = _codes(tables[0], "class", codes)
    predicted = np.stack([_codes(table, "predicted_class", codes) for table in tables])
    paired = PairedPictures(
        dataset=dataset,
        role=groups[0].role,
        of=groups[0].of,
        prompts=tuple(group.prompts for group in groups),
        ids=ids[0][rows[0]].tolist(),
        clusters=np.unique(tables[0].column("cluster").to_numpy(), return_inverse=True)[1].astype(np.int64),
        classes=tuple(codes),
        truth=truth,
        predicted=predicted,
        rank=np.stack([table.column("rank").fill_null(0).to_numpy() for table in tables]).astype(np.int64),
        confidence=np.stack([table.column("confidence").to_numpy().astype(np.float32) for table in tables]),
        ood_score=np.stack([table.column("ood_score").to_numpy() for table in tables]),
        attributes=tables[0].select(["attributes"]),
    )
    return paired, _left_out(dataset, sides, ids, n)


def _common_rows(ids: "Sequence[np.ndarray[tuple[int], np.dtype[np.object_]]]") -> list[Indices]:
    """The rows of each table that have an id which all tables have, in the order of ids."""
    if all(len(other) == len(ids[0]) and (other == ids[0]).all() for other in ids[1:]):
        return [np.arange(len(ids[0]))] * len(ids)
    common = set(ids[0]).intersection(*ids[1:])
    return [np.array([row for row, id in enumerate(of) if id in common], np.int64) for of in ids]


def _codes(table: pa.Table, column: str, codes: dict[str, int]) -> Indices:
    """Each row's class as a number; names that are new get the next numbers."""
    values = table.column(column).combine_chunks()
    names = [codes.setdefault(name, len(codes)) for name in values.dictionary.to_pylist()]
    return np.asarray(np.array([*names, -1], np.int64)[values.indices.fill_null(len(names)).to_numpy()])


def _check_labels(dataset: str, sides: Sequence[Side], tables: Sequence[pa.Table]) -> None:
    first = np.asarray(tables[0].column("label").to_pylist(), object)
    for side, table in zip(sides[1:], tables[1:], strict=True):
        other = np.asarray(table.column("label").to_pylist(), object)
        if (different := np.flatnonzero(first != other)).size:
            row = int(different[0])
            raise DataError(
                f"{dataset}: {counted(len(different), 'picture')} have another label in the run of {side.name}, the first "
                f"{table.column('id')[row].as_py()} ({first[row]!r}, then {other[row]!r}); examine both with the same labels"
            )


def _left_out(
    dataset: str, sides: Sequence[Side], ids: "Sequence[np.ndarray[tuple[int], np.dtype[np.object_]]]", n: int
) -> list[Notice]:
    left = [f"{len(of) - n:,} of {side.name}" for side, of in zip(sides, ids, strict=True) if len(of) > n]
    if not left:
        return []
    what = f"{counted(n, 'picture')} in all runs; left out: {', '.join(left)}"
    return [Notice(dataset, what, "examine all models on the same pictures")]
