"""Settings: what is refused, what lies just within, and how many classes are the worst."""

import numpy as np
import pytest

from eyechart.repair.settings import Settings


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"weights": "softmax"}, "weights must be one of auto, uniform, zpe, cpe"),
        ({"weights": "cpe", "pretraining": "vectors.npy"}, "pretraining is used by the weights zpe alone"),
        ({"find": "luck"}, "find must be margin or labels"),
        ({"keep": 0.0}, "keep must be between 0 and 1"),
        ({"keep": 1.0}, "keep must be between 0 and 1"),
        ({"coverage": 0.0}, "coverage must be between 0 and 1"),
        ({"coverage": 1.0}, "coverage must be between 0 and 1"),
        ({"coverage": 1.5}, "coverage must be between 0 and 1"),
        ({"cost": -0.001}, "cost must not be negative"),
        ({"cost": np.nan}, "cost must not be negative"),
        ({"worst": -1}, "worst must not be negative"),
        ({"seed": -1}, "seed must not be negative"),
        ({"scale": np.nan}, "finite"),
        ({"scale": np.inf}, "finite"),
        ({"tau": np.inf}, "finite"),
        ({"tau": np.nan}, "finite"),
        ({"scale": 0.0}, "scale must be positive"),
        ({"scale": -1.0}, "scale must be positive"),
        ({"least": 1}, "least must be at least 2"),
    ],
)
def test_what_makes_no_sense_is_refused(changes, reason):
    with pytest.raises(ValueError, match=reason):
        Settings(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"weights": "auto"},
        {"weights": "cpe"},
        {"find": "labels"},
        {"keep": 0.01, "coverage": 0.99},
        {"cost": 0.0, "worst": 0, "seed": 0},
        {"scale": 0.5, "tau": -3.0},
        {"least": 2},
    ],
)
def test_what_lies_just_within_is_allowed(changes):
    settings = Settings(**changes)
    assert {name: getattr(settings, name) for name in changes} == changes


@pytest.mark.parametrize(
    ("worst", "classes", "count"),
    [(0, 18, 2), (0, 1000, 10), (0, 100, 10), (0, 10, 1), (0, 11, 2), (0, 1, 1), (7, 18, 7), (30, 18, 18), (1, 18, 1)],
)
def test_the_worst_are_a_tenth_unless_they_are_counted(worst, classes, count):
    assert Settings(worst=worst).worst_of(classes) == count
