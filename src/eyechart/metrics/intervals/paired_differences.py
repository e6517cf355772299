"""Paired differences: two measurements of the same pictures, compared row by row."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts, Doubles
from eyechart.metrics.calibration.ece import Gaps, drawn_gaps
from eyechart.metrics.calibration.gap_norms import norm_interval
from eyechart.metrics.intervals import RESAMPLES, Interval
from eyechart.metrics.intervals.influence import normal_interval, standard_error
from eyechart.metrics.ranking.intervals import Scored, auroc_influence

PAIRED = "normal, paired by picture, 95%"
DELONG = "DeLong, paired by picture, 95%"
BOUNDS = "from two 97.5% intervals (Bonferroni), 95% or more"


def mean_difference(a: npt.ArrayLike, b: npt.ArrayLike, clusters: Counts | None = None) -> tuple[float, Interval]:
    """Mean of a − b over rows, with the standard error of that mean over clusters."""
    differences = np.asarray(a, float) - np.asarray(b, float)
    value = float(differences.mean())
    return value, normal_interval(value, standard_error((differences - value) / len(differences), clusters))


def auroc_difference(a: Scored, b: Scored) -> tuple[float, Interval]:
    """AUROC of a − AUROC of b, two scores of the same rows (DeLong et al., 1988, for correlated curves; Obuchowski, 1997, over
    clusters): the variance is that of the differences of the rows' influences."""
    (value_a, influence_a), (value_b, influence_b) = auroc_influence(a), auroc_influence(b)
    value = value_a - value_b
    return value, normal_interval(value, standard_error(influence_a - influence_b, a.clusters))


def ece_difference(
    a: Gaps, b: Gaps, *, seed: int, clusters: Counts | None = None, resamples: int = RESAMPLES
) -> tuple[float, Interval]:
    """ECE of a − ECE of b.

    ECE is never negative, and noise raises it most where it is smallest, so that shared noise does not cancel. The interval
    combines the bounds of each at a level at which both hold together."""
    draws = drawn_gaps([a, b], seed=seed, clusters=clusters, resamples=resamples)
    return a.ece - b.ece, gap_difference_interval((a, b), (draws[0], draws[1]))


def gap_difference_interval(found: tuple[Gaps, Gaps], draws: tuple[Doubles, Doubles]) -> Interval:
    """The same from draws [resamples, bins] of the gaps, as `drawn_gaps` gives them."""
    bounds = []
    for of, drawn in zip(found, draws, strict=True):
        sums = of.sums / len(of.of_row)
        bounds.append(norm_interval(sums, drawn - sums, level=0.975))
    return Interval(bounds[0].low - bounds[1].high, bounds[0].high - bounds[1].low)
