"""A permutation test of class names: would the same predictions be as accurate with the class names shuffled?"""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices

FEWEST = 5  # classes: four have only 24 permutations, too few for a small p-value
_DRAWS = 2000


def shuffled_names_p_value(answers: Indices, labels: npt.NDArray[np.str_], class_labels: tuple[str, ...], seed: int) -> float:
    r"""Permutation p-value of the mean per-class accuracy under shuffled class names.

    With M[l, c] the share of pictures of label l that are predicted as class c, the accuracy is Σ_c M[l(c), c] / L, and that of
    a shuffled list is Σ_c M[l(σ(c)), c] / L. The p-value is (1 + draws that are at least as accurate) / (1 + draws).
    """
    known, of_class = np.unique(np.array(class_labels), return_inverse=True)
    rows = np.searchsorted(known, labels)
    listed = known[np.minimum(rows, len(known) - 1)] == labels
    table = np.zeros((len(known), len(class_labels)))
    np.add.at(table, (rows[listed], answers[listed]), 1.0)
    table /= np.maximum(np.bincount(rows[listed], minlength=len(known)), 1)[:, None]
    columns = np.arange(len(class_labels))
    shuffled = np.random.default_rng(seed).permuted(np.tile(of_class, (_DRAWS, 1)), axis=1)
    as_accurate = table[shuffled, columns].sum(axis=1) >= table[of_class, columns].sum() - 1e-12
    return float((1 + as_accurate.sum()) / (1 + _DRAWS))
