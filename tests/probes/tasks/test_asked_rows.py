"""The sample of pictures: balanced over classes, and steady when other pictures come and go."""

import hashlib

import numpy as np

from eyechart.probes.tasks.asked_rows import asked_rows, rng_of

IDS = [f"{i}.png" for i in range(100)]
TRUTH = np.array([0] * 70 + [1] * 20 + [2] * 5 + [-1] * 5)


def test_classes_are_as_equal_as_they_can_be():
    rows = asked_rows(IDS, TRUTH, 30, seed=0)
    assert np.bincount(TRUTH[rows]).tolist() in ([13, 12, 5], [12, 13, 5])
    assert (np.diff(rows) > 0).all()


def test_all_labeled_rows_where_there_are_few_or_0_is_given():
    assert asked_rows(IDS, TRUTH, 0, seed=0).tolist() == asked_rows(IDS, TRUTH, 1000, seed=0).tolist() == list(range(95))


def test_a_picture_of_another_class_that_is_set_aside_changes_nothing_else():
    chosen = {IDS[row] for row in asked_rows(IDS, TRUTH, 12, seed=3) if TRUTH[row] == 1}
    fewer = [i for i in range(100) if i != 0]
    again = asked_rows([IDS[i] for i in fewer], TRUTH[fewer], 12, seed=3)
    assert {IDS[fewer[row]] for row in again if TRUTH[fewer[row]] == 1} == chosen


def test_draws_depend_on_id_seed_and_purpose_alone():
    draw = rng_of("a", 1, "x").random()
    assert draw == rng_of("a", 1, "x").random()
    assert draw not in (rng_of("b", 1, "x").random(), rng_of("a", 2, "x").random(), rng_of("a", 1, "y").random())


def test_a_generator_follows_from_seed_purpose_and_id():
    number = int(hashlib.sha256(b"3/options/p7").hexdigest()[:16], 16)
    assert rng_of("p7", 3, "options").random(4).tolist() == np.random.default_rng(number).random(4).tolist()
