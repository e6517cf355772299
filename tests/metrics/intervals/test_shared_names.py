"""Shares over scenes that share names: by hand, and the coverage of their intervals over lists drawn from a population."""

import numpy as np
import pytest
from scipy.stats import binomtest, t

from eyechart.metrics.intervals.shared_names import named_mean, named_share


def test_names_that_stand_in_one_row_each_are_rows():
    """500 rows with names of their own: V_names less what rows vary by themselves is what rows vary, up to 1/K."""
    hits = np.arange(500) < 150
    mean, variance, _ = named_mean(hits, np.arange(1000).reshape(500, 2))
    assert (mean, variance) == (0.3, pytest.approx(0.21 / 500, rel=0.02))
    _, (low, high) = named_share(hits, np.arange(1000).reshape(500, 2))
    expected = binomtest(150, 500).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((expected.low, expected.high), abs=2e-3)


def test_answers_that_hang_on_one_name_count_names():
    """All pairs of 40 names, value the mean of what the names are worth: the variance is that of a mean of 40 numbers."""
    worth = np.random.default_rng(0).random(40)
    pairs = np.array([(a, b) for a in range(40) for b in range(40) if a != b])
    mean, variance, _ = named_mean(worth[pairs].mean(axis=1), pairs)
    assert (mean, variance) == (pytest.approx(worth.mean()), pytest.approx(worth.var(ddof=1) / 40, rel=0.06))


def test_rows_of_a_cluster_vary_together():
    names = np.repeat(np.arange(800).reshape(200, 4), 5, axis=0)
    hits = np.repeat(np.arange(200) < 80, 5)
    _, alone = named_share(hits[::5], names[::5])
    _, (low, high) = named_share(hits, names, clusters=np.repeat(np.arange(200), 5))
    assert (low, high) == pytest.approx(tuple(alone), abs=1e-6)


def test_a_list_too_short_to_leave_a_name_out_counts_rows():
    mean, variance, _ = named_mean(np.arange(100) < 50, np.tile(np.arange(4), (100, 1)))
    assert (mean, variance) == (0.5, pytest.approx(0.25 / 100))


def test_where_nothing_varies_the_interval_is_that_of_the_rows():
    value, (low, high) = named_share(np.full(40, -0.5), np.arange(80).reshape(40, 2), bounds=(-0.5, 1))
    assert (value, low) == (-0.5, -0.5)
    assert high == pytest.approx(-0.5 + 1.5 * t.ppf(0.975, 79) ** 2 / (40 + t.ppf(0.975, 79) ** 2))


def test_nothing_kept_is_unknown():
    share, (low, high) = named_share(np.zeros(3), np.arange(6).reshape(3, 2), sizes=np.zeros(3))
    assert np.isnan([share, low, high]).all()


def covered(rng, names, n, rows, spread, draws=2000):
    """How often the interval holds the truth: each name pulls the answers of its scenes, and what it pulls is drawn anew with
    every list of names."""
    sets = rng.random((rows, names)).argpartition(n - 1, axis=1)[:, :n]
    truth = (1 / (1 + np.exp(0.4 - rng.normal(0, spread, 400_000)))).mean()
    held = 0
    for _ in range(draws):
        chance = 1 / (1 + np.exp(0.4 - rng.normal(0, spread / np.sqrt(n), names)[sets].sum(axis=1)))
        _, (low, high) = named_share(rng.random(rows) < chance, sets)
        held += low <= truth <= high
    return held / draws


@pytest.mark.slow
@pytest.mark.parametrize(
    ("names", "n", "rows", "spread"),
    [(18, 4, 300, 0.8), (80, 4, 600, 0.8), (18, 8, 800, 0.8), (80, 2, 300, 1.2), (18, 2, 300, 1.2)],
)
def test_intervals_cover_lists_of_names_drawn_from_a_population(names, n, rows, spread):
    assert 0.93 <= covered(np.random.default_rng(0), names, n, rows, spread) <= 0.97


def test_intervals_are_a_little_wide_where_names_do_not_matter():
    """That they do not is not known, and only the more is covered for it."""
    assert 0.95 <= covered(np.random.default_rng(0), 80, 4, 600, 0.0) <= 0.985


@pytest.mark.slow
def test_intervals_of_differences_cover():
    rng, held = np.random.default_rng(2), 0
    sets = rng.random((300, 18)).argpartition(3, axis=1)[:, :4]
    for _ in range(2000):
        chances = 1 / (1 + np.exp(-rng.normal(0, 0.5, 18)[sets].sum(axis=1)))
        hits = rng.random((2, 300)) < np.stack([chances, 1 - chances])
        _, (low, high) = named_share(hits[0] * 1.0 - hits[1], sets, bounds=(-1, 1))
        held += low <= 0.0 <= high
    assert 0.93 <= held / 2000 <= 0.97


def jackknife(values, names, sizes, clusters):
    """The variance as its docstring has it, name by name and row by row."""
    rows = [set(row) - {-1} for row in names.tolist()]
    present = sorted(set().union(*rows))
    k, n = len(present), np.mean([len(row) for row in rows])
    mean = values.sum() / sizes.sum()
    residuals = {c: sum((values - mean * sizes)[clusters == c]) for c in set(clusters.tolist())}
    of_rows = sum(r * r for r in residuals.values()) / sizes.sum() ** 2
    without = []
    for name in present:
        kept = np.array([name not in row for row in rows])
        without.append(values[kept].sum() / sizes[kept].sum())
    of_names = sum((w - np.mean(without)) ** 2 for w in without)
    return mean, max(of_names - (n / (1 - n / k) - 1) * of_rows, of_rows), k


@pytest.mark.parametrize("spread", [0.0, 3.0])
@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("padded", [False, True])
@pytest.mark.parametrize("clustered", [False, True])
def test_the_variance_is_that_of_a_loop_over_names(spread, n, padded, clustered):
    """Twelve names, one of which is in no row, and the numbers have a gap. With no spread the variance of the rows is larger."""
    rng = np.random.default_rng(n)
    numbers = np.array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11])
    names = numbers[rng.random((70, 11)).argsort(axis=1)[:, :n]]
    sizes = rng.integers(1, 4, 70).astype(float)
    worth = rng.normal(0, spread, 12)
    values = rng.binomial(sizes.astype(int), 1 / (1 + np.exp(-worth[names].mean(axis=1)))).astype(float)
    if padded:
        names = np.column_stack([names, np.where(np.arange(70) % 2, 10, -1)])
    clusters = np.arange(70) // (7 if clustered else 1)
    found = named_mean(values, names, sizes=sizes, clusters=clusters if clustered else None)
    assert found == pytest.approx(jackknife(values, names, sizes, clusters))


@pytest.mark.parametrize(
    ("names", "leaves_out"),
    [
        ([[0], [1], [2], [0]], True),
        ([[0], [1], [0], [1]], False),  # two names
        ([[0, 1], [0, 2], [0, 1], [0, 2]], False),  # without name 0 nothing is left
        ([[0, 1, 2]] * 4, False),
        ([[0, 1], [1, 2], [2, 0], [0, 1]], True),
    ],
)
def test_names_are_left_out_where_three_can_be(names, leaves_out):
    values = np.array([1.0, 0.0, 1.0, 1.0])
    names = np.array(names)
    mean, variance, k = named_mean(values, names)
    assert (mean, k) == (0.75, len(np.unique(names)))
    assert (variance > 0.1875 / 4 + 1e-9) is leaves_out
    if not leaves_out:
        assert variance == pytest.approx(0.1875 / 4)
    else:
        assert variance == pytest.approx(jackknife(values, names, np.ones(4), np.arange(4))[1])


@pytest.mark.parametrize("bounds", [(0.0, 1.0), (-1.0, 1.0), (-0.5, 2.0)])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_the_interval_is_wilsons_with_students_quantile(bounds, level):
    rng = np.random.default_rng(5)
    names = rng.random((60, 9)).argsort(axis=1)[:, :2]
    least, most = bounds
    worth = rng.normal(0, 2, 9)
    sizes = rng.integers(1, 3, 60).astype(float)
    hits = rng.binomial(sizes.astype(int), 1 / (1 + np.exp(-worth[names].mean(axis=1))))
    values = least * sizes + (most - least) * hits
    share, (low, high) = named_share(values, names, sizes=sizes, bounds=bounds, level=level)
    p, variance, k = jackknife(hits.astype(float), names, sizes, np.arange(60))
    n, z = p * (1 - p) / variance, t.ppf(0.5 + level / 2, k - 1)
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    expected = [least + (most - least) * v for v in (p, middle - half, middle + half)]
    assert [share, low, high] == pytest.approx(expected)


def test_a_list_of_one_name_has_one_degree_of_freedom():
    """As two names would: Student's quantile of 0 degrees is no number."""
    _, (low, high) = named_share([1.0, 0.0, 1.0, 1.0], np.zeros((4, 1), int))
    n, p, z = 4, 0.75, t.ppf(0.975, 1)
    half = z / (1 + z * z / n) * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    assert (low, high) == pytest.approx((middle - half, middle + half))
