"""The worst of many slices: hand-worked cases, draws from a known population, and the price of many looks."""

from itertools import combinations

import numpy as np
import pytest
from scipy.stats import beta, binomtest, hypergeom

from eyechart.metrics.intervals import slices
from eyechart.metrics.intervals.slices import lowest_slice_p_values, sidak_level, slice_share, worst_gap_interval


def test_the_interval_of_a_lone_slice_is_jeffreys_about_the_share_of_all():
    """18 of 24 right among 96 with 80: a slice of a quarter has the variance of a gap that a share of 24 / (1 − 1/4) rows has."""
    hits = np.r_[np.arange(24) < 18, np.arange(72) < 62]
    low, high = worst_gap_interval(hits, np.arange(96) < 24, looked_at=1)
    assert low == pytest.approx(beta.ppf(0.025, 24.5, 8.5) - 80 / 96)
    assert high == pytest.approx(beta.ppf(0.975, 24.5, 8.5) - 80 / 96)


def test_more_looks_make_it_wider():
    hits, members = np.arange(200) % 3 > 0, np.arange(200) < 50
    one, many = (worst_gap_interval(hits, members, looked_at=looks) for looks in (1, 15))
    assert many.low < one.low < one.high < many.high


def test_a_slice_of_all_rows_has_no_gap():
    assert worst_gap_interval(np.arange(50) < 30, np.ones(50, bool), looked_at=3) == (0.0, 0.0)


def test_copies_of_pictures_add_nothing():
    rng = np.random.default_rng(0)
    hits, members = rng.random(300) < 0.6, rng.random(300) < 0.4
    once = worst_gap_interval(hits, members, looked_at=5)
    tenfold = worst_gap_interval(hits.repeat(10), members.repeat(10), looked_at=5, clusters=np.arange(300).repeat(10))
    assert tenfold == pytest.approx(once)


@pytest.mark.parametrize(("accuracy", "rows"), [(0.7, 400), (0.9, 400), (0.95, 700)])
def test_intervals_of_all_slices_hold_together(accuracy, rows):
    """Four slices of an eighth of the rows each, one of which is worse than the others."""
    rng = np.random.default_rng(3)
    truth = np.full(8, accuracy)
    truth[0] -= 0.15
    gaps, held = truth - truth.mean(), 0
    for _ in range(2000):
        kind = rng.integers(0, 8, rows)
        hits = rng.random(rows) < truth[kind]
        found = (worst_gap_interval(hits, kind == s, looked_at=4) for s in range(4))
        held += all(low <= gap <= high for (low, high), gap in zip(found, gaps, strict=False))
    assert 0.93 <= held / 2000 <= 0.97


@pytest.mark.parametrize("scene_effect", [0.0, 0.3])
def test_intervals_hold_where_every_scene_is_in_every_slice(scene_effect):
    """60 scenes, each plain and under five factors, of which one costs 0.2. What scenes have in common makes gaps surer."""
    rng, held = np.random.default_rng(4), 0
    truth = np.array([0.7, 0.7, 0.7, 0.7, 0.7, 0.5])
    gaps, scene, kind = truth - truth.mean(), np.repeat(np.arange(60), 6), np.tile(np.arange(6), 60)
    for _ in range(2000):
        easy = rng.choice([-scene_effect, scene_effect], 60)
        hits = rng.random(360) < truth[kind] + easy[scene]
        found = [worst_gap_interval(hits, kind == s, looked_at=5, clusters=scene) for s in range(1, 6)]
        held += all(low <= gap <= high for (low, high), gap in zip(found, gaps[1:], strict=True))
    assert held / 2000 >= 0.93
    assert held / 2000 <= 0.97 or scene_effect


def test_the_p_value_of_a_lone_slice_is_that_of_the_hypergeometric_distribution():
    hits = np.arange(60) < 40
    members = np.zeros((60, 1), bool)
    members[:6, 0] = members[40:48, 0] = True  # 6 right and 8 wrong of 14
    exact = hypergeom(60, 40, 14).cdf(6)
    found = lowest_slice_p_values(hits, members, seed=0, permutations=20000)[0]
    assert found == pytest.approx(exact, abs=4 * np.sqrt(exact / 20000))


def test_looking_at_many_slices_is_paid_for():
    rng = np.random.default_rng(4)
    members = rng.random((400, 40)) < 0.2
    hits = rng.random(400) < 0.7
    alone = lowest_slice_p_values(hits, members[:, :1], seed=0)[0]
    among = lowest_slice_p_values(hits, members, seed=0)
    assert among[0] > alone
    assert (among >= 1 / 1001).all() and (among <= 1).all()


def test_false_alarms_over_many_slices_stay_rare():
    rng = np.random.default_rng(5)
    alarms = 0
    for draw in range(200):
        factors = rng.random((200, 6)) < 0.4
        pairs = np.column_stack([factors[:, i] & factors[:, j] for i in range(6) for j in range(i)])
        alarms += lowest_slice_p_values(rng.random(200) < 0.8, pairs, seed=draw, permutations=200).min() <= 0.05
    low, high = binomtest(alarms, 200).proportion_ci(0.999)
    assert low <= 0.05 <= high


@pytest.mark.parametrize("hits", [np.ones(50, bool), np.zeros(50, bool)])
def test_nothing_can_be_worst_where_all_answers_are_alike(hits):
    assert (lowest_slice_p_values(hits, np.arange(50)[:, None] < [10, 20], seed=0) == 1).all()


def of_scenes(rng, sizes, varied):
    """Six pairs of four factors over scenes that are easy or hard by themselves; a factor goes with scenes, or with rows too."""
    scenes = np.repeat(np.arange(len(sizes)), sizes)
    hits = rng.random(len(scenes)) < rng.beta(1.4, 0.6, len(sizes))[scenes]
    factors = (rng.random((len(sizes), 4)) < 0.5)[scenes]
    factors = rng.random(factors.shape) < 0.2 + 0.6 * factors if varied else factors
    return hits, np.column_stack([factors[:, i] & factors[:, j] for i in range(4) for j in range(i)]), scenes


@pytest.mark.slow
@pytest.mark.parametrize("varied", [False, True])
@pytest.mark.parametrize("sizes", [np.full(40, 10), np.arange(40) % 13 + 3])
def test_false_alarms_stay_rare_where_rows_of_a_scene_vary_together(sizes, varied):
    rng, alarms = np.random.default_rng(6), 0
    for draw in range(200):
        hits, pairs, scenes = of_scenes(rng, sizes, varied)
        alarms += lowest_slice_p_values(hits, pairs, seed=draw, scenes=scenes, permutations=100).min() <= 0.05
    assert alarms <= 18


def test_a_bad_slice_of_many_scenes_is_still_found():
    rng = np.random.default_rng(7)
    hits, pairs, scenes = of_scenes(rng, np.full(60, 10), False)
    hits &= ~pairs[:, 2] | (rng.random(600) < 0.3)
    p_values = lowest_slice_p_values(hits, pairs, seed=0, scenes=scenes)
    assert p_values[2] < 0.01
    assert lowest_slice_p_values(hits, pairs, seed=0, scenes=rng.permutation(scenes))[2] < 0.01


def test_dealing_copies_is_dealing_pictures():
    """Ten copies of each of 60 pictures: the p-value is the exact one of the pictures."""
    members = np.zeros((60, 1), bool)
    members[:6, 0] = members[40:48, 0] = True
    exact = hypergeom(60, 40, 14).cdf(6)
    found = lowest_slice_p_values(
        (np.arange(60) < 40).repeat(10), members.repeat(10, axis=0), seed=0, scenes=np.arange(60).repeat(10), permutations=5000
    )
    assert found[0] == pytest.approx(exact, abs=4 * np.sqrt(exact / 5000))


def exact_p_values(hits, members):
    """Over all ways to place the hits: how often the lowest z of any slice is no higher than that of each slice."""
    n, total = len(hits), int(hits.sum())
    ways = [np.isin(np.arange(n), chosen) for chosen in combinations(range(n), total)]

    def z(way):
        share = np.array([way[slice_].mean() for slice_ in members.T])
        size = members.sum(axis=0)
        return (share - total / n) / np.sqrt(total / n * (1 - total / n) * (1 / size - 1 / n))

    lowest = np.array([z(way).min() for way in ways])
    return np.array([(lowest <= own + 1e-9).mean() for own in z(hits)])


@pytest.mark.parametrize("block", [1 << 22, 20_000])
def test_p_values_of_overlapping_slices_are_those_of_all_permutations(block, monkeypatch):
    """With few numbers in memory the permutations are made in parts, the last of which is smaller."""
    monkeypatch.setattr(slices, "_BLOCK", block)
    hits = np.array([0, 0, 1, 0, 1, 0, 1, 1, 1, 1], bool)
    members = np.zeros((10, 3), bool)
    members[:3, 0] = members[1:6, 1] = members[3:, 2] = True
    exact = exact_p_values(hits, members)
    found = lowest_slice_p_values(hits, members, seed=1, permutations=15_000)
    assert found == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 15_000))
    assert len(set(exact)) == 3


@pytest.mark.parametrize("block", [1 << 22, 30 * 700])
def test_p_values_by_scene_are_those_of_all_exchanges_of_scenes(block, monkeypatch):
    """Ten scenes of three equal rows: the exact p-values are those of the ten scenes as rows."""
    monkeypatch.setattr(slices, "_BLOCK", block)
    scene_hits = np.arange(10) >= 4
    members = np.zeros((10, 2), bool)
    members[[0, 1, 5], 0] = members[[2, 3, 4, 6, 7, 8], 1] = True
    exact = exact_p_values(scene_hits, members)
    found = lowest_slice_p_values(
        scene_hits.repeat(3), members.repeat(3, axis=0), seed=1, scenes=np.arange(10).repeat(3), permutations=4000
    )
    assert found == pytest.approx(exact, abs=4 * np.sqrt(0.25 / 4000))


def test_no_permutation_is_below_the_smallest_p_value_there_can_be():
    hits, members = np.arange(200) >= 30, (np.arange(200) < 30)[:, None]
    assert lowest_slice_p_values(hits, members, seed=0, permutations=99).tolist() == [1 / 100]


def test_a_slice_of_all_rows_or_none_to_look_at_is_not_tested():
    hits = np.arange(20) < 10
    assert lowest_slice_p_values(hits, np.ones((20, 1), bool), seed=0, permutations=50).tolist() == [1.0]
    assert lowest_slice_p_values(hits, np.ones((20, 0), bool), seed=0).shape == (0,)


def test_a_slice_share_by_hand():
    """Rows 0-3 and 6 of ten; clusters (0,1), (2,3), (4,5), then one row each."""
    hits = np.array([1, 0, 1, 1, 1, 1, 0, 0, 1, 1])
    members = np.isin(np.arange(10), [0, 1, 2, 3, 6])
    clusters = np.array([0, 0, 1, 1, 2, 2, 3, 4, 5, 6])
    found = slice_share(hits, members, seed=0, clusters=clusters, resamples=50)
    assert (found.n, found.share, found.of_all) == (5, pytest.approx(3 / 5), pytest.approx(0.7))
    assert (found.clusters, found.clusters_of_all) == (3, 7)
    assert found.right == pytest.approx(0.5 + 1 + 0)
    assert found.gap == pytest.approx(-0.1)
    alone = slice_share(hits, members, seed=0, resamples=50)
    assert (alone.clusters, alone.clusters_of_all, alone.right) == (5, 10, 3.0)


@pytest.mark.parametrize("scale", [1.0, 0.5])
def test_draws_of_a_slice_share_are_those_of_a_bootstrap_row_by_row(scale):
    """Mean and covariance of both shares over resamples. Hits of one half are no whole numbers, which are counted another way."""
    rng = np.random.default_rng(0)
    hits, members = scale * (rng.random(120) < 0.6), rng.random(120) < 0.4
    clusters = rng.integers(0, 50, 120)
    found = slice_share(hits, members, seed=1, clusters=clusters, resamples=20_000).draws
    rows = [np.flatnonzero(clusters == c) for c in np.unique(clusters)]
    expected = []
    for _ in range(4000):
        drawn = np.concatenate([rows[c] for c in rng.integers(0, len(rows), len(rows))])
        expected.append((hits[drawn][members[drawn]].mean(), hits[drawn].mean()))
    expected = np.array(expected)
    assert found.mean(axis=0) == pytest.approx(expected.mean(axis=0), abs=0.006 * scale)
    assert np.cov(found.T) == pytest.approx(np.cov(expected.T), rel=0.12)


def test_a_resample_without_the_slice_has_its_share():
    found = slice_share([1, 0, 0, 1], np.arange(4) < 1, seed=0, resamples=400)
    assert set(found.draws[:, 0]) == {1.0}
    assert np.isfinite(found.draws).all()


@pytest.mark.parametrize(("wrong", "method"), [(9, "Wilson, 95%"), (10, "bootstrap over pictures, 95%")])
@pytest.mark.parametrize("flip", [False, True])
def test_the_interval_of_a_gap_is_wilsons_for_fewer_than_ten_misses_or_hits(wrong, method, flip):
    hits = np.r_[np.arange(30) >= wrong, np.arange(60) < 40]
    found = slice_share(hits != flip, np.arange(90) < 30, seed=0, resamples=4000)
    (low, high), how = found.gap_interval()
    assert how == method
    if wrong == 9:
        # 1/k = 1/30 − 1/90, so k = 45.
        share = 9 / 30 if flip else 21 / 30
        middle = (90 - 61) / 90 if flip else 61 / 90
        k, z = 45, 1.959964
        half = z / (1 + z * z / k) * np.sqrt(share * (1 - share) / k + z * z / (4 * k * k))
        center = (share + z * z / (2 * k)) / (1 + z * z / k)
        assert (low, high) == pytest.approx((center - half - middle, center + half - middle), abs=1e-6)
    else:
        spread = np.diff(np.quantile(found.draws[:, 0] - found.draws[:, 1], [0.025, 0.975]))[0]
        assert (low + high) / 2 == pytest.approx(found.gap, abs=0.01)
        assert high - low == pytest.approx(spread)


def test_levels_are_those_that_are_asked_for():
    found = slice_share(np.arange(200) % 3 > 0, np.arange(200) < 60, seed=0, resamples=2000)
    (low, high), how = found.gap_interval(0.8)
    assert how == "bootstrap over pictures, 80%"
    assert (low, high) == pytest.approx(np.quantile(found.draws[:, 0] - found.draws[:, 1], [0.1, 0.9]))
    few = slice_share(np.arange(200) > 3, np.arange(200) < 60, seed=0, resamples=200)
    assert few.gap_interval(0.8)[1] == "Wilson, 80%"
    assert few.gap_interval(0.8)[0].low > few.gap_interval(0.95)[0].low


def test_the_gap_of_all_rows_is_nothing():
    assert slice_share(np.arange(9) < 3, np.ones(9, bool), seed=0, resamples=20).score_gap_interval(0.95) == (0.0, 0.0)


def test_sidaks_level():
    assert sidak_level(0.95, 4) ** 4 == pytest.approx(0.95)
    assert sidak_level(0.95, 1) == sidak_level(0.95, 0) == 0.95


@pytest.mark.parametrize("right", [0, 1])
def test_a_slice_all_right_or_all_wrong_reaches_the_end(right):
    """Ten of forty rows: k = 10 / (1 − ¼). The end beyond which nothing can lie is 0 or 1; the other is Jeffreys' bound."""
    hits = np.r_[np.full(10, right), np.arange(30) < 15]
    low, high = worst_gap_interval(hits, np.arange(40) < 10, looked_at=1)
    k = 10 / 0.75
    expected = (beta.ppf(0.025, k + 0.5, 0.5), 1.0) if right else (0.0, beta.ppf(0.975, 0.5, k + 0.5))
    assert (low + hits.mean(), high + hits.mean()) == pytest.approx(expected)


def test_the_worst_of_several_is_at_sidaks_level():
    hits = np.r_[np.arange(24) < 18, np.arange(72) < 62]
    low, high = worst_gap_interval(hits, np.arange(96) < 24, looked_at=3, level=0.9)
    tail = (1 - 0.9 ** (1 / 3)) / 2
    assert (low, high) == pytest.approx((beta.ppf(tail, 24.5, 8.5) - 80 / 96, beta.ppf(1 - tail, 24.5, 8.5) - 80 / 96))
