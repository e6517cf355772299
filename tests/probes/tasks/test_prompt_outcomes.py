"""Predictions under several prompt sets and wordings, against softmax by SciPy."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.special import softmax
from tests.probes.answering import BARE, among
from tests.probes.vectors import given_by_vectors

from eyechart.models.answering import CLASS_QUESTION
from eyechart.probes.tasks.prompt_outcomes import compared_sets, prompt_outcomes
from eyechart.probes.tasks.question_wordings import WORDINGS, wording_outcomes
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet

RNG = np.random.default_rng(0)
IMAGES, OTHERS = (v / np.linalg.norm(v, axis=1, keepdims=True) for v in (RNG.normal(size=(12, 3)), RNG.normal(size=(11, 3))))
TRUTH = np.array([0, 1, 2, -1] * 3)
LABELED = np.flatnonzero(TRUTH >= 0)


def made(scale=10.0, **more):
    return given_by_vectors(IMAGES, np.eye(3), TRUTH, None, logit_scale=scale, **more)


def far(n=11):
    return given_by_vectors(OTHERS[:n], np.eye(3), [-1] * n, None, name="far", role="ood", logit_scale=10.0)


def test_labeled_pictures_are_read_at_the_scale_of_the_model():
    inputs = made()
    (found,) = prompt_outcomes(inputs, [BARE], LABELED)
    p = softmax(10 * IMAGES, axis=1)[LABELED]
    truth = TRUTH[LABELED]
    assert found.predicted.tolist() == p.argmax(axis=1).tolist()
    assert found.correct.tolist() == (p.argmax(axis=1) == truth).tolist() and 0 < found.correct.sum() < 9
    assert found.confidence == pytest.approx(p.max(axis=1), rel=1e-4)
    assert found.nll == pytest.approx(-np.log(p[np.arange(9), truth]), rel=1e-4)
    assert found.ood is None and found.name == "bare"


def test_without_a_scale_there_is_no_probability():
    (found,) = prompt_outcomes(made(None), [BARE], LABELED)
    assert found.confidence is None and found.nll is None
    assert found.predicted.tolist() == IMAGES.argmax(axis=1)[LABELED].tolist()


@pytest.mark.parametrize("scale", [10.0, None])
def test_out_of_distribution_pictures_are_scored_by_the_softmax_of_cosines(scale):
    (found,) = prompt_outcomes(among(made(scale), far()), [BARE], LABELED)
    expected = np.concatenate([softmax(IMAGES, axis=1).max(axis=1), softmax(OTHERS, axis=1).max(axis=1)])
    assert found.ood.scores == pytest.approx(expected, rel=1e-4)
    assert found.ood.inside.tolist() == [True] * 12 + [False] * 11
    assert found.ood.clusters.tolist() == list(range(23))
    (few,) = prompt_outcomes(among(made(scale), far(9)), [BARE], LABELED)
    assert few.ood is None


def test_sets_with_the_same_templates_or_of_the_same_name_are_compared_once():
    known = load_prompts("single")
    inputs = made(prompts=(BARE,))
    assert [p.name for p in compared_sets(inputs, ["single", "bare"])] == ["bare", "single"]
    renamed = PromptSet("mine", known.templates, "test")
    assert [p.name for p in compared_sets(replace(inputs, prompts=(renamed,)), ["single"])] == ["mine"]
    other = PromptSet("single", ("the {}",), "test")
    assert [p.name for p in compared_sets(replace(inputs, prompts=(other,)), ["single"])] == ["single"]
    deaf = replace(inputs, can_encode=lambda texts: False)
    assert [p.name for p in compared_sets(deaf, ["single"])] == ["bare"]
    unnamed = replace(inputs, dataset=replace(inputs.dataset, classes=None))
    assert [p.name for p in compared_sets(unnamed, ["single"])] == ["bare"]


def scoring(made, vectors, factor):
    """Log-likelihoods of a class name: its cosine, times a factor that depends on the wording."""

    def log_likelihoods(asked, options):
        assert all(list(names) == ["class-0", "class-1", "class-2"] for names in options)
        return [np.column_stack([factor[q.text] * vectors[q.row], np.full(3, -9.0)]) for q in asked]

    return replace(made, log_likelihoods=log_likelihoods)


def test_wordings_are_questions_whose_replies_are_class_names():
    factor = {wording.templates[0]: 2.0 + number for number, wording in enumerate(WORDINGS)}
    assert factor[CLASS_QUESTION] == 2.0
    inputs = among(scoring(made(), IMAGES, factor), scoring(far(), OTHERS, factor))
    outcomes = wording_outcomes(inputs, LABELED)
    assert [found.name for found in outcomes] == [wording.name for wording in WORDINGS]
    for number, found in enumerate(outcomes):
        inside, outside = (softmax((2.0 + number) * v, axis=1) for v in (IMAGES, OTHERS))
        p, truth = inside[LABELED], TRUTH[LABELED]
        assert found.predicted.tolist() == p.argmax(axis=1).tolist()
        assert found.correct.tolist() == (p.argmax(axis=1) == truth).tolist()
        assert found.confidence == pytest.approx(p.max(axis=1), rel=1e-4)
        assert found.nll == pytest.approx(-np.log(p[np.arange(9), truth]), rel=1e-4)
        assert found.ood.scores == pytest.approx(np.r_[inside.max(axis=1), outside.max(axis=1)], rel=1e-4)
        assert found.ood.inside.tolist() == [True] * 12 + [False] * 11 and found.ood.clusters.tolist() == list(range(23))
    assert all(found.ood is None for found in wording_outcomes(scoring(made(), IMAGES, factor), LABELED))
