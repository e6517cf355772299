"""Expected calibration error (ECE) under several binnings, and the table behind a reliability diagram."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.calibration.gap_norms import HOW, norm_interval, total
from eyechart.metrics.intervals import RESAMPLES, Interval
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.intervals.resampling import resampled_sums

Binning = Literal["equal-width", "equal-mass"]
BINNINGS: tuple[Binning, ...] = get_args(Binning)

INTERVAL = HOW


@dataclass(frozen=True)
class Bins:
    """`edges` rise from 0 to 1. A bin holds the confidences above its lower edge and up to its upper edge; the first also holds
    0.
    """

    edges: Doubles

    def __len__(self) -> int:
        return len(self.edges) - 1

    def of(self, confidence: npt.ArrayLike) -> Counts:
        """The bin of each confidence."""
        return np.asarray(np.searchsorted(self.edges[1:-1], np.asarray(confidence, np.float64), "left"))


def make_bins(confidence: npt.ArrayLike, count: int = 15, binning: Binning = "equal-width") -> Bins:
    """Bins of confidence.

    `equal-width`: (0, 1/15], (1/15, 2/15], … (Guo et al., 2017). `equal-mass`: the same number of pictures in each, as far as
    ties allow (Nixon et al., 2019)."""
    if binning == "equal-width":
        return Bins(np.arange(count + 1) / count)
    inner = np.quantile(np.asarray(confidence, np.float64), np.arange(1, count) / count, method="inverted_cdf")
    return Bins(np.concatenate([[0.0], np.unique(inner[inner < 1.0]), [1.0]]))


@dataclass(frozen=True)
class Gaps:
    """The bin of every row, and its confidence − correctness."""

    bins: Bins
    of_row: Counts
    excess: Doubles

    @property
    def sums(self) -> Doubles:
        return np.asarray(np.bincount(self.of_row, self.excess, minlength=len(self.bins)), np.float64)

    @property
    def sizes(self) -> Counts:
        return np.bincount(self.of_row, minlength=len(self.bins))

    @property
    def ece(self) -> float:
        return float(total(self.sums) / len(self.of_row))

    @property
    def rms_ece(self) -> float:
        return float(_rms(self.sums / len(self.of_row), self.sizes / len(self.of_row)))

    @property
    def columns(self) -> Doubles:
        """[n, bins], so that sums over rows are the gaps of bins."""
        columns = np.zeros((len(self.of_row), len(self.bins)))
        columns[np.arange(len(self.of_row)), self.of_row] = self.excess
        return columns


def gaps(confidence: npt.ArrayLike, right: npt.ArrayLike, count: int = 15, binning: Binning = "equal-width") -> Gaps:
    confidence = np.asarray(confidence, np.float64)
    bins = make_bins(confidence, count, binning)
    return Gaps(bins, bins.of(confidence), confidence - np.asarray(right, np.float64))


def ece(confidence: npt.ArrayLike, right: npt.ArrayLike, count: int = 15, binning: Binning = "equal-width") -> float:
    r"""Expected calibration error: Σ_b (n_b/n) · |accuracy_b − mean confidence_b|.

    >>> round(ece([0.9, 0.9, 0.8, 0.6], [1, 0, 1, 1], count=10), 4)
    0.35
    """
    return gaps(confidence, right, count, binning).ece


def rms_ece(confidence: npt.ArrayLike, right: npt.ArrayLike, count: int = 15, binning: Binning = "equal-width") -> float:
    r"""√(Σ_b (n_b/n) · (accuracy_b − mean confidence_b)²): large gaps weigh more (Hendrycks et al., 2019)."""
    return gaps(confidence, right, count, binning).rms_ece


def _rms(of_bins: Doubles, shares: Doubles) -> Doubles:
    filled = shares > 0
    return np.asarray(np.sqrt((of_bins[..., filled] ** 2 / shares[filled]).sum(axis=-1)))


def ece_intervals(
    found: Gaps, *, seed: int, clusters: Counts | None = None, resamples: int = RESAMPLES
) -> tuple[Interval, Interval]:
    """Intervals of ECE and RMS calibration error. Bins are fixed; clusters are resampled together."""
    (draws,) = drawn_gaps([found], seed=seed, clusters=clusters, resamples=resamples)
    return gap_intervals(found, draws)


def drawn_gaps(found: Sequence[Gaps], *, seed: int, clusters: Counts | None = None, resamples: int = RESAMPLES) -> list[Doubles]:
    """Draws [resamples, bins] of the gaps of several measurements of the same rows, divided by the number of rows.

    All measurements use the same resamples.
    """
    ends = np.cumsum([len(of.bins) for of in found])[:-1]
    columns = np.column_stack([of.columns for of in found])
    draws = resampled_sums(columns, seed=seed, clusters=clusters, resamples=resamples) / len(columns)
    return np.split(draws, ends, axis=1)


def gap_intervals(found: Gaps, draws: Doubles) -> tuple[Interval, Interval]:
    """Intervals of ECE and RMS calibration error from draws [draws, bins] of the gaps, divided by the number of rows."""
    n = len(found.of_row)
    sums, shares = found.sums / n, found.sizes / n
    noise = draws - sums
    return norm_interval(sums, noise), norm_interval(sums, noise, lambda of_bins: _rms(of_bins, shares))


def reliability(
    confidence: npt.ArrayLike,
    right: npt.ArrayLike,
    count: int = 15,
    binning: Binning = "equal-width",
    clusters: Counts | None = None,
) -> dict[str, Doubles]:
    """The non-empty bins: edges `start` and `end`, mean `confidence`, `accuracy` with the bounds `low` and `high` of Wilson's
    interval at the clustered variance, and the number of `pictures`."""
    found = gaps(confidence, right, count, binning)
    confidence, right = np.asarray(confidence, np.float64), np.asarray(right, np.float64)
    units = np.arange(len(right)) if clusters is None else np.unique(clusters, return_inverse=True)[1]
    filled = np.flatnonzero(found.sizes)
    rows = [np.flatnonzero(found.of_row == b) for b in filled]
    accuracy, low, high = np.array([clustered_share(right[r], units[r]).estimate for r in rows]).T
    return {
        "start": found.bins.edges[filled],
        "end": found.bins.edges[filled + 1],
        "confidence": np.array([confidence[r].mean() for r in rows]),
        "accuracy": accuracy,
        "low": low,
        "high": high,
        "pictures": found.sizes[filled].astype(np.float64),
    }
