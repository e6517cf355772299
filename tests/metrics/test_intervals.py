import numpy as np
import pytest
from scipy.stats import binomtest, bootstrap

from eyechart.metrics.intervals import bootstrap_mean, bootstrap_ratio, mean_of_shares_interval, wilson


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


@pytest.mark.parametrize("name", ["mean", "clusters", "mean of shares", "wilson"])
def test_intervals_cover_the_truth(name):
    rng = np.random.default_rng(7)
    classes = rng.uniform(0.2, 0.95, 30)
    sizes = rng.integers(6, 25, 30)
    hits = 0
    draws = 2000
    for draw in range(draws):
        if name == "mean":
            truth, interval = 0.7, bootstrap_mean(rng.random(300) < 0.7, seed=draw, resamples=600)
        elif name == "clusters":
            scene = np.repeat(rng.beta(4, 2, 150), 3)
            truth, interval = (
                4 / 6,
                bootstrap_mean(rng.random(450) < scene, seed=draw, clusters=np.repeat(np.arange(150), 3), resamples=600),
            )
        elif name == "mean of shares":
            truth = classes.mean()
            interval, _ = mean_of_shares_interval(rng.binomial(sizes, classes), sizes, seed=draw, resamples=600)
        else:
            truth, interval = 0.7, wilson(rng.binomial(60, 0.7), 60)
        hits += interval[0] <= truth <= interval[1]
    assert 0.93 <= hits / draws <= 0.97


def test_a_class_without_pictures_is_refused():
    with pytest.raises(ValueError, match="every class needs a picture"):
        mean_of_shares_interval([1, 0], [2, 0], seed=0)


def test_an_empty_sample_has_no_interval():
    assert np.isnan(bootstrap_ratio([], [], seed=0)).all()
