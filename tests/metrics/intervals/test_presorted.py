"""Rows at sorted places: against sorting, and resamples against what is drawn by hand."""

import numpy as np
import pytest

from eyechart.metrics.intervals import presorted
from eyechart.metrics.intervals.presorted import resampled_places, sort_once


def test_places_fall_with_the_score_and_equal_scores_share_one():
    places = sort_once([0.3, 0.9, 0.3, -1.0, 0.5])
    assert places.of_row.tolist() == [2, 0, 2, 3, 1]
    assert places.scores.tolist() == [0.9, 0.5, 0.3, -1.0]
    assert len(places) == 4
    assert places.weigh([1, 10, 100, 1000, 0]).tolist() == [10, 0, 101, 1000]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_a_score_that_is_no_number_is_refused(bad):
    with pytest.raises(ValueError, match="finite"):
        sort_once([0.0, bad])


def test_places_are_joined_in_equal_parts():
    """Twelve rows, joined to four places: three neighbors each, with the lowest of their scores."""
    scores = np.random.default_rng(0).permutation(12).astype(float)
    places = sort_once(scores, most=4)
    assert places.of_row.tolist() == ((11 - scores) // 3).astype(int).tolist()
    assert places.scores.tolist() == [9, 6, 3, 0]


@pytest.mark.parametrize(("most", "count"), [(12, 12), (13, 12), (11, 11), (1, 1)])
def test_as_many_places_as_are_allowed_are_kept(most, count):
    assert len(sort_once(np.arange(12.0), most=most)) == count


def test_ties_are_never_parted():
    """Eight rows of one score among twelve stay together, and the joined places keep the order of the scores."""
    scores = np.array([5.0] * 8 + [4, 3, 2, 1])
    places = sort_once(scores, most=3)
    assert len(set(places.of_row[:8])) == 1
    assert len(places) <= 3
    assert (np.diff(places.of_row) >= 0).all()
    for place, lowest in enumerate(places.scores):
        assert lowest == scores[places.of_row == place].min()


def drawn(places, columns, **options):
    return np.concatenate(list(resampled_places(places, columns, seed=3, **options)))


def exact_moments(places, columns, clusters, strata):
    """Mean and covariance of resampled sums. Of k clusters with sums v_c, k are drawn: the mean is Σ v_c, and the covariance
    Σ (v_c − v̄)(v_c − v̄)ᵀ, added up over strata."""
    m = columns.shape[1]
    mean, covariance = np.zeros(m * len(places)), np.zeros((m * len(places),) * 2)
    for stratum in np.unique(strata):
        sums = []
        for cluster in np.unique(clusters[strata == stratum]):
            of_cluster = np.zeros((m, len(places)))
            for row in np.flatnonzero((clusters == cluster) & (strata == stratum)):
                of_cluster[:, places.of_row[row]] += columns[row]
            sums.append(of_cluster.ravel())
        away = np.array(sums) - np.mean(sums, axis=0)
        mean, covariance = mean + np.sum(sums, axis=0), covariance + away.T @ away
    return mean, covariance


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("stratified", [False, True])
@pytest.mark.parametrize("tied", [False, True])
def test_resamples_have_the_mean_and_covariance_of_drawn_clusters(clustered, stratified, tied):
    rng = np.random.default_rng(1)
    n, resamples = 14, 20_000
    scores = rng.integers(0, 3, n).astype(float) if tied else rng.normal(size=n)
    columns = np.column_stack([rng.integers(0, 2, n), rng.integers(1, 3, n)]).astype(float)
    clusters = np.arange(n) // 3 + 5 if clustered else None
    strata = np.arange(n) // 6 - 1 if stratified else None
    places = sort_once(scores)
    found = drawn(places, columns, resamples=resamples, clusters=clusters, strata=strata).reshape(resamples, -1)
    mean, covariance = exact_moments(
        places, columns, np.arange(n) if clusters is None else clusters, np.zeros(n) if strata is None else strata
    )
    spread = np.sqrt(np.diag(covariance))
    assert (np.abs(found.mean(axis=0) - mean) <= 5 * spread / np.sqrt(resamples) + 1e-12).all()
    assert (np.abs(np.cov(found.T) - covariance) <= 0.06 * np.outer(spread, spread) + 1e-12).all()


def test_strata_keep_their_number_of_clusters():
    strata = np.repeat([-1, 0, 4], [3, 5, 2])
    columns = (strata[:, None] == [-1, 0, 4]).astype(float)
    sums = drawn(sort_once(np.arange(10.0)), columns, strata=strata, resamples=100).sum(axis=2)
    assert (sums == [3, 5, 2]).all()


@pytest.mark.parametrize("scores", [np.arange(40.0), np.arange(40.0) // 8])
def test_blocks_change_nothing(scores, monkeypatch):
    columns = np.ones((40, 1))
    whole = drawn(sort_once(scores), columns, resamples=25)
    monkeypatch.setattr(presorted, "_BLOCK", 7 * (2 * len(set(scores))))
    parts = list(resampled_places(sort_once(scores), columns, seed=3, resamples=25))
    assert [len(part) for part in parts] == [7, 7, 7, 4]
    assert np.array_equal(np.concatenate(parts), whole)
