"""Do class names matter? A classifier whose words the model does not know still sorts pictures into heaps; only what the heaps
are called is then a matter of luck."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices

FEWEST = 5  # classes: four can be named in 24 ways only, too few to find one of them unlikely
_DRAWS = 2000


def names_by_chance(answers: Indices, labels: npt.NDArray[np.str_], class_labels: tuple[str, ...], seed: int) -> float:
    r"""How often the same answers, their classes called by each other's labels at random, do as well in the mean over labels.

    With M[l, c] the share of pictures of label l that are answered with class c, the accuracy is Σ_c M[l(c), c] / L, and that of
    a shuffled list Σ_c M[l(σ(c)), c] / L. Returned is (1 + draws that are no worse) / (1 + draws), a permutation p-value."""
    known, of_class = np.unique(np.array(class_labels), return_inverse=True)
    rows = np.searchsorted(known, labels)
    there = known[np.minimum(rows, len(known) - 1)] == labels
    table = np.zeros((len(known), len(class_labels)))
    np.add.at(table, (rows[there], answers[there]), 1.0)
    table /= np.maximum(np.bincount(rows[there], minlength=len(known)), 1)[:, None]
    columns = np.arange(len(class_labels))
    shuffled = np.random.default_rng(seed).permuted(np.tile(of_class, (_DRAWS, 1)), axis=1)
    no_worse = table[shuffled, columns].sum(axis=1) >= table[of_class, columns].sum() - 1e-12
    return float((1 + no_worse.sum()) / (1 + _DRAWS))
