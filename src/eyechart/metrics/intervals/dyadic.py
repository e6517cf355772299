"""Shares over pairs of pictures, where a picture may be in many pairs."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts
from eyechart.metrics.intervals import Interval, wilson

HOW = "Wilson at the variance over pairs that share a picture, 95%"


def dyadic_variance(hits: npt.ArrayLike, sizes: npt.ArrayLike, first: Counts, second: Counts) -> float:
    r"""Variance of Σ hits / Σ sizes over pairs of pictures numbered `first` and `second` (Aronow, Samii and Assenova, 2015).

    With residuals e_d = hits_d − p · size_d, summed over pairs d of the same two pictures, it is the sum of e_d · e_d′ over all
    pairs of pairs that share a picture, Σ_m (Σ_{d∋m} e_d)² − Σ_d e_d², over (Σ sizes)², times k/(k−1) for k pairs. Where no
    picture stands in two pairs it is that of independent pairs.
    """
    hits, sizes = np.asarray(hits, float), np.asarray(sizes, float)
    ends = np.sort(np.column_stack([first, second]), axis=1)
    dyads, index = np.unique(ends, axis=0, return_inverse=True)
    residuals = np.bincount(index.reshape(-1), hits - hits.sum() / sizes.sum() * sizes)
    two = dyads[:, 0] != dyads[:, 1]  # a picture beside itself is in its pair once
    pictures = int(dyads.max()) + 1
    of_picture = np.bincount(dyads[:, 0], residuals, pictures) + np.bincount(dyads[two, 1], residuals[two], pictures)
    shared = float(of_picture @ of_picture - residuals[two] @ residuals[two])
    return max(shared, 0.0) / float(sizes.sum()) ** 2 * len(dyads) / max(len(dyads) - 1, 1)


def dyadic_share(
    hits: npt.ArrayLike, sizes: npt.ArrayLike, first: Counts, second: Counts, level: float = 0.95
) -> tuple[float, Interval]:
    """Σ hits / Σ sizes, and Wilson's interval for n = p(1−p)/dyadic variance (the number of pairs where it is 0)."""
    hits, sizes = np.asarray(hits, float), np.asarray(sizes, float)
    share = float(hits.sum() / sizes.sum())
    variance = dyadic_variance(hits, sizes, first, second)
    n = share * (1 - share) / variance if variance > 0 else float(len(hits))
    low, high = wilson(share * n, n, level)
    return share, Interval(float(low), float(high))
