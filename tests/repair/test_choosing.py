"""Which candidate is selected."""

import numpy as np
import pytest
from scipy.stats import binomtest
from tests.repair.made import CLASSES, DIRECTIONS, GOOD, texts, unit

from eyechart.metrics.prompts.weights import prompt_weights
from eyechart.repair.candidates import Candidate, candidates, nearest_cosines, tied, worst_by_margin
from eyechart.repair.choosing import CandidateScore, choose, score, worst_labels

THREE = [Candidate(name, np.eye(2, dtype=np.float32), prompt_weights(np.zeros(1)), {}) for name in "abc"]


def chosen(scores: list[tuple[float, float]], cost: float = 0.01) -> str:
    return THREE[choose(THREE, [CandidateScore(*s) for s in scores], CandidateScore(0.8, 0.1), cost)].weighting


def test_the_worst_classes_decide_at_an_agreed_price():
    assert chosen([(0.8, 0.1), (0.795, 0.3), (0.7, 0.9)]) == "b"
    assert chosen([(0.8, 0.1), (0.795, 0.3), (0.7, 0.9)], cost=0.1) == "c"


def test_among_equals_the_more_accurate_then_the_simpler():
    assert chosen([(0.8, 0.3), (0.81, 0.3), (0.81, 0.3)]) == "b"


def test_where_all_cost_too_much_the_least_harm_is_done():
    assert chosen([(0.5, 0.9), (0.6, 0.1), (0.4, 0.9)]) == "b"


def test_worst_labels_by_hand():
    labels = np.array(["a", "a", "b", "b", "b", "c", "c"])
    right = np.array([True, False, False, False, False, False, False])
    assert worst_labels(right, labels, 2) == ["b", "c"]
    vectors = unit(DIRECTIONS[:2])
    pictures, labels = unit(DIRECTIONS[[0, 0, 1, 1]]), np.array(["a", "b", "b", "b"])
    found = score(vectors, np.array(["a", "b"]), pictures, labels, 1, np.arange(4))
    assert found == CandidateScore(0.75, 2 / 3) and found.n == 4
    assert (found.low, found.high) == pytest.approx(tuple(binomtest(3, 4).proportion_ci(method="wilson")))


def test_the_smallest_margin_is_the_worst():
    """Class 1 is heard half as class 0, at a cosine of 0.9/√1.81: pictures of 0 have a margin of 0.33, those of 1 of 0.74."""
    vectors = unit(DIRECTIONS[:3] + np.array([[0.0], [0.9], [0.0]]) * DIRECTIONS[0])
    assert worst_by_margin(unit(DIRECTIONS[:3]), vectors, unit(DIRECTIONS[:3]), 2).tolist() == [0, 1]


def test_a_described_class_stands_half_way():
    weights = {"uniform": prompt_weights(np.zeros(len(GOOD)), tau=None)}
    plain, richer = candidates(
        weights, CLASSES, GOOD, texts, rows=np.array([3]), describer=lambda names: {"thing3": ["red {}", "x"]}
    )

    def mean(*phrases: str) -> np.ndarray:
        return unit(np.mean([unit(texts([t.replace("{}", p) for p in phrases]).mean(axis=0)) for t in GOOD], axis=0))

    np.testing.assert_allclose(plain.vectors[3], mean("thing3"), atol=1e-6)
    np.testing.assert_allclose(richer.vectors[3], unit(mean("thing3") + mean("red thing3", "thing3, x")), atol=1e-6)
    others = np.arange(10) != 3
    np.testing.assert_array_equal(richer.vectors[others], plain.vectors[others])
    assert richer.name == "uniform + descriptions"


def test_classes_that_differ_by_rounding_tie():
    vectors = unit(DIRECTIONS[[0, 1, 0]])
    vectors[2, 0] += 1e-7
    np.testing.assert_array_equal(tied(vectors)[2], vectors[0])


def test_a_candidate_may_cost_exactly_what_was_agreed():
    assert chosen([(0.8, 0.1), (0.79, 0.3), (0.5, 0.9)]) == "b"
    assert chosen([(0.8, 0.1), (0.789, 0.3), (0.5, 0.9)]) == "a"
    assert chosen([(0.6, 0.9), (0.6, 0.1), (0.4, 0.9)]) == "a"  # all cost too much: the first of the most accurate


def test_worst_labels_of_one_accuracy_are_those_with_the_most_pictures_then_by_name():
    labels = np.repeat(["d", "c", "b", "a"], [2, 3, 3, 1])
    assert worst_labels(np.zeros(9, bool), labels, 3) == ["b", "c", "d"]
    right = labels == "b"
    assert worst_labels(right, labels, 9) == ["c", "d", "a", "b"]


def test_classes_of_one_margin_are_ordered_by_their_nearest_other(monkeypatch):
    """Classes 1, 3 and 4 have no picture, and get the lowest margin; 4 and 1 are close to each other, 3 to none."""
    vectors = unit(DIRECTIONS[:5] + np.array([[0.0], [0.0], [0.0], [0.0], [0.9]]) * DIRECTIONS[1])
    pictures = unit(DIRECTIONS[[0, 2]])
    for block in (1 << 22, 5 * 2):
        monkeypatch.setattr("eyechart.repair.candidates._BLOCK", block)
        found = worst_by_margin(pictures, vectors, vectors, 5)
        assert found[:2].tolist() == [1, 4]
        assert sorted(found.tolist()) == [0, 1, 2, 3, 4]
        cosines = vectors.astype(float) @ vectors.T
        np.fill_diagonal(cosines, -2)
        assert nearest_cosines(vectors) == pytest.approx(cosines.max(axis=1).round(6), abs=2e-6)


def test_the_worst_labels_are_averaged():
    """Accuracies of 1, 1/2 and 0: the two worst have a mean of 1/4."""
    labels = np.array(["a", "a", "b", "b", "c", "c"])
    pictures = unit(DIRECTIONS[[0, 0, 1, 0, 0, 1]])
    found = score(unit(DIRECTIONS[:3]), np.array(["a", "b", "c"]), pictures, labels, 2, np.arange(6))
    assert found == CandidateScore(0.5, 0.25)


def test_cosines_that_differ_by_rounding_are_equal():
    found = nearest_cosines(unit(np.random.default_rng(0).normal(size=(40, 6))))
    assert found.tolist() == found.round(6).tolist() and len(set(found.tolist())) > 10
