"""Differences of two measurements of the same pictures: what the two have in common cancels, row by row."""

import numpy as np
import numpy.typing as npt

from eyechart.metrics.calibration import Gaps
from eyechart.metrics.gap_norms import norm_interval, total
from eyechart.metrics.influence import normal_interval, standard_error
from eyechart.metrics.intervals import RESAMPLES, Counts, Interval
from eyechart.metrics.ranking_intervals import Scored, auroc_influence
from eyechart.metrics.resampling import resampled_sums

PAIRED = "normal, paired by picture, 95%"
DELONG = "DeLong, paired by picture, 95%"
BOUNDS = "bounds of both at 97.5%, so 95% or more"


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
    """ECE of a − ECE of b. ECE is never negative, and noise raises it most where it is smallest; so what two of them have in
    common does not cancel, and the interval is from the bounds of each, at a level at which both hold together."""
    bounds = []
    for found in (a, b):
        n = len(found.of_row)
        noise = resampled_sums(found.columns, seed=seed, clusters=clusters, resamples=resamples) / n - found.sums / n
        bounds.append(norm_interval(found.sums / n, noise, level=0.975))
    value = float(total(a.sums) - total(b.sums)) / len(a.of_row)
    return value, Interval(bounds[0].low - bounds[1].high, bounds[0].high - bounds[1].low)
