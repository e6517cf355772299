"""The three parts: disjoint, complete, every class in each, copies together."""

import numpy as np
import pytest

from eyechart.errors import DataError
from eyechart.repair.data_split import split


def test_parts_are_disjoint_and_hold_every_class():
    labels = np.repeat([-1, 0, 1, 2], [10, 40, 80, 120])
    parts = split(labels, np.arange(250), seed=3)
    rows = np.concatenate([parts.fit, parts.calibrate, parts.held_out, parts.unlabeled])
    assert sorted(rows.tolist()) == list(range(250))
    for part, share in ((parts.fit, 4), (parts.calibrate, 4), (parts.held_out, 2)):
        np.testing.assert_array_equal(np.bincount(labels[part]), np.array([40, 80, 120]) // share)
    np.testing.assert_array_equal(parts.unlabeled, np.arange(10))


def test_copies_of_a_picture_stay_in_one_part():
    rng = np.random.default_rng(0)
    clusters = rng.integers(0, 60, 400)
    labels = np.where(rng.random(400) < 0.2, -1, clusters % 4)
    parts = split(labels, clusters, seed=0)
    looked = np.concatenate([parts.fit, parts.calibrate, parts.unlabeled])
    assert set(clusters[looked]).isdisjoint(clusters[parts.held_out])
    assert set(clusters[parts.fit]).isdisjoint(clusters[parts.calibrate])


def test_another_seed_is_another_split():
    labels, clusters = np.zeros(100, np.int64), np.arange(100)
    assert split(labels, clusters, seed=0).fit.tolist() != split(labels, clusters, seed=1).fit.tolist()


def test_too_few_pictures_are_refused():
    with pytest.raises(DataError, match="there are 39"):
        split(np.zeros(39, np.int64), np.arange(39), seed=0)


def test_forty_pictures_are_enough():
    parts = split(np.zeros(40, np.int64), np.arange(40), seed=0)
    assert [len(part) for part in (parts.fit, parts.calibrate, parts.held_out)] == [10, 10, 20]
