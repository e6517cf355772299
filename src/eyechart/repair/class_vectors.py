"""Class vectors from files, for users who have vectors and no text encoder: one file per prompt set, a row per class.

A file is .npy with an array [C, d] in the order of the classes, or .npz with one such array and, optionally, an array of names:
labels or names of classes. With names the order does not matter, and other rows are ignored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats
from eyechart.data.classes import ClassList, PictureClass
from eyechart.errors import DataError, UsageError, did_you_mean
from eyechart.files.npz import read_npy, read_npz
from eyechart.metrics.vectors import unit
from eyechart.prompts.prompt_set import PromptSet


@dataclass(frozen=True, eq=False)
class NamedVectors:
    """Vectors of a file.

    vectors: [n, d].
    names: The name of each row; None where the file has none.
    """

    vectors: Floats
    names: tuple[str, ...] | None


@dataclass(frozen=True, eq=False)
class ClassVectors:
    """The class vectors of some prompt sets, as texts that can be looked up.

    prompts: One prompt set per file; its template is unique to it.
    classes: The classes; those of one name have the label behind it.
    table: The vector of each text.
    """

    prompts: tuple[PromptSet, ...]
    classes: ClassList
    table: Mapping[str, Floats]

    def __call__(self, texts: Sequence[str]) -> Floats:
        return np.array([self.table[text] for text in texts], np.float32)


def read_vectors(path: Path, thing: str) -> NamedVectors:
    """The vectors of a .npy or .npz file, each finite and not zero."""
    if not path.is_file():
        raise UsageError(f"{path}: there is no such file; give a .npy or .npz file with vectors of {thing}")
    if path.suffix == ".npy":
        vectors, names = read_npy(path), None
    elif path.suffix == ".npz":
        vectors, names = _of_archive(path, read_npz(path))
    else:
        raise UsageError(f"{path}: the ending {path.suffix!r} is unknown; give a .npy or .npz file with vectors of {thing}")
    if vectors.ndim != 2 or vectors.dtype.kind != "f" or not vectors.size:
        raise DataError(
            f"{path}: its array has shape {vectors.shape} and type {vectors.dtype}; give [n, d] floating-point numbers"
        )
    wrong = np.flatnonzero(~np.isfinite(vectors).all(axis=1) | ~vectors.any(axis=1))
    if len(wrong):
        raise DataError(f"{path}, row {wrong[0]}: its vector is zero, or holds NaN or infinity; compute it again")
    return NamedVectors(np.ascontiguousarray(vectors, np.float32), names)


def _of_archive(
    path: Path, arrays: Mapping[str, npt.NDArray[np.generic]]
) -> tuple[npt.NDArray[np.generic], tuple[str, ...] | None]:
    matrices = [name for name, array in arrays.items() if array.ndim == 2]
    lists = [name for name, array in arrays.items() if array.ndim == 1 and array.dtype.kind == "U"]
    if len(matrices) != 1 or len(lists) > 1:
        raise DataError(f"{path}: it has the arrays {', '.join(arrays)}; give one [n, d] array, and at most one list of names")
    vectors = arrays[matrices[0]]
    names = tuple(str(name) for name in arrays[lists[0]].tolist()) if lists else None
    if names is not None and len(names) != len(vectors):
        raise DataError(f"{path}: it has {len(names)} names and {len(vectors)} vectors; give one name per vector")
    return vectors, names


def class_vectors(files: Mapping[str, Path], classes: ClassList) -> ClassVectors:
    """The class vectors of all files, by the name of the prompt set that each stands for."""
    told_apart = _told_apart(classes)
    prompts, table = [], dict[str, Floats]()
    for name, path in files.items():
        found = read_vectors(path, "classes")
        width = found.vectors.shape[1]
        if table and width != len(next(iter(table.values()))):
            raise DataError(
                f"{path}: its vectors have {width} numbers, and those of the file before others; give files of one model"
            )
        vectors = unit(_in_class_order(path, found, classes))
        template = f"{{}} [{name}]"
        table |= {template.replace("{}", c.name): vector for c, vector in zip(told_apart, vectors, strict=True)}
        prompts.append(PromptSet(name, (template,), f"class vectors of {path.name}"))
    _refuse_same_classes(classes, told_apart, prompts, table)
    return ClassVectors(tuple(prompts), told_apart, table)


def _refuse_same_classes(
    classes: ClassList, told_apart: ClassList, prompts: Sequence[PromptSet], table: Mapping[str, Floats]
) -> None:
    """DataError for two classes of one name with the same vector in every file: nothing would tell them apart."""
    seen: dict[tuple[str, bytes], str] = {}
    for c, apart in zip(classes, told_apart, strict=True):
        mine = np.stack([table[of.templates[0].replace("{}", apart.name)] for of in prompts])
        other = seen.setdefault((c.name, mine.tobytes()), c.label)
        if other != c.label:
            raise DataError(
                f"the classes {other!r} and {c.label!r} are both named {c.name!r} and have the same vectors; "
                "give them vectors that differ, or merge them"
            )


def _in_class_order(path: Path, found: NamedVectors, classes: ClassList) -> Floats:
    if found.names is None:
        if len(found.vectors) != len(classes):
            raise DataError(
                f"{path}: it has {len(found.vectors)} vectors, and there are {len(classes)} classes; give one row per class in "
                f"their order ({classes[0].label!r} first), or an .npz file with names"
            )
        return found.vectors
    rows: dict[str, list[int]] = {}
    for row, name in enumerate(found.names):
        rows.setdefault(name, []).append(row)
    return found.vectors[[_row_of(path, rows, c) for c in classes]]


def _row_of(path: Path, rows: Mapping[str, Sequence[int]], c: PictureClass) -> int:
    for name in (c.label, *c.names):
        if name in rows:
            if len(rows[name]) > 1:
                raise DataError(f"{path}: {name!r} names rows {rows[name][0]} and {rows[name][1]}; write the label of each class")
            return rows[name][0]
    raise DataError(f"{path}: no row is called {c.label!r} or {c.name!r}{did_you_mean(c.name, rows)}")


def _told_apart(classes: ClassList) -> ClassList:
    """The classes with one name each. Classes of one name get their label behind it."""
    names = [c.name for c in classes]
    made = tuple(replace(c, name=f"{c.name} ({c.label})" if names.count(c.name) > 1 else c.name, synonyms=()) for c in classes)
    return replace(classes, classes=made)
