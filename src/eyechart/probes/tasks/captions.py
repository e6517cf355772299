"""The captions of a dataset, and which captions and pictures match where several share one."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow.compute as pc

from eyechart.arrays import Indices
from eyechart.data.dataset import Dataset


@dataclass(frozen=True)
class Captions:
    """Every caption of every picture. Empty captions are left out.

    texts: The captions.
    rows: The row of the dataset that each caption belongs to.
    pictures: How many rows the dataset has.
    """

    texts: list[str]
    rows: Indices
    pictures: int

    @cached_property
    def distinct(self) -> list[str]:
        """In the order of their first occurrence."""
        return list(dict.fromkeys(self.texts))

    def shared(self, clusters: Indices) -> list[str]:
        """Captions of more than one picture. Copies of a picture count as one."""
        owner: dict[str, int] = {}
        several = {
            text: None
            for text, row in zip(self.texts, self.rows, strict=True)
            if owner.setdefault(text, clusters[row]) != clusters[row]
        }
        return list(several)


@dataclass(frozen=True)
class CaptionMatches:
    """Texts and pictures that retrieve each other, and which of them match.

    texts: The candidate texts.
    pictures: Rows of the candidate pictures.
    positives: Matching pairs: numbers of texts, and numbers of pictures.
    text_of_caption: The text of each caption.
    picture_of_row: The candidate picture of each row.
    """

    texts: Sequence[str]
    pictures: Indices
    positives: tuple[Indices, Indices]
    text_of_caption: Indices
    picture_of_row: Indices


def captions_of(dataset: Dataset) -> Captions:
    """Read the column `captions`."""
    column = dataset.table.column("captions").combine_chunks()
    rows, texts = pc.list_parent_indices(column).to_numpy(zero_copy_only=False), pc.list_flatten(column).to_pylist()
    kept = np.array([bool(text and text.strip()) for text in texts], bool)
    return Captions([text for text, keep in zip(texts, kept, strict=True) if keep], rows[kept].astype(np.int64), len(dataset))


def match_captions(captions: Captions, clusters: Indices, *, merge: bool) -> CaptionMatches:
    """Pair captions with pictures.

    Args:
        captions: The captions of a dataset.
        clusters: Equal numbers mark copies of one picture.
        merge: Treat equal captions as one text and copies of a picture as one picture, because no model can separate them.
            Otherwise each caption matches its own row only.
    """
    if merge:
        number = {text: place for place, text in enumerate(captions.distinct)}
        texts: Sequence[str] = captions.distinct
        text_of_caption = np.array([number[text] for text in captions.texts], np.int64)
        _, pictures, picture_of_row = np.unique(clusters, return_index=True, return_inverse=True)
    else:
        texts, text_of_caption = captions.texts, np.arange(len(captions.texts))
        pictures = picture_of_row = np.arange(captions.pictures)
    pairs = np.unique(np.column_stack([text_of_caption, picture_of_row[captions.rows]]), axis=0)
    return CaptionMatches(texts, pictures.astype(np.int64), (pairs[:, 0], pairs[:, 1]), text_of_caption, picture_of_row)
