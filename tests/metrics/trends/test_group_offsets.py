from itertools import permutations

import numpy as np
import pytest
from scipy.stats import norm, t

from eyechart.metrics.multiplicity import holm
from eyechart.metrics.trends import group_offsets as module
from eyechart.metrics.trends.group_offsets import group_offsets
from eyechart.metrics.trends.lines import effective_robustness, fit_trend


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


def exact_p(distances, groups, families, strata):
    """p of each group and of all, over every way to permute the labels of families (within strata)."""
    units = sorted(set(zip(families.tolist(), groups.tolist(), strict=True)))
    label = [group for _, group in units]
    rows = [np.flatnonzero((families == family) & (groups == group)) for family, group in units]
    layer = [strata[of[0]] for of in rows]
    names = sorted(set(label))
    away = distances - distances.mean()

    def statistics(labels):
        models = [np.concatenate([of for of, mine in zip(rows, labels, strict=True) if mine == g]) for g in names]
        means = np.array([away[of].mean() for of in models])
        return np.abs(means), sum(len(of) * mean**2 for of, mean in zip(models, means, strict=True))

    seen, spread = statistics(label)
    exceeded, exceeded_all, count = np.zeros(len(names)), 0, 0
    for order in permutations(range(len(units))):
        if any(layer[a] != layer[b] for a, b in enumerate(order)):
            continue
        means, between = statistics([label[b] for b in order])
        exceeded += means >= seen - 1e-12
        exceeded_all += between >= spread - 1e-12
        count += 1
    return exceeded / count, exceeded_all / count


@pytest.mark.parametrize("layered", [False, True])
@pytest.mark.parametrize("block", [1 << 22, 7 * 900])
def test_p_values_are_those_of_all_permutations_of_families(layered, block, monkeypatch):
    """Seven families of one to three models in three groups. With few numbers in memory it is done in parts."""
    monkeypatch.setattr(module, "_BLOCK", block)
    rng = np.random.default_rng(3)
    family = np.repeat(np.arange(7), [1, 3, 2, 2, 1, 3, 2])
    group = np.array([4, 4, 9, 9, 9, 6, 6])[family]
    strata = (np.arange(7) % 2)[family] * 10 if layered else np.zeros(14, int)
    x = rng.uniform(0.3, 0.7, 14)
    y = x + rng.normal(0, 0.02, 14) + 0.03 * (group == 4)
    trend = fit_trend(x, y, family, x_axis="linear", y_axis="linear", fit="ols", resamples=20)
    found = group_offsets(
        x,
        y,
        group,
        family,
        trend,
        in_trend=np.ones(14, bool),
        strata=strata if layered else None,
        resamples=20,
        permutations=4000,
    )
    each, together = exact_p(effective_robustness(x, y, trend.line), group, family, strata)
    assert found.p == pytest.approx(together, abs=4 * np.sqrt(0.25 / 4000))
    assert [g.p for g in found.groups] == pytest.approx(holm(each), abs=3 * 4 * np.sqrt(0.1 / 4000))
    assert [(g.group, g.n, g.families) for g in found.groups] == [(4, 4, 2), (6, 5, 2), (9, 5, 3)]


def test_the_smallest_p_value_counts_the_observed_labels():
    x = np.linspace(0.2, 0.8, 24)
    group = np.repeat([0, 1], 12)
    trend = fit_trend(x, x, np.arange(24), x_axis="linear", y_axis="linear", fit="ols", resamples=20)
    everyone = np.ones(24, bool)
    found = group_offsets(x, x + 0.1 * group, group, np.arange(24), trend, in_trend=everyone, resamples=20, permutations=99)
    assert (found.p, [g.p for g in found.groups]) == (1 / 100, [2 / 100] * 2)


def test_as_many_families_as_groups_cannot_be_permuted():
    x = np.linspace(0.2, 0.8, 9)
    family = np.repeat([0, 1, 2], 3)
    trend = fit_trend(x, x, family, x_axis="linear", y_axis="linear", fit="ols", resamples=20)
    found = group_offsets(x, x + 0.1 * family, family, family, trend, in_trend=np.ones(9, bool), resamples=20)
    assert (found.p, [g.p for g in found.groups]) == (1.0, [1.0] * 3)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_interval_of_an_offset_is_students_over_families(level):
    """Group 0 lies on the line, which no resample moves. Group 1 has 25 families of two models that lie off it together:
    mean ± t₂₄ s/√25, as far as a bootstrap of 25 is normal."""
    rng = np.random.default_rng(0)
    off = np.repeat(rng.normal(0.05, 0.01, 25), 2)
    x = np.r_[np.linspace(0.2, 0.8, 30), np.linspace(0.3, 0.7, 50)]
    y = x - 0.1 + np.r_[np.zeros(30), off]
    group, family = np.repeat([0, 1], [30, 50]), np.r_[np.arange(30), 100 + np.arange(50) // 2]
    line = {"x_axis": "linear", "y_axis": "linear", "fit": "ols", "level": level}
    trend = fit_trend(x[:30], y[:30], np.arange(30), **line)
    found = group_offsets(x, y, group, family, trend, in_trend=group == 0, resamples=20_000, permutations=5).groups[1]
    half = t.ppf(0.5 + level / 2, 24) * off[::2].std(ddof=1) / 5
    assert found.value == pytest.approx(off.mean())
    assert found.interval == pytest.approx((off.mean() - half, off.mean() + half), abs=0.05 * half)
    assert (found.n, found.families) == (50, 25)


def test_a_family_in_two_groups_is_a_family_of_each():
    x = np.linspace(0.2, 0.8, 12)
    trend = fit_trend(x, x, np.arange(12), x_axis="linear", y_axis="linear", fit="ols", resamples=20)
    found = group_offsets(
        x, x, np.arange(12) % 2, np.arange(12) // 4, trend, in_trend=np.ones(12, bool), resamples=20, permutations=10
    )
    assert [(g.n, g.families) for g in found.groups] == [(6, 3), (6, 3)]
