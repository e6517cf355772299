"""Choices between two classes: which pictures, which options, and in which order and wording."""

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import chisquare
from tests.probes.answering import NoPictures, class_list

from eyechart.data.dataset import Dataset
from eyechart.probes.contract import NotApplicable
from eyechart.probes.tasks.two_options import WORDINGS, TwoOptions, two_options, units_of, with_article

NAMES = ["cat", "dog", "owl", "fox"]


def labeled(labels, classes=None):
    n = len(labels)
    table = pa.table({"id": [f"{i}.jpg" for i in range(n)], "label": pa.array(labels, pa.string())})
    return Dataset("test", table, NoPictures(n), classes or class_list(NAMES))


def test_every_labeled_picture_has_its_class_and_another_that_has_pictures():
    """No picture shows a fox; the third row has no label."""
    made = two_options(labeled(["cat", "dog", None, "owl", "cat"] * 20), 0, seed=0)
    assert [q.row for q in made] == [row for row in range(100) if row % 5 != 2]
    assert [q.true for q in made] == [0, 1, 2, 0] * 20
    assert all(q.other in (0, 1, 2) and q.other != q.true for q in made)


def test_other_classes_and_orders_are_drawn_evenly():
    made = two_options(labeled(NAMES * 150), 0, seed=0)
    for true in range(4):
        others = np.bincount([q.other for q in made if q.true == true], minlength=4)
        assert others[true] == 0 and chisquare(np.delete(others, true)).pvalue > 1e-3
    first = sum(q.true_first for q in made)
    assert chisquare([first, 600 - first]).pvalue > 1e-3


def test_a_sample_keeps_the_questions_of_its_pictures_and_another_seed_changes_them():
    dataset = labeled(NAMES * 50)
    whole = {q.row: q for q in two_options(dataset, 0, seed=0)}
    some = two_options(dataset, 40, seed=0)
    assert len(some) == 40 and all(whole[q.row] == q for q in some)
    assert two_options(dataset, 0, seed=1) != list(whole.values())


def test_classes_of_one_name_are_no_choice():
    """Two labels share the name "crane"; a crane is not asked against a crane."""
    classes = class_list(["bird", "machine", "dog"], ["crane", "Crane", "dog"])
    made = two_options(labeled(["bird", "machine", "dog"] * 20, classes), 0, seed=0)
    assert {(q.true, q.other) for q in made} == {(0, 2), (1, 2), (2, 0), (2, 1)}
    with pytest.raises(NotApplicable):
        two_options(labeled(["bird", "machine"], classes), 0, seed=0)


@pytest.mark.parametrize("labels", [["cat"] * 5, [None] * 5, []])
def test_fewer_than_two_classes_are_no_choice(labels):
    with pytest.raises(NotApplicable):
        two_options(labeled(labels), 0, seed=0)


def test_options_are_named_in_their_order_or_in_reverse():
    classes = class_list(NAMES)
    first, second = TwoOptions(0, 1, 3, True), TwoOptions(0, 1, 3, False)
    assert (first.listed, second.listed) == ((1, 3), (3, 1))
    for number, wording in enumerate(WORDINGS):
        assert first.text(classes, wording=number) == wording.format("dog", "fox")
        assert second.text(classes, wording=number) == wording.format("fox", "dog")
        assert first.text(classes, wording=number, reverse=True) == second.text(classes, wording=number)
    assert first.text(classes) == WORDINGS[0].format("dog", "fox")


def test_articles_before_vowels_plurals_and_capitals():
    names = {
        "dog": "a dog",
        "owl": "an owl",
        "scissors": "scissors",
        "glass": "a glass",
        "ass": "an ass",
        "Paris": "Paris",
        "Rome": "Rome",
        "Oslo": "Oslo",
        "s": "s",
    }
    assert {name: with_article(name) for name in names} == names


def test_rows_of_one_picture_have_one_number():
    assert units_of(np.array([7, 3, 7, 9]), [0, 2, 3]).tolist() == [0, 0, 1]
