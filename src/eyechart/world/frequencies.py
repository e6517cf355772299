"""Long-tailed class frequencies of training pictures: a few names are common, most are rare."""

import numpy as np

from eyechart.world.drawing import NAMES

RAREST = 1 / 50  # relative to the most common name

# A fixed random order: in the order of NAMES, rare objects would also be the most complex.
FROM_COMMON_TO_RARE = (
    "leaf", "pyramid", "mug", "cross", "torus", "cylinder", "star", "cap", "moon",
    "cone", "pot", "cube", "snowflake", "diamond", "sphere", "arrow", "heart", "pentagon",
)  # fmt: skip


def long_tail_shares() -> tuple[float, ...]:
    """The share of every name of NAMES, in that order: a geometric series from 1 down to 1/50, normalized to a sum of 1."""
    weights = RAREST ** (np.arange(len(NAMES)) / (len(NAMES) - 1))
    weights /= weights.sum()
    return tuple(float(weights[FROM_COMMON_TO_RARE.index(name)]) for name in NAMES)
