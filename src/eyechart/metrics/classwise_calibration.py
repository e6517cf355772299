"""Class-wise calibration: the probability of every class, not only of the best one, held against how often the class is there."""

import numpy as np
import numpy.typing as npt

from eyechart.metrics.calibration import Bins
from eyechart.metrics.gap_norms import norm_interval
from eyechart.metrics.intervals import Counts, Interval
from eyechart.metrics.logits import LogitBlocks
from eyechart.metrics.readings import Reading, probabilities

Doubles = npt.NDArray[np.float64]

HOW = "inverted bootstrap of 32 groups of pictures, 95%"
_GROUPS = 32
_DRAWS = 200


def classwise_ece(
    logits: LogitBlocks,
    truth: Counts,
    bins: Bins,
    temperature: float = 1.0,
    *,
    reading: Reading = "softmax",
    clusters: Counts | None = None,
    seed: int,
) -> tuple[float, Interval]:
    r"""(1/C) Σ_c Σ_b (n_bc/n) · |share of class c − mean p_c| over the bins b of p_c (Kull et al., 2019; Nixon et al., 2019).

    Only the gaps of C × bins cells are kept, in 32 random groups of clusters; their error is drawn by giving each group's part
    a random sign (the wild bootstrap), since resampling pictures would need n × C numbers again for every draw."""
    sums = _cell_sums(logits, truth, bins, temperature, reading, _groups(len(logits), clusters, seed))
    scale = 1 / (len(logits) * logits.width)
    gaps = sums.sum(axis=0)
    filled = (sums != 0).any(axis=0)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], (_DRAWS, _GROUPS))
    apart = (sums - gaps / _GROUPS)[:, filled] * np.sqrt(_GROUPS / (_GROUPS - 1))
    return float(np.abs(gaps).sum() * scale), norm_interval(gaps[filled] * scale, signs @ apart * scale)


def _cell_sums(logits: LogitBlocks, truth: Counts, bins: Bins, temperature: float, reading: Reading, group: Counts) -> Doubles:
    """[groups, C × bins]: Σ (p − y) in each cell. Nearly all probabilities lie in the first bin, so only the others are put into
    bins one by one, and taken out of the sums over all."""
    classes, width = logits.width, len(bins)
    cells = classes * width
    sums = np.zeros(_GROUPS * cells)
    for rows, block in logits.blocks():
        p, of_row, true = probabilities(block, temperature, reading), group[rows], truth[rows]
        row, column = np.nonzero(p > bins.edges[1])
        high = p[row, column]
        place = of_row[row] * cells + column * width
        sums += np.bincount(place + bins.of(high), high, minlength=len(sums))
        own = of_row * cells + true * width + bins.of(p[np.arange(len(p)), true])
        sums -= np.bincount(own, minlength=len(sums))
        p[row, column] = 0.0
        sums[::width] += ((np.arange(_GROUPS)[:, None] == of_row).astype(np.float64) @ p).ravel()
    return sums.reshape(_GROUPS, cells)


def _groups(n: int, clusters: Counts | None, seed: int) -> Counts:
    index = np.arange(n) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    count = int(index.max()) + 1
    return np.asarray(np.random.default_rng(seed).permutation(count)[index] % _GROUPS)
