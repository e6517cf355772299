import numpy as np
import pytest
from scipy.stats import norm

from eyechart.metrics.multiplicity import holm
from eyechart.metrics.trends.group_offsets import group_offsets
from eyechart.metrics.trends.lines import fit_trend


def population(seed, *, families=30, groups=3, moved=0.0):
    """Families of one to eleven models around a line; those of group 1 lie `moved` above it on the probit axis."""
    rng = np.random.default_rng(seed)
    family = np.repeat(np.arange(families), rng.integers(1, 12, families))
    group = rng.permutation(np.arange(families) % groups)[family]
    at = rng.normal(0.8, 0.3, families)[family] + rng.normal(0, 0.1, len(family))
    off = rng.normal(0, 0.05, families)[family] + rng.normal(0, 0.03, len(family)) + moved * (group == 1)
    return norm.cdf(at), norm.cdf(0.95 * at - 0.3 + off), group, family


def offsets(seed, permutations=400, **options):
    x, y, group, family = population(seed, **options)
    trend = fit_trend(x, y, family, fit="ols", seed=seed, resamples=50)
    everyone = np.ones(len(x), bool)
    return group_offsets(x, y, group, family, trend, in_trend=everyone, seed=seed, resamples=300, permutations=permutations)


def test_a_group_that_was_moved_is_found():
    found = offsets(0, moved=0.2, permutations=2000)
    moved = found.groups[1]
    assert moved.interval.low > 0 and moved.p < 0.01 and found.p < 0.01
    assert [group.group for group in found.groups] == [0, 1, 2]


@pytest.mark.slow
def test_false_alarms_are_rare_where_groups_do_not_matter():
    alarms = [(found.p <= 0.05, min(g.p for g in found.groups) <= 0.05) for found in map(offsets, range(200))]
    assert (np.sum(alarms, axis=0) <= 18).all()


@pytest.mark.slow
def test_intervals_cover_an_offset_of_nothing():
    """The truth for every group is 0, since labels are dealt at random."""
    hits = np.sum(
        [[g.interval.low <= 0 <= g.interval.high for g in offsets(seed, permutations=1).groups] for seed in range(200)], 0
    )
    assert ((hits >= 179) & (hits <= 198)).all(), hits


def test_the_offset_is_the_mean_distance_in_points():
    """From a trend of its own, a group that is ten points better everywhere has an offset of ten points."""
    x = np.linspace(0.3, 0.7, 20)
    trend = fit_trend(x, x - 0.1, np.arange(20), x_axis="linear", y_axis="linear", fit="ols")
    both, group = np.concatenate([x, x]), np.repeat([0, 1], 20)
    y = np.concatenate([x - 0.1, x])
    found = group_offsets(both, y, group, np.arange(40), trend, in_trend=group == 0)
    np.testing.assert_allclose([g.value for g in found.groups], [0.0, 0.1], atol=1e-9)


def test_rows_of_one_model_are_dealt_among_themselves():
    """Ten models under two prompt sets: models differ widely, yet the second set is a point better in every one of them."""
    rng = np.random.default_rng(0)
    level = rng.normal(0, 0.05, 10)
    x = np.repeat(np.linspace(0.4, 0.7, 10), 2)
    prompts, model = np.tile([0, 1], 10), np.repeat(np.arange(10), 2)
    y = x + np.repeat(level, 2) + 0.01 * prompts + rng.normal(0, 0.001, 20)
    trend = fit_trend(x, y, model, x_axis="linear", y_axis="linear", fit="ols")
    options = {"trend": trend, "in_trend": np.ones(20, bool), "permutations": 2000}
    paired = group_offsets(x, y, prompts, model, strata=model, **options)
    loose = group_offsets(x, y, prompts, model, **options)
    assert paired.p < 0.01 < 0.3 < loose.p


def test_a_group_of_one_family_has_no_interval():
    x, y, _, family = population(0)
    group = (family == 0).astype(int)
    trend = fit_trend(x, y, family, fit="ols")
    found = group_offsets(x, y, group, family, trend, in_trend=np.ones(len(x), bool))
    assert np.isnan(found.groups[1].interval).all() and not np.isnan(found.groups[0].interval).any()


def test_a_single_group_cannot_differ():
    x, y, _, family = population(0)
    trend = fit_trend(x, y, family, fit="ols")
    assert group_offsets(x, y, np.zeros(len(x), int), family, trend, in_trend=np.ones(len(x), bool)).p == 1.0


def test_holms_correction_by_hand():
    assert holm(np.array([0.03, 0.01, 0.04])) == pytest.approx([0.06, 0.03, 0.06])
