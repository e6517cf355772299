"""Predictions in few broad categories from a classifier of many fine classes."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from eyechart.metrics.special import softmax


def category_probabilities(logits: npt.ArrayLike, members: Sequence[Sequence[int]]) -> npt.NDArray[np.float64]:
    """[n, categories] from logits [n, classes]: softmax over all classes, then the mean over each category's members.

    The mean and not the sum, so that a category of a hundred classes does not win by their number (Geirhos et al., 2019,
    appendix A.1). Classes of no category take their share of the softmax and are then left out.

    >>> category_probabilities(np.log([[0.5, 0.2, 0.2, 0.1]]), [[0], [1, 2]]).round(3).tolist()
    [[0.5, 0.2]]
    """
    probabilities = softmax(np.asarray(logits, np.float64), axis=1)
    return np.column_stack([probabilities[:, list(of)].mean(axis=1) for of in members])
