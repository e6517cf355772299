"""Scores of classes from the log-likelihoods of their names."""

import numpy as np
import pytest
from scipy.special import logsumexp

from eyechart.models.class_likelihoods import NamedClasses, reply_names


def scored(probabilities, tokens):
    return np.column_stack([np.log(probabilities), tokens])


def test_a_class_is_as_likely_as_a_reply_with_any_of_its_names():
    names = NamedClasses.of([("cat", "kitten"), ("dog",), ("cow", "ox", "bull")])
    assert names.options == ("cat", "kitten", "dog", "cow", "ox", "bull")
    p = np.random.default_rng(0).dirichlet(np.ones(6), size=5)
    found = names.scores([scored(row, np.ones(6)) for row in p])
    expected = [logsumexp(np.log(p[:, part]), axis=1) for part in ([0, 1], [2], [3, 4, 5])]
    assert found == pytest.approx(np.column_stack(expected))


def test_a_name_that_goes_on_from_another_does_not_count_twice():
    """The end of the reply is not scored: p("tabby") is that of all replies that begin with "tabby", "tabby cat" among them."""
    names = NamedClasses.of([("tabby", "tabby cat", "tabby"), ("dog", "dogsled")])
    assert names.options == ("tabby", "dog", "dogsled")
    assert np.exp(names.scores([scored([0.5, 0.2, 0.1], [1, 1, 1])])[0]) == pytest.approx([0.5, 0.3])
    assert reply_names(("tabby cat", "tabby")) == ("tabby",)


def test_a_name_of_two_classes_is_scored_once_and_counts_for_both():
    names = NamedClasses.of([("crane", "bird"), ("crane", "machine")])
    assert names.options == ("crane", "bird", "machine")
    assert np.exp(names.scores([scored([0.5, 0.2, 0.1], [1, 1, 1])])[0]) == pytest.approx([0.7, 0.6])


def test_per_token_the_best_name_counts():
    names = NamedClasses.of([("cat", "domestic feline"), ("dog",)])
    found = names.scores([np.array([[-3.0, 1], [-4.0, 2], [-2.5, 1]])], per_token=True)
    assert found[0] == pytest.approx([-2.0, -2.5])


def test_no_question_gives_no_scores():
    assert NamedClasses.of([("cat",), ("dog",)]).scores([]).shape == (0, 2)
