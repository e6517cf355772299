"""Names that a model does not know, and two names of one class, by hand."""

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.probes.vectors import given_by_vectors

from eyechart.metrics.classification.label_errors import mean_scores
from eyechart.metrics.vectors import unit
from eyechart.probes.lint import Settings, _permutation, _suspected
from eyechart.probes.lint.classes import same_pictures, unknown_names


def wilson(hits, n):
    return tuple(binomtest(hits, n).proportion_ci(method="wilson"))


def matrix(hits, sizes):
    """Right answers on the diagonal; the others go to the next class."""
    made = np.diag(hits)
    for c, (h, n) in enumerate(zip(hits, sizes, strict=True)):
        made[c, (c + 1) % len(hits)] += n - h
    return made


def test_a_name_is_unknown_where_pictures_are_alike_and_the_name_does_not_find_them():
    """Of 10 alike, 8 have a lower end of 0.49, 9 one of 0.596; of 10 found, 0 have an upper end of 0.278, 1 one of 0.40."""
    assert wilson(8, 10)[0] < 0.5 < wilson(9, 10)[0] and wilson(0, 10)[1] < 0.3 < wilson(1, 10)[1]
    sizes = [10, 10, 10, 9, 10, 0]
    alike, found = [9, 8, 9, 9, 10, 0], [0, 0, 1, 0, 10, 0]
    assert unknown_names(matrix(found, sizes), matrix(alike, sizes)) == [(0, 0, 10)]
    assert unknown_names(matrix([1, 0], [40, 40]), matrix([40, 40], [40, 40])) == [(0, 1, 40), (1, 0, 40)]


def drawn(counts, centers, noise, seed=0):
    rng = np.random.default_rng(seed)
    labels = np.repeat(np.arange(len(counts)), counts)
    return unit(np.asarray(centers, float)[labels] + noise * rng.normal(size=(len(labels), len(centers[0])))), labels


def test_classes_with_the_same_pictures_are_one_and_others_are_not():
    """A picture is nearer to the other class, which has its copy, than to the rest of its own."""
    vectors, labels = drawn([20, 20, 20, 20], np.eye(6)[:4], 0.1)
    vectors = np.concatenate([vectors, vectors[labels == 1]])
    labels = np.concatenate([labels, np.full(20, 4)])
    assert same_pictures(vectors, labels, 5) == [(1, 4)]
    assert same_pictures(vectors[labels != 1], labels[labels != 1], 5) == []


@pytest.mark.parametrize(("count", "found"), [(9, []), (10, [(0, 1)])])
def test_ten_pictures_of_a_class_are_needed(count, found):
    vectors, labels = drawn([10, 20], np.eye(6)[:2], 0.1)
    vectors = np.concatenate([vectors[:10], vectors[:count], vectors[10:]])
    assert same_pictures(vectors, np.repeat([0, 1, 2], [10, count, 20]), 3) == found
    assert len(labels) == 30


@pytest.mark.parametrize(
    ("seed", "sizes"), [(0, [12, 11, 10, 14, 12, 9, 12, 13]), (1, [10, 11, 10, 10, 10, 80, 12, 13]), (2, [10] * 7 + [90])]
)
def test_pairs_are_those_of_a_loop(seed, sizes):
    """Eight classes, some of them around one center: each is compared with its five nearest. In a pair, those pictures count that
    are nearer to the mean of the others of their class than to the mean of the other class."""
    rng = np.random.default_rng(seed)
    centers = np.concatenate([np.tile(np.eye(6)[0], (5, 1)), 0.6 * np.eye(6)[0] + 0.8 * np.eye(6)[1:4]])
    vectors, labels = drawn(sizes, centers + 0.05 * rng.normal(size=(8, 6)), 0.25, seed)
    usable = [c for c in range(8) if (labels == c).sum() >= 10]
    means = {c: vectors[labels == c].sum(axis=0) / np.linalg.norm(vectors[labels == c].sum(axis=0)) for c in usable}
    pairs = set()
    for c in usable:
        others = sorted((o for o in usable if o != c), key=lambda o: -float(means[c] @ means[o]))
        pairs |= {tuple(sorted((c, o))) for o in others[:5]}
    expected = []
    for a, b in sorted(pairs):
        hits = 0
        both = np.flatnonzero(np.isin(labels, [a, b]))
        for i in both:
            own = vectors[(labels == labels[i]) & (np.arange(len(labels)) != i)].sum(axis=0)
            other = vectors[labels == (b if labels[i] == a else a)].sum(axis=0)
            hits += vectors[i] @ own / np.linalg.norm(own) > vectors[i] @ other / np.linalg.norm(other)
        if wilson(int(hits), len(both))[1] < 0.65:
            expected.append((a, b))
    assert same_pictures(vectors, labels, 8) == expected and expected


def test_swapped_and_moved_labels_are_told_apart():
    titles = list("abcde")

    def said(moved):
        return [notice.what for notice in _permutation("d", titles, np.array(moved))]

    assert said([0, 1, 2, 3, 4]) == []
    assert said([1, 2, 3, 4, 0]) == ["labels look shifted by 1 class: pictures of a show b"]
    assert said([1, 0, 2, 4, 3]) == ["2 pairs of labels look swapped: a and b; d and e"]
    assert said([1, 0, 3, 4, 2]) == [
        "1 pair of labels looks swapped: a and b",
        "3 classes have the labels of others: c shows d; d shows e; e shows c",
    ]


def suspected(agreement, predicted):
    """Three classes of twenty pictures; the first picture of class 0 lies with class 1, the first of class 1 with class 2."""
    vectors, labels = drawn([20, 20, 20], np.eye(6)[:3], 0.05)
    labels = labels.copy()
    labels[20], labels[40] = 0, 1
    inputs = given_by_vectors(vectors, np.eye(6)[:3], labels, Settings(agreement=agreement))
    scores = mean_scores(inputs.images, labels, 3)
    predicted = np.where(predicted, scores.other, labels)
    errors, margins = _suspected(inputs, scores, labels, predicted, np.arange(3))
    return sorted(errors.tolist()), margins


def test_errors_are_suspected_where_the_prediction_agrees():
    everywhere, nowhere = np.ones(60, bool), np.zeros(60, bool)
    both = suspected(False, nowhere)[0]
    assert 20 in both and suspected(True, everywhere)[0] == both
    assert suspected(True, nowhere)[0] == [] and suspected(True, np.arange(60) == 20)[0] == [20]
    assert (np.diff(suspected(True, everywhere)[1]) <= 0).all()


def test_labels_of_a_swapped_class_are_not_suspected_one_by_one():
    vectors, labels = drawn([20, 20, 20], np.eye(6)[:3], 0.05)
    labels = labels.copy()
    labels[20], labels[40] = 0, 1
    inputs = given_by_vectors(vectors, np.eye(6)[:3], labels, Settings(agreement=False))
    errors, _ = _suspected(inputs, mean_scores(inputs.images, labels, 3), labels, labels, np.array([1, 0, 2]))
    assert errors.tolist() == []


def test_large_classes_do_not_hide_a_small_one_from_its_twin():
    """Six classes with ten times the pictures are farther from each of the twins (cosine 0.6) than these from each other (1)."""
    alone = np.eye(8)
    others = 0.6 * alone[0] + 0.8 * alone[2:8]
    vectors, labels = drawn([10, *[100] * 6], [alone[0], *others], 0.02)
    vectors = np.concatenate([vectors[:10], vectors])
    labels = np.concatenate([np.full(10, 7), labels])
    assert same_pictures(vectors, labels, 8) == [(0, 7)]


def test_each_class_is_compared_with_five_others():
    """Six classes with the same pictures: 15 pairs, each of which is among the five nearest of a class."""
    vectors, _ = drawn([10], np.eye(4)[:1], 0.1)
    found = same_pictures(np.tile(vectors, (6, 1)), np.repeat(np.arange(6), 10), 6)
    assert found == [(a, b) for a in range(6) for b in range(a + 1, 6)]


def on_a_circle(far, near):
    """Unit vectors of a class with its mean between 7 and 24 degrees: `far` of them at 60 degrees and `near` at -20."""
    degrees = np.radians([60.0] * far + [-20.0] * near)
    return np.stack([np.cos(degrees), np.sin(degrees)], axis=1)


@pytest.mark.parametrize(("hits", "found"), [(11, [(0, 1)]), (12, [])])
def test_classes_are_apart_where_the_upper_end_reaches_65_percent(hits, found):
    """Two classes of twelve, mirror images: pictures at 60 degrees are nearest to the rest of their own, those at -20 to the
    other class. Of 24, 11 have an upper end of 0.649 and 12 one of 0.685."""
    assert wilson(11, 24)[1] < 0.65 < wilson(12, 24)[1]
    first, second = on_a_circle(6, 6), on_a_circle(hits - 6, 18 - hits) * [1, -1]
    assert same_pictures(np.concatenate([first, second]), np.repeat([0, 1], 12), 2) == found
