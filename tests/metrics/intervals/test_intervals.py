import numpy as np
import pytest
from scipy.stats import binomtest, bootstrap

from eyechart.metrics import intervals
from eyechart.metrics.classification.class_means import mean_of_shares_interval
from eyechart.metrics.intervals import bootstrap_mean, bootstrap_ratio, percentile, score_interval, share_interval, wilson


@pytest.mark.parametrize(("hits", "n"), [(0, 7), (7, 7), (8, 10), (1, 400), (399, 400), (13, 29)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_wilson_agrees_with_scipy(hits, n, level):
    expected = binomtest(hits, n).proportion_ci(level, method="wilson")
    low, high = wilson(hits, n, level)
    assert (float(low), float(high)) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_wilson_of_nothing_is_not_a_number():
    low, high = wilson(0, 0)
    assert np.isnan(low)
    assert np.isnan(high)


def test_bootstrap_of_a_mean_agrees_with_scipy():
    values = np.random.default_rng(1).gamma(2.0, size=80)
    ours = bootstrap_mean(values, seed=3, resamples=20_000)
    result = bootstrap((values,), np.mean, method="percentile", n_resamples=20_000, rng=np.random.default_rng(5))
    theirs = result.confidence_interval
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02)


def test_rows_of_one_cluster_are_resampled_together():
    # Ten copies of each of 40 pictures hold the information of 40, not of 400.
    values = np.random.default_rng(0).integers(0, 2, 40).astype(float)
    copies, clusters = np.repeat(values, 10), np.repeat(np.arange(40), 10)
    single = bootstrap_mean(values, seed=1)
    clustered = bootstrap_mean(copies, seed=1, clusters=clusters)
    naive = bootstrap_mean(copies, seed=1)
    assert clustered == pytest.approx(single, abs=1e-12)
    assert (naive.high - naive.low) < 0.45 * (clustered.high - clustered.low)


def test_the_same_seed_gives_the_same_interval():
    values = np.sqrt(np.arange(50))
    assert bootstrap_mean(values, seed=9) == bootstrap_mean(values, seed=9)
    assert bootstrap_mean(values, seed=9, resamples=200) != bootstrap_mean(values, seed=10, resamples=200)


def draw_interval(name, rng, seed):
    """The truth of a known population, and the interval from one sample of it."""
    if name == "mean":
        return 0.7, bootstrap_mean(rng.random(300) < 0.7, seed=seed, resamples=600)
    if name == "clusters":
        scene = np.repeat(rng.beta(4, 2, 150), 3)
        clusters = np.repeat(np.arange(150), 3)
        return 4 / 6, bootstrap_mean(rng.random(450) < scene, seed=seed, clusters=clusters, resamples=600)
    if name == "share near one":
        return 0.97, share_interval(rng.random(60) < 0.97, seed=seed, resamples=600)[0]
    if name == "share":
        return 0.8, share_interval(rng.random(200) < 0.8, seed=seed, resamples=600)[0]
    if name == "wilson":
        return 0.7, wilson(rng.binomial(60, 0.7), 60)
    # Thirty classes of different size and difficulty; or as many of one picture each.
    accuracy = np.linspace(0.3, 0.95, 30)
    sizes = np.tile([6, 11, 24], 10) if name == "mean over classes" else np.ones(30, int)
    classes = np.repeat(np.arange(30), sizes)
    hits = rng.random(len(classes)) < accuracy[classes]
    return accuracy.mean(), mean_of_shares_interval(hits, classes, seed=seed, resamples=600)[0]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mean", "clusters", "share", "wilson", "mean over classes"])
def test_intervals_cover_the_truth(name):
    rng = np.random.default_rng(7)
    hits = 0
    for draw in range(2000):
        truth, interval = draw_interval(name, rng, draw)
        hits += interval[0] <= truth <= interval[1]
    assert 0.93 <= hits / 2000 <= 0.97


@pytest.mark.parametrize("name", ["share near one", "classes of one picture"])
def test_hard_cases_are_covered_at_least(name):
    """Near 1 a share takes few values, and classes of one picture hide their variance: the interval may be wide, never narrow."""
    rng = np.random.default_rng(7)
    hits = 0
    for draw in range(1000):
        truth, interval = draw_interval(name, rng, draw)
        hits += interval[0] <= truth <= interval[1]
    assert hits / 1000 >= 0.93


def test_all_right_still_has_an_interval():
    low, high = share_interval([True] * 5, seed=0)[0]
    assert (low, high) == pytest.approx(tuple(binomtest(5, 5).proportion_ci(method="wilson")))


def test_copies_of_a_picture_add_nothing_to_the_mean_over_classes():
    rng = np.random.default_rng(2)
    classes = np.repeat(np.arange(6), 12)
    hits = rng.random(72) < 0.7
    once = mean_of_shares_interval(hits, classes, seed=1, clusters=np.arange(72))[0]
    tenfold = mean_of_shares_interval(np.repeat(hits, 10), np.repeat(classes, 10), seed=1, clusters=np.repeat(np.arange(72), 10))[
        0
    ]
    assert tenfold == pytest.approx(once)


def test_no_picture_has_no_mean_over_classes():
    with pytest.raises(ValueError, match="no picture"):
        mean_of_shares_interval([], np.array([], int), seed=0)


def test_an_empty_sample_has_no_interval():
    assert np.isnan(bootstrap_ratio([], [], seed=0)).all()


@pytest.mark.parametrize("block", [1 << 22, 6 * 7, 1])
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_a_ratio_has_the_quantiles_of_exactly_as_many_resamples(block, level, monkeypatch):
    """Six kinds of clusters, some of them more than once: the same draws, made in one call."""
    monkeypatch.setattr(intervals, "_BLOCK", block)
    kinds = np.array([[0, 1], [1, 2], [2, 2], [3, 4], [3, 5], [7, 8]], float)
    counts = np.array([1, 4, 2, 1, 3, 1])
    sums, sizes = np.repeat(kinds, counts, axis=0)[::-1].T
    drawn = np.random.default_rng(5).multinomial(12, counts / 12, size=37)
    expected = np.quantile((drawn @ kinds[:, 0]) / (drawn @ kinds[:, 1]), [0.5 - level / 2, 0.5 + level / 2])
    assert bootstrap_ratio(sums, sizes, seed=5, level=level, resamples=37) == pytest.approx(tuple(expected))


@pytest.mark.parametrize("flip", [False, True])
@pytest.mark.parametrize(("wrong", "method"), [(9, "Wilson, 90%"), (10, "bootstrap over pictures, 90%")])
@pytest.mark.parametrize("copies", [1, 2])
def test_a_share_is_wilsons_for_fewer_than_ten_clusters_right_or_wrong(wrong, method, flip, copies):
    hits = ((np.arange(40) >= wrong) != flip).repeat(copies)
    clusters = np.arange(40).repeat(copies) + 3 if copies > 1 else None
    found, how = share_interval(hits, seed=2, clusters=clusters, level=0.9, resamples=300)
    assert how == method
    if wrong == 9:
        expected = tuple(binomtest(int(hits.sum()) // copies, 40).proportion_ci(0.9, method="wilson"))
    else:
        expected = tuple(bootstrap_mean(hits, seed=2, clusters=clusters, level=0.9, resamples=300))
    assert found == pytest.approx(expected)


def test_clusters_that_are_half_right_count_half():
    """Eighteen clusters of two rows, one of them right: nine clusters' worth are right, so there are few."""
    hits, clusters = np.tile([1, 0], 18), np.repeat(np.arange(18), 2)
    found, how = share_interval(hits, seed=0, clusters=clusters)
    assert how.startswith("Wilson")
    assert found == pytest.approx(tuple(binomtest(9, 18).proportion_ci(method="wilson")))


def test_a_score_interval_with_a_large_quantile():
    """The shares p at which |p̂ − p| is z √(p(1−p)/n): of 3 of 10 with z = 12.7."""
    for bound in score_interval(3, 10, 12.7):
        assert abs(0.3 - bound) == pytest.approx(12.7 * np.sqrt(bound * (1 - bound) / 10))


def test_percentiles_are_in_the_middle():
    assert percentile(np.linspace(0, 1, 101), 0.9) == pytest.approx((0.05, 0.95))
