"""Baselines, settings of the weighting, and what is said of weights: hand-worked or planted, never selected by mistake."""

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.repair.made import BAD, CLASSES, DIRECTIONS, GOOD, NAMES, inputs, unit

from eyechart.data.classes import ClassList, PictureClass
from eyechart.metrics.prompts.weights import Weights, prompt_weights, zpe_scores
from eyechart.repair.baselines import random_descriptions, true_classes
from eyechart.repair.candidate_search import weight_notices
from eyechart.repair.candidates import nearest_cosines, worst_by_margin
from eyechart.repair.descriptions import file_descriptions
from eyechart.repair.repair import repair
from eyechart.repair.settings import Settings
from eyechart.repair.template_weighting import Checkpoint, TemplatePool, weigh_templates


def quoted(path, names=NAMES):
    path.write_text(json.dumps({name: ["'{}' as it is"] for name in names}))
    return file_descriptions(path, CLASSES)


def test_baselines_are_scored_and_never_selected(tmp_path):
    """True labels find the good templates surely; still the selected one is a candidate."""
    asked = Settings(baselines=True, worst=2)
    done = repair(inputs((*BAD, *GOOD)), asked, quoted(tmp_path / "d.json"))
    titles = [name for name in done.scores if "(baseline)" in name]
    assert len(titles) == 4 and not done.chosen.baseline
    for title in ("cpe with true labels", "random words", "descriptions alone, averaged", "descriptions of all classes"):
        assert any(title in name for name in titles)
    assert not [name for name in repair(inputs((*BAD, *GOOD)), Settings(worst=2)).scores if "(baseline)" in name]


def test_a_named_weighting_is_selected_though_baselines_come_after_it():
    assert repair(inputs((*BAD, *GOOD)), Settings(weights="cpe", baselines=True)).chosen.name == "cpe"


def test_random_words_are_the_same_for_one_seed_and_differ_for_another():
    assert random_descriptions(3) == random_descriptions(3) != random_descriptions(4)
    words = random_descriptions(0)
    assert len(set(words)) == 30 and [len(w) for w in words[:15]] == [len(w) for w in words[15:]]


def test_true_classes_are_the_first_of_a_label():
    classes = ClassList("c", (PictureClass("a", "x"), PictureClass("b", "y"), PictureClass("a", "z")))
    assert true_classes(["b", "a", "other"], classes) == [1, 0, -1]


def test_descriptions_that_are_not_used_are_named(tmp_path):
    notices = [str(n) for n in repair(inputs((*BAD, *GOOD)), Settings(worst=2), quoted(tmp_path / "d.json")).notices]
    (said,) = [n for n in notices if "not used" in n]
    assert said.startswith("d.json: 8 classes with descriptions that were not used") and "--describe-all" in said
    done = repair(inputs((*BAD, *GOOD)), Settings(worst=2, describe_all=True), quoted(tmp_path / "d.json"))
    assert not [n for n in done.notices if "not used" in n.what]
    described = list(done.after.about["protocol"]["descriptions_tried"])
    assert len(described) == 10


def test_all_used_descriptions_need_no_notice(tmp_path):
    done = repair(inputs((*BAD, *GOOD)), Settings(worst=2, find="labels"), quoted(tmp_path / "d.json", NAMES[:2]))
    assert not [n for n in done.notices if "not used" in n.what]


def test_collapsed_weights_and_too_few_pictures_are_said():
    sharp = Weights(np.array([0.95, 0.05]), np.ones(2, bool))
    even = Weights(np.array([0.5, 0.5]), np.ones(2, bool))
    single = Weights(np.array([1.0, 0.0]), np.array([True, False]))  # only one was kept, on purpose
    (said,) = weight_notices("m", {"cpe": sharp, "zpe": even, "one": single}, 10, 10)
    assert said.what.startswith("cpe: one template has 95% of the weight")
    (said,) = weight_notices("m", {"zpe": even}, 11, 10)
    assert "11 classes and 10 pictures" in said.what


def test_scale_and_tau_reach_the_weights():
    pool = TemplatePool((*BAD, *GOOD), [c.names for c in CLASSES], lambda t: unit(DIRECTIONS + 0.02 * t))
    images = inputs((*BAD, *GOOD)).images
    flat = weigh_templates(images, pool, Settings(weights="cpe", scale=1e-9, tau=-1e9), Checkpoint())["cpe"]
    np.testing.assert_allclose(flat.weights, 1 / 12, atol=1e-6)
    picky = weigh_templates(images, pool, Settings(weights="cpe", tau=1.0), Checkpoint())["cpe"]
    assert picky.kept.sum() < 12
    with pytest.raises(ValueError, match="finite"):
        Settings(tau=float("nan"))


def test_pictures_of_the_training_change_zpe_as_its_formula_says(tmp_path):
    """E is the mean of both means (Allingham et al., 2023), worked out here in one array."""
    made = inputs((*BAD, *GOOD), n=200)
    pool = TemplatePool((*BAD, *GOOD), [c.names for c in CLASSES], lambda t: unit(DIRECTIONS + 0.02 * t * DIRECTIONS[0]))
    before = unit(np.random.default_rng(5).normal(size=(40, 48)) + DIRECTIONS[3])
    np.save(tmp_path / "pre.npy", before)
    logits = np.stack([made.images @ pool.vectors(t).T for t in range(12)], axis=1).astype(np.float64)
    usual = np.stack([before @ pool.vectors(t).T for t in range(12)], axis=1).astype(np.float64).mean(axis=0)
    scores = (logits - (logits.mean(axis=0) + usual) / 2).max(axis=2).mean(axis=0)
    settings = Settings(weights="zpe", pretraining=str(tmp_path / "pre.npy"), scale=5.0, tau=-100.0)
    found = weigh_templates(made.images, pool, settings, Checkpoint())["zpe"]
    np.testing.assert_allclose(found.weights, prompt_weights(scores, 5.0, -100.0).weights, rtol=1e-4)
    without = prompt_weights(zpe_scores([made.images], pool.vectors, 12), 5.0, -100.0)
    assert np.abs(found.weights - without.weights).max() > 1e-4
    again = weigh_templates(made.images, pool, replace(settings, pretraining=""), Checkpoint())["zpe"]
    np.testing.assert_allclose(again.weights, without.weights, rtol=1e-4)


def test_of_classes_that_are_never_predicted_the_one_nearest_to_another_is_worst():
    """Pictures lie at class 0 alone. Classes 1 to 3 are never predicted; 3 is nearest to another class, then 2."""
    vectors = unit(np.array([[1, 0, 0, 0], [0, 1, 0, 0], [0.5, 0, 1, 0], [0.8, 0, 0, 1]]))
    assert nearest_cosines(vectors).argsort().tolist()[0] == 1
    assert worst_by_margin(unit(np.array([[1.0, 0, 0, 0.1]] * 5)), vectors, vectors, 2).tolist() == [0, 3]
    assert worst_by_margin(unit(np.array([[1.0, 0, 0, 0.1]] * 5)), vectors, vectors, 3).tolist() == [0, 3, 2]
