"""The effect of a binary variable on an outcome, estimated within groups (fixed effects)."""

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts
from eyechart.metrics.intervals import Interval
from eyechart.metrics.intervals.influence import normal_interval, standard_error

HOW = "normal, within groups, over clusters, 95%"


def effect_within(
    outcome: npt.ArrayLike, treated: npt.ArrayLike, groups: Counts, *, clusters: Counts | None = None, level: float = 0.95
) -> tuple[float, Interval, int]:
    """β of outcome = group + β · treated by least squares, its interval, and the number of rows in groups with both treatments.

    With x̃ and ỹ the deviations from the group means: β = Σ x̃ỹ / Σ x̃². A group with one treatment only has no weight. The
    standard error is clustered, from the influences x̃(ỹ − βx̃)/Σx̃² (Arellano, 1987). NaN where no group has both treatments."""
    y, x = np.asarray(outcome, float), np.asarray(treated, float)
    _, group = np.unique(groups, return_inverse=True)
    size = np.bincount(group)
    inside_x = x - (np.bincount(group, x) / size)[group]
    inside_y = y - (np.bincount(group, y) / size)[group]
    told = float(inside_x @ inside_x)
    if told < 1e-12:
        return float("nan"), Interval(float("nan"), float("nan")), 0
    effect = float(inside_x @ inside_y) / told
    error = standard_error(inside_x * (inside_y - effect * inside_x) / told, clusters)
    both = np.bincount(group, inside_x**2) > 1e-12
    return effect, normal_interval(effect, error, level), int(both[group].sum())
