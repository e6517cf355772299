"""Shares over crossed sources: by hand, and the coverage of their intervals."""

import numpy as np
import pytest
from scipy.stats import binomtest, t

from eyechart.metrics.intervals.crossed_shares import crossed_share


def test_pictures_with_sources_of_their_own_are_independent():
    """Wilson's interval, but for Student's quantile of 399 degrees, which is the normal one to 0.3%."""
    share, (low, high) = crossed_share(np.arange(400) < 120, np.arange(400), np.arange(400))
    expected = binomtest(120, 400).proportion_ci(method="wilson")
    assert share == 0.3
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=1e-3)


def test_a_perfect_share_has_an_interval_of_as_many_pictures():
    share, (low, high) = crossed_share(np.ones(40), np.arange(40), np.arange(40))
    assert (share, high) == (1.0, 1.0)
    assert low == pytest.approx(40 / (40 + t.ppf(0.975, 39) ** 2))


def test_answers_that_hang_on_the_texture_alone_count_its_sources():
    """Ten textures, seven of which are answered alike in all forty shapes: the interval is that of a share of ten."""
    texture = np.tile(np.arange(10), 40)
    _, (low, high) = crossed_share(texture < 7, np.repeat(np.arange(40), 10), texture)
    independent = binomtest(280, 400).proportion_ci(method="wilson")
    ten = binomtest(7, 10).proportion_ci(method="wilson")
    assert low < ten.low + 0.02 and high > ten.high - 0.02
    assert high - low > 3 * (independent.high - independent.low)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shapes", "textures", "of_shape", "of_texture"),
    [(80, 48, 0.0, 0.0), (80, 48, 1.0, 0.0), (80, 48, 0.0, 1.0), (80, 48, 1.0, 1.0), (20, 30, 1.0, 1.0)],
)
def test_intervals_cover_whatever_the_answers_hang_on(shapes, textures, of_shape, of_texture):
    """Five pictures of every shape, each with another texture; how a source pulls is drawn anew every time."""
    rng, held = np.random.default_rng(0), 0
    pulls = np.random.default_rng(1).normal(0, np.hypot(of_shape, of_texture), 400_000)
    truth = (1 / (1 + np.exp(0.5 - pulls))).mean()
    shape = np.repeat(np.arange(shapes), 5)
    for _ in range(2000):
        texture = (rng.integers(0, textures, shapes)[:, None] + np.arange(5) * (textures // 5)).ravel() % textures
        pull = rng.normal(0, of_shape, shapes)[shape] + rng.normal(0, of_texture, textures)[texture]
        _, (low, high) = crossed_share(rng.random(len(shape)) < 1 / (1 + np.exp(0.5 - pull)), shape, texture)
        held += low <= truth <= high
    assert 0.93 <= held / 2000 <= 0.97


def test_two_sources_leave_little_certain_and_one_nothing():
    """Student's quantile for one degree of freedom is 12.7: half of the answers may be anything between a few and most."""
    _, (low, high) = crossed_share(np.arange(40) % 2, np.arange(40) // 2 % 2, np.arange(40))
    assert 0 < low < 0.2 and 0.8 < high < 1
    _, lone = crossed_share(np.arange(40) % 2, np.zeros(40, int), np.arange(40))
    assert np.isnan(lone).all()


@pytest.mark.parametrize("level", [0.8, 0.95])
@pytest.mark.parametrize("pull", [0.0, 2.0])
def test_the_variance_is_that_of_all_pairs_of_rows_that_share_a_source(pull, level):
    """A loop over pairs of rows: those with the same first source or the same second one vary together. Sources have numbers
    that overlap and have gaps."""
    rng = np.random.default_rng(3)
    first, second = rng.integers(0, 7, 60) * 2, rng.integers(0, 5, 60) * 3
    score = pull * (rng.normal(size=13)[first] + rng.normal(size=13)[second])
    hits = rng.random(60) < 1 / (1 + np.exp(-score))
    share, (low, high) = crossed_share(hits, first, second, level)
    e = hits - hits.mean()
    together = sum(e[i] * e[j] for i in range(60) for j in range(60) if first[i] == first[j] or second[i] == second[j])
    pairs = len(set(zip(first.tolist(), second.tolist(), strict=True)))
    variance = max(together, 0) / 60**2 * pairs / (pairs - 1)
    n = min(share * (1 - share) / variance, 60)
    z = t.ppf(0.5 + level / 2, min(len(set(first.tolist())), len(set(second.tolist()))) - 1)
    middle = (share + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    assert (low, high) == pytest.approx((middle - half, middle + half))
