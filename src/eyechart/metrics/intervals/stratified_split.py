"""A stratified split: two halves of a labeled set with every class in both, one to fit on and one to test on."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts


def stratified_split(labels: Counts, *, seed: int, clusters: Counts | None = None) -> npt.NDArray[np.bool_]:
    """True for the rows of the first half.

    Half of the clusters of each class, drawn at random; of an odd number the extra one goes to either side at random. Rows of one
    cluster stay together, with the class of the first of them.
    """
    labels = np.asarray(labels)
    rows = np.arange(len(labels)) if clusters is None else np.asarray(clusters)
    _, first, of_row = np.unique(rows, return_index=True, return_inverse=True)
    classes = labels[first]
    rng = np.random.default_rng(seed)
    order = np.lexsort((rng.random(len(first)), classes))
    _, start, sizes = np.unique(classes[order], return_index=True, return_counts=True)
    place = np.arange(len(order)) - np.repeat(start, sizes)
    wanted = sizes // 2 + (rng.random(len(sizes)) < 0.5) * (sizes % 2)
    chosen = np.empty(len(first), bool)
    chosen[order] = place < np.repeat(wanted, sizes)
    return np.asarray(chosen[of_row])
