"""Class-wise calibration: the probability of every class, not only of the predicted one, against the frequency of the class."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.calibration.consistency import wider
from eyechart.metrics.calibration.ece import Bins
from eyechart.metrics.calibration.gap_norms import norm_interval
from eyechart.metrics.calibration.logits import LogitBlocks
from eyechart.metrics.calibration.readout import Reading, probabilities
from eyechart.metrics.intervals import Interval

HOW = "the wider of inverted bootstrap and drawn labels, 95%"
_GROUPS = 32
_SIGNS = 200  # draws of the bootstrap
_LABELS = 100  # draws of labels


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
    """(1/C) Σ_c Σ_b (n_bc/n) · |frequency of class c − mean p_c| over the bins b of p_c (Kull et al., 2019; Nixon et al., 2019).

    The noise is estimated in two ways, and the wider interval is given. From the observed labels: the gaps of C × bins
        cells are kept in 32 random groups of clusters, and each group gets a random sign (wild bootstrap). And from labels
        drawn from the
    probabilities: with a thousand classes most cells hold one or two pictures, which show no noise by themselves, so that
        the wild bootstrap alone would report gaps in every calibrated model."""
    index = np.arange(len(logits)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    rng = np.random.default_rng(seed)
    count = int(index.max()) + 1
    group = rng.permutation(count)[index] % _GROUPS
    lots = rng.random((count, _LABELS), dtype=np.float32)
    sums, labels = _cell_sums(logits, truth, bins, temperature, reading, group, lots, index)
    scale = 1 / (len(logits) * logits.width)
    gaps = sums.sum(axis=0)
    filled = (sums != 0).any(axis=0) | labels.any(axis=0)
    signs = rng.choice([-1.0, 1.0], (_SIGNS, _GROUPS))
    apart = (sums - gaps / _GROUPS)[:, filled] * np.sqrt(_GROUPS / (_GROUPS - 1))
    drawn = (labels - labels.mean(axis=0))[:, filled] * (_LABELS / (_LABELS - 1))  # apart from the mean of the other draws
    by_seen, by_said = (norm_interval(gaps[filled] * scale, noise * scale) for noise in (signs @ apart, drawn))
    return float(np.abs(gaps).sum() * scale), wider(by_seen, by_said)


def _cell_sums(
    logits: LogitBlocks,
    truth: Counts,
    bins: Bins,
    temperature: float,
    reading: Reading,
    group: Counts,
    lots: npt.NDArray[np.float32],
    index: Counts,
) -> tuple[Doubles, Doubles]:
    """[groups, C × bins]: Σ (p − y) in each cell; and [draws, C × bins]: how many drawn labels fall into it.

    Labels are drawn from the probabilities with the uniform numbers `lots` [clusters, draws]. Nearly all probabilities are in the
    first bin, so only the others are binned one by one and subtracted from the sums over all.
    """
    classes, width = logits.width, len(bins)
    cells = classes * width
    sums, labels = np.zeros(_GROUPS * cells), np.zeros(_LABELS * cells)
    for rows, block in logits.blocks():
        p, of_row, true = probabilities(block, temperature, reading), group[rows], truth[rows]
        place = _drawn_labels(p, lots[index[rows]])
        drawn = np.arange(_LABELS) * cells + place * width + bins.of(np.take_along_axis(p, place, axis=1))
        np.add.at(labels, drawn.ravel(), 1.0)  # a count of all cells for every block would be mostly of zeros
        # Indices of a flat array are found ten times as fast as those of rows and columns.
        row, column = np.divmod(np.flatnonzero(p > bins.edges[1]), classes)
        high = p[row, column].astype(np.float64)
        np.add.at(sums, of_row[row] * cells + column * width + bins.of(high), high)
        own = of_row * cells + true * width + bins.of(p[np.arange(len(p)), true])
        np.subtract.at(sums, own, 1.0)
        p[row, column] = 0.0
        sums[::width] += ((np.arange(_GROUPS)[:, None] == of_row).astype(np.float32) @ p).ravel()
    return sums.reshape(_GROUPS, cells), labels.reshape(_LABELS, cells)


def _drawn_labels(p: npt.NDArray[np.float32], lots: npt.NDArray[np.float32]) -> Counts:
    """[rows, draws]: one class a picture, in proportion to p [rows, C]. All rows are searched at once: row i's shares lie
    between i and i + 1."""
    rows, classes = p.shape
    shares = p.astype(np.float64)
    np.cumsum(shares, axis=1, out=shares)  # a third of the time of `p.cumsum(dtype=np.float64)`, and the same sums
    shares /= shares[:, -1:]
    shares += np.arange(rows)[:, None]
    found = np.searchsorted(shares.ravel(), np.arange(rows)[:, None] + lots, "right")
    return np.asarray(np.minimum(found - classes * np.arange(rows)[:, None], classes - 1))
