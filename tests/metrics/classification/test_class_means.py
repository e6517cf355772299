"""The mean over classes: which interval is used when, and what it is."""

import numpy as np
import pytest
from scipy.stats import binomtest

from eyechart.metrics.classification.class_means import mean_of_shares_interval


@pytest.mark.parametrize("few", ["wrong", "right"])
def test_few_errors_or_few_hits_give_wilson_for_the_pictures_that_count(few):
    """Two classes of 50: 2² / (1/50 + 1/50) = 100 pictures if all were alike."""
    hits = np.ones(100)
    hits[[3, 60]] = 0
    if few == "right":
        hits = 1 - hits
    (low, high), how = mean_of_shares_interval(hits, np.repeat([0, 1], 50), seed=0)
    expected = binomtest(int(hits.sum()), 100).proportion_ci(method="wilson")
    assert how == "Wilson, 95%"
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_unequal_classes_count_as_fewer_pictures():
    """90 and 10: 4 / (1/90 + 1/10) = 36 pictures."""
    hits = np.ones(100)
    hits[95:] = 0  # half of the small class: the mean is 75%, 27 of 36
    (low, high), how = mean_of_shares_interval(hits, np.repeat([0, 1], [90, 10]), seed=0)
    expected = binomtest(27, 36).proportion_ci(method="wilson")
    assert how == "Wilson, 95%"
    assert (low, high) == pytest.approx((expected.low, expected.high))


def test_with_ten_of_both_it_is_the_bootstrap_within_classes():
    """k − 1 of k pictures are drawn: with 20 of 40 right in each of two classes, the variance is 2 · ¼ / 39 / 4."""
    hits = np.tile([0.0, 1.0], 40)
    (low, high), how = mean_of_shares_interval(hits, np.repeat([0, 1], 40), seed=1, resamples=20_000)
    assert how.startswith("bootstrap")
    width = 2 * 1.96 * np.sqrt(2 * 0.25 / 39 / 4)
    assert high - low == pytest.approx(width, rel=0.06)
    assert (low + high) / 2 == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(("wrong", "method"), [(9, "Wilson"), (10, "bootstrap")])
@pytest.mark.parametrize("flip", [False, True])
def test_fewer_than_ten_wrong_or_right_are_few(wrong, method, flip):
    hits = (np.arange(60) >= wrong) != flip
    assert mean_of_shares_interval(hits, np.arange(60) % 3, seed=0, resamples=50)[1].startswith(method)


def exact_spread(sizes, shares):
    """Standard deviation of the mean over classes where max(k − 1, 1) pictures are drawn from a class of k."""
    return np.sqrt(sum(p * (1 - p) / max(k - 1, 1) for k, p in zip(sizes, shares, strict=True))) / len(sizes)


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_classes_of_one_picture_are_pooled(level):
    """Twenty classes of one picture, fourteen of them right, and two of thirty."""
    classes = np.r_[np.arange(20), np.repeat([50, 60], 30)]
    hits = np.r_[np.arange(20) < 14, np.arange(30) < 12, np.arange(30) < 21]
    (low, high), how = mean_of_shares_interval(hits, classes, seed=0, level=level, resamples=20_000)
    spread = exact_spread([1] * 20 + [30, 30], [0.7] * 20 + [0.4, 0.7])
    z = {0.8: 1.281552, 0.95: 1.959964}[level]
    assert how == f"bootstrap of pictures within classes, {level:.0%}"
    assert high - low == pytest.approx(2 * z * spread, rel=0.1)
    assert (low + high) / 2 == pytest.approx((20 * 0.7 + 0.4 + 0.7) / 22, abs=0.15 * spread)


@pytest.mark.parametrize("right", [0, 1])
def test_a_single_class_of_one_picture_is_drawn_with_the_share_of_all(right):
    classes = np.r_[7, np.repeat([1, 2], 30)]
    hits = np.r_[right, np.arange(30) < 12, np.arange(30) < 21]
    (low, high), _ = mean_of_shares_interval(hits, classes, seed=0, resamples=20_000)
    share = hits.mean()
    spread = exact_spread([1, 30, 30], [share, 0.4, 0.7])
    middle = (share + 0.4 + 0.7) / 3
    # One class is right or wrong, a third of the mean: two heaps, a third apart.
    assert low == pytest.approx((0.4 + 0.7) / 3 - 0.08, abs=0.05)
    assert high == pytest.approx((1 + 0.4 + 0.7) / 3 + 0.08, abs=0.05)
    assert high - low > 2 * spread
    assert low < middle < high


def test_rows_of_a_cluster_are_one_picture_of_each_of_its_classes():
    rng = np.random.default_rng(3)
    hits, classes = rng.random(60) < 0.6, np.arange(60) % 3
    once = mean_of_shares_interval(hits, classes, seed=0)
    rows = np.repeat(np.arange(60), 3)
    again = mean_of_shares_interval(hits[rows], classes[rows] + 4, seed=0, clusters=rows)
    assert again[1] == once[1]
    assert again[0] == pytest.approx(tuple(once[0]))
