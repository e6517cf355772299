"""The worst of many slices: hand-worked cases, draws from a known population, and the price of many looks."""

import numpy as np
import pytest
from scipy.stats import beta, binomtest, hypergeom

from eyechart.metrics.intervals.slices import lowest_slice_p_values, worst_gap_interval


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
