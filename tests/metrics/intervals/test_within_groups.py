"""Effects within groups: against least squares with a dummy for every group, by hand, and coverage."""

import numpy as np
import pytest

from eyechart.metrics.intervals.within_groups import effect_within


def test_it_is_least_squares_with_a_dummy_for_every_group():
    rng = np.random.default_rng(0)
    groups, x = rng.integers(0, 12, 300), rng.integers(0, 2, 300)
    y = rng.random(300) + 0.3 * x + groups / 5
    design = np.column_stack([x, groups[:, None] == np.arange(12)])
    expected = np.linalg.lstsq(design.astype(float), y, rcond=None)[0][0]
    assert effect_within(y, x, groups)[0] == pytest.approx(expected)


def test_what_groups_differ_in_does_not_count():
    """In group 0 everybody is treated and 1, in group 1 nobody is and 0: that tells nothing. Group 2 tells 1 − ½."""
    effect, _, n = effect_within([1, 1, 0, 0, 1, 1, 0, 1], [1, 1, 0, 0, 1, 1, 0, 0], np.array([0, 0, 1, 1, 2, 2, 2, 2]))
    assert (effect, n) == (0.5, 4)


def test_where_no_group_shows_both_nothing_is_known():
    effect, (low, high), n = effect_within([1, 0], [1, 0], np.array([0, 1]))
    assert np.isnan([effect, low, high]).all() and n == 0


def test_intervals_cover_where_rows_of_a_picture_vary_together():
    rng, held = np.random.default_rng(1), 0
    for _ in range(2000):
        picture = np.repeat(np.arange(80), 3)
        groups, x = rng.integers(0, 6, 240), np.repeat(rng.integers(0, 2, 80), 3)
        chance = 0.2 + 0.1 * groups / 5 + 0.2 * x + np.repeat(rng.choice([-0.15, 0.15], 80), 3)
        _, (low, high), _ = effect_within(rng.random(240) < chance, x, groups, clusters=picture)
        held += low <= 0.2 <= high
    assert 0.93 <= held / 2000 <= 0.97
