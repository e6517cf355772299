"""Captions of a dataset, and which of them belong to which pictures where several share one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow.compute as pc

from eyechart.arrays import Indices
from eyechart.data.dataset import Dataset


@dataclass(frozen=True)
class Captions:
    """Every caption of every picture: what it says, and the row it stands in. An empty one is none."""

    said: list[str]
    rows: Indices
    pictures: int

    @cached_property
    def distinct(self) -> list[str]:
        """In the order they first occur."""
        return list(dict.fromkeys(self.said))

    def shared(self, clusters: Indices) -> list[str]:
        """Those that stand under more than one picture; copies of a picture count as one."""
        owner: dict[str, int] = {}
        several = {
            text: None
            for text, row in zip(self.said, self.rows, strict=True)
            if owner.setdefault(text, clusters[row]) != clusters[row]
        }
        return list(several)


@dataclass(frozen=True)
class Match:
    """The texts and pictures that look for each other; `pictures` are rows of the dataset. `right` pairs numbers of texts with
    numbers of pictures; `text_of_caption` and `picture_of_row` lead from captions and rows to those numbers."""

    texts: Sequence[str]
    pictures: Indices
    right: tuple[Indices, Indices]
    text_of_caption: Indices
    picture_of_row: Indices


def captions_of(dataset: Dataset) -> Captions:
    column = dataset.table.column("captions").combine_chunks()
    rows, said = pc.list_parent_indices(column).to_numpy(zero_copy_only=False), pc.list_flatten(column).to_pylist()
    kept = np.array([bool(text and text.strip()) for text in said], bool)
    return Captions([text for text, keep in zip(said, kept, strict=True) if keep], rows[kept].astype(np.int64), len(dataset))


def match(captions: Captions, clusters: Indices, *, merge: bool) -> Match:
    """With `merge`, equal captions are one text and copies of a picture one picture: no model could tell them apart. Without,
    each caption belongs to its own row alone."""
    if merge:
        number = {text: place for place, text in enumerate(captions.distinct)}
        texts: Sequence[str] = captions.distinct
        text_of_caption = np.array([number[text] for text in captions.said], np.int64)
        _, pictures, picture_of_row = np.unique(clusters, return_index=True, return_inverse=True)
    else:
        texts, text_of_caption = captions.said, np.arange(len(captions.said))
        pictures = picture_of_row = np.arange(captions.pictures)
    pairs = np.unique(np.column_stack([text_of_caption, picture_of_row[captions.rows]]), axis=0)
    return Match(texts, pictures.astype(np.int64), (pairs[:, 0], pairs[:, 1]), text_of_caption, picture_of_row)
