"""The gallery: pictures of a dataset with what was predicted, filtered, sorted and searched with the examined model itself."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Flags, Floats, Indices
from eyechart.data.dataset import Dataset
from eyechart.errors import UsageError, did_you_mean
from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.classification.top_classes import TopClasses, top_classes
from eyechart.workbench.design_desk import DesignDesk
from eyechart.workbench.live_design import LiveDesign
from eyechart.workbench.opened_model import OpenedPictures
from eyechart.workbench.picture_attributes import picture_attributes
from eyechart.workbench.scored_names import similarity_vectors

PAGE = 60
SORTS = ("surest wrong", "least confident", "most confident", "smallest margin", "most unusual", "file order")
_RANGES = {"confidence": "confidence", "margin": "margin", "ood": "ood"}


@dataclass(frozen=True)
class GalleryQuery:
    """Which pictures, and in which order.

    label: Only this label.
    predicted: Only this predicted class.
    correct: Only correct predictions, or only wrong ones.
    ranges: Bounds of confidence, margin and OOD score.
    groups: Only these values of attributes.
    rows: Only these rows.
    half: Only the explored or the held-out half, as class lists and thresholds are tried on them.
    sort: One of `SORTS`.
    offset: The first picture.
    """

    label: str | None = None
    predicted: str | None = None
    correct: bool | None = None
    ranges: Mapping[str, tuple[float | None, float | None]] | None = None
    groups: Mapping[str, str] | None = None
    rows: tuple[int, ...] | None = None
    half: Literal["explored", "held out"] | None = None
    sort: str = SORTS[0]
    offset: int = 0


class Gallery:
    """The pictures of one dataset under one class list.

    Args:
        desk: The model, and the dataset that has the classes.
        design: The class list.
        dataset: The dataset of the pictures; that of the classes by default.
        pictures: Only these of its pictures; all by default.
    """

    def __init__(
        self, desk: DesignDesk, design: LiveDesign, dataset: str | None = None, pictures: OpenedPictures | None = None
    ) -> None:
        self._desk, self._design = desk, design
        self.name = dataset or desk.dataset
        every = desk.pictures if self.name == desk.dataset else desk.opened.pictures(self.name)
        self.pictures: OpenedPictures = pictures or every

    @property
    def dataset(self) -> Dataset:
        return self.pictures.dataset

    @cached_property
    def ids(self) -> list[str]:
        return self.dataset.ids()

    @cached_property
    def top(self) -> TopClasses:
        vectors, duplicates = self._desk.class_vectors(self._design)
        self._desk.opened.score(self.name, [c.names for c in self._design.classes], self._design.templates)
        cosines = CosineLogits(self.pictures.vectors, vectors, 1.0, duplicates=duplicates)
        return top_classes(cosines, np.full(len(self.dataset), -1, np.int64), scale=self._desk.opened.logits[0])

    @cached_property
    def labels(self) -> npt.NDArray[np.object_]:
        if not self.dataset.has("label"):
            return np.full(len(self.dataset), None, object)
        return np.array(self.dataset.table.column("label").to_pylist(), object)

    @cached_property
    def correct(self) -> Flags:
        """False where the label is unknown, too."""
        right = {(label, number) for number, c in enumerate(self._design.classes) for label in c.labels}
        return np.array([(label, int(p)) in right for label, p in zip(self.labels, self.top.predicted, strict=True)], np.bool_)

    @cached_property
    def labeled(self) -> Flags:
        """Pictures whose prediction is correct or wrong: none where no label is one that a class is right for."""
        known = {label for c in self._design.classes for label in c.labels}
        if known.isdisjoint(self.labels):
            return np.zeros(len(self.labels), np.bool_)
        return np.array([bool(label) for label in self.labels], np.bool_)

    @cached_property
    def groups(self) -> dict[str, npt.NDArray[np.object_]]:
        return picture_attributes(self.dataset)

    @cached_property
    def facets(self) -> dict[str, Any]:
        """What can be filtered by."""
        counts = np.bincount(self.top.predicted, minlength=len(self._design.classes))
        names, sizes = np.unique([str(x) for x in self.labels if x is not None], return_counts=True)
        return {
            "n": len(self.dataset),
            "labels": [{"name": str(name), "n": int(n)} for name, n in zip(names, sizes, strict=True)],
            "predicted": [{"name": c.name, "n": int(n)} for c, n in zip(self._design.classes, counts, strict=True)],
            "groups": {name: [str(v) for v in sorted({v for v in of if v is not None})] for name, of in self.groups.items()},
            "ranges": {name: _limits(of) for name, of in self._numbers.items()},
            "sorts": list(SORTS),
            "wrong": int((self.labeled & ~self.correct).sum()),
        }

    def select(self, query: GalleryQuery, similarity: Floats | None = None) -> tuple[int, Indices]:
        """How many pictures match, and those of one page; the most similar first where a similarity is given."""
        rows = np.flatnonzero(self._matching(query))
        keys = -similarity[rows] if similarity is not None else self._order(query.sort)[rows]
        order = rows[np.argsort(keys, kind="stable")]
        return len(order), order[query.offset : query.offset + PAGE]

    def matching(self, query: GalleryQuery) -> Indices:
        return np.flatnonzero(self._matching(query))

    def most_predicted(self, query: GalleryQuery) -> str | None:
        """The most frequent prediction among the pictures that match; None where none does."""
        counts = np.bincount(self.top.predicted[self._matching(query)], minlength=len(self._design.classes))
        return self._design.classes[int(counts.argmax())].name if counts.any() else None

    def row(self, row: int) -> dict[str, Any]:
        """Everything about one picture."""
        p = self.top.probabilities
        names = [c.name for c in self._design.classes]
        top = [
            {"name": names[int(c)], "p": None if p is None else float(p[row, place])}
            for place, c in enumerate(self.top.classes[row])
        ]
        return {
            "row": int(row),
            "id": self.ids[row],
            "label": self.labels[row],
            "predicted": top[0]["name"],
            "correct": bool(self.correct[row]) if self.labeled[row] else None,
            "confidence": top[0]["p"],
            "margin": _number(self.top.margin[row]),
            "ood": float(self.top.mcm[row]),
            "top": top,
            "groups": {name: None if of[row] is None else str(of[row]) for name, of in self.groups.items()},
        }

    def like_words(self, words: str) -> Floats:
        """The cosine of every picture with some words."""
        if not words.strip() or len(words) > 300:
            raise UsageError("search for 1 to 300 characters")
        if self._desk.opened.names is None:
            return np.asarray(self.pictures.vectors @ self._desk.opened.text_vectors([words.strip()])[0])
        self._desk.opened.score(self.name, [(words.strip(),)], self._design.templates)
        searched = self._desk.opened.class_vectors([(words.strip(),)], self._design.templates)
        return np.asarray(self.pictures.vectors @ searched[0])

    def like_vector(self, vector: Floats) -> Floats:
        """The similarity of every picture to a vector: the cosine, or for a model that scores names that of probabilities."""
        if self._desk.opened.names is None:
            return np.asarray(self.pictures.vectors @ vector)
        classes, _ = self._desk.class_vectors(self._design)
        return np.asarray(self.map_vectors @ similarity_vectors((classes @ vector)[None])[0])

    @property
    def map_vectors(self) -> Floats:
        """Unit vectors in which near pictures are alike to the model."""
        if self._desk.opened.names is None:
            return self.pictures.vectors
        _ = self.top  # scores the classes
        classes, _ = self._desk.class_vectors(self._design)
        return similarity_vectors(self.pictures.vectors @ classes.T)

    @cached_property
    def _numbers(self) -> dict[str, Floats]:
        p = self.top.probabilities
        confidence = np.full(len(self.dataset), np.nan, np.float32) if p is None else p[:, 0]
        return {"confidence": confidence, "margin": self.top.margin, "ood": self.top.mcm}

    def _matching(self, query: GalleryQuery) -> Flags:
        keep = np.ones(len(self.dataset), np.bool_)
        if query.label is not None:
            keep &= self.labels == query.label
        if query.predicted is not None:
            names = [c.name for c in self._design.classes]
            if query.predicted not in names:
                raise UsageError(f"{query.predicted!r} is not a class{did_you_mean(query.predicted, names)}")
            keep &= self.top.predicted == names.index(query.predicted)
        if query.correct is not None:
            keep &= self.labeled & (self.correct == query.correct)
        for name, (low, high) in (query.ranges or {}).items():
            if name not in self._numbers:
                raise UsageError(f"{name!r} is not one of {', '.join(_RANGES)}")
            values = self._numbers[name]
            keep &= np.ones(len(values), np.bool_) if low is None else np.asarray(values >= low)
            keep &= np.ones(len(values), np.bool_) if high is None else np.asarray(values <= high)
        for name, value in (query.groups or {}).items():
            if name not in self.groups:
                raise UsageError(f"there is no attribute {name!r}{did_you_mean(name, self.groups)}")
            keep &= np.array([str(v) == value for v in self.groups[name]], np.bool_)
        if query.half is not None:
            if self.name != self._desk.dataset:
                raise UsageError(f"{self.name} is not divided into halves; only {self._desk.dataset} is")
            half = self._desk.explore if query.half == "explored" else self._desk.held_out
            keep &= np.isin(np.arange(len(keep)), half.rows)
        if query.rows is not None:
            chosen = np.zeros(len(keep), np.bool_)
            chosen[[row for row in query.rows if 0 <= row < len(keep)]] = True
            keep &= chosen
        return keep

    def _order(self, sort: str) -> npt.NDArray[np.float64]:
        confidence = np.nan_to_num(self._numbers["confidence"].astype(np.float64))
        if sort == "surest wrong":
            return np.asarray(np.where(self.labeled & ~self.correct, -confidence, 2 - confidence))
        keys = {
            "least confident": confidence,
            "most confident": -confidence,
            "smallest margin": np.nan_to_num(self.top.margin.astype(np.float64), nan=2.0),
            "most unusual": self.top.mcm.astype(np.float64),
            "file order": np.arange(len(confidence), dtype=np.float64),
        }
        if sort not in keys:
            raise UsageError(f"sort must be one of {', '.join(SORTS)}")
        return keys[sort]


def few_pictures(desk: DesignDesk, design: LiveDesign, rows: Sequence[int]) -> list[dict[str, Any]]:
    """Everything about a few pictures, without classifying the others under this class list.

    Raises:
        UsageError: If there is no such picture.
    """
    if any(not 0 <= row < len(desk.pictures.dataset) for row in rows):
        raise UsageError("there is no such picture")
    desk.class_vectors(design)  # a model without vectors scores the classes first
    of, at = desk.pictures, np.array(rows, np.int64)
    taken = replace(of, dataset=of.dataset.take(at), vectors=of.vectors[at], units=of.units[at])
    gallery = Gallery(desk, design, pictures=taken)
    return [{**gallery.row(place), "row": int(row)} for place, row in enumerate(rows)]


def _limits(values: Floats) -> list[float] | None:
    known = values[np.isfinite(values)]
    return [float(known.min()), float(known.max())] if len(known) else None


def _number(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None
