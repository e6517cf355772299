"""The class-wise matching margin: how much closer pictures of a class are, on average, to its text than to the next best.

After "Investigating the Limitation of CLIP Models: The Worst-Performing Categories" (arXiv 2310.03324). Choices that the paper
does not specify are marked."""

from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Doubles, Flags, Floats, Indices

_BLOCK = 1 << 19  # cosines held at once: sized to fit in the CPU cache


def margins_of_block(scores: Floats, labels: Indices) -> Floats:
    """[rows]: score of the labeled class − best score of any other, for scores [rows, C ≥ 2].

    The labeled scores are struck out while the others are searched and put back after: no second block is made."""
    rows = np.arange(len(scores))
    own = scores[rows, labels]
    scores[rows, labels] = -np.inf
    rival = scores.max(axis=1)
    scores[rows, labels] = own
    return np.asarray(own - rival)


def picture_margins(images: Floats, class_vectors: Floats, labels: Indices) -> Doubles:
    r"""[n]: cos(x, t_y) − max_{j≠y} cos(x, t_j) of every picture x with label y, in blocks. Vectors are of unit length.

    >>> picture_margins(np.eye(2, dtype=np.float32), np.eye(2, dtype=np.float32), np.array([0, 0])).tolist()
    [1.0, -1.0]
    """
    if len(class_vectors) < 2:
        raise ValueError("a margin is taken over another class, and there is only one")
    weights = np.ascontiguousarray(class_vectors.T)
    margins = np.empty(len(images))
    rows = max(1, _BLOCK // len(class_vectors))
    for start in range(0, len(images), rows):
        block = slice(start, start + rows)
        margins[block] = margins_of_block(images[block] @ weights, labels[block])
    return margins


@dataclass(frozen=True)
class ClassMargins:
    """Margins of the classes.

    values: [C]. Classes without labeled pictures get the lowest margin of the others.
    counts: [C] labeled pictures of each class.
    """

    values: Doubles
    counts: Indices

    @property
    def unseen(self) -> Flags:
        return np.asarray(self.counts == 0)

    def worst(self, k: int) -> float:
        """The mean of the k lowest."""
        return float(np.partition(self.values, k - 1)[:k].mean()) if k < len(self.values) else float(self.values.mean())


def class_margins(margins: Doubles, labels: Indices, classes: int) -> ClassMargins:
    r"""CMM_i = mean over the pictures labeled i of their margin; labels are true or pseudo, and at least one is there."""
    sums = np.bincount(labels, margins, minlength=classes).astype(np.float64)
    return margins_of_sums(sums, np.bincount(labels, minlength=classes))


def margins_of_sums(sums: Doubles, counts: Indices) -> ClassMargins:
    """The same from the sum of margins and the number of pictures of each class."""
    seen = counts > 0
    if not seen.any():
        raise ValueError("no picture has a label, so no class has a margin")
    values = sums / np.maximum(counts, 1)
    return ClassMargins(np.where(seen, values, values[seen].min()), counts)
