"""Templates weighed in one pass that can be stopped: the same weights, and nothing is computed twice."""

import tracemalloc
from dataclasses import replace

import numpy as np
import pytest
from tests.repair.made import BAD, GOOD, NAMES, inputs, texts

from eyechart.errors import DataError
from eyechart.metrics.classification.predictions import best_classes
from eyechart.metrics.prompts.template_scores import picture_blocks
from eyechart.metrics.prompts.weights import cpe_scores, prompt_weights, weighted_classes, zpe_scores
from eyechart.progress import SilentProgress
from eyechart.repair.prompt_vectors import prompt_vectors
from eyechart.repair.settings import Settings
from eyechart.repair.template_weighting import Checkpoint, TemplatePool, oracle_weights, weigh_templates

TEMPLATES = (*GOOD, *BAD)
CALLED = [(name,) for name in NAMES]
IMAGES = inputs(TEMPLATES, n=400).images
PLAIN = prompt_vectors(CALLED, TEMPLATES, texts)


def pool(asked: list[int] | None = None, stop_at: int | None = None) -> TemplatePool:
    """Notes which templates are multiplied with pictures, in their order; Ctrl-C comes at one of them."""

    def vectors(number: int) -> np.ndarray:
        if stop_at is not None and number == stop_at and asked is not None and 0 in asked:
            raise KeyboardInterrupt
        if asked is not None:
            asked.append(number)
        return PLAIN(number)

    return TemplatePool(TEMPLATES, CALLED, vectors)


class Bars(SilentProgress):
    def __init__(self) -> None:
        self.totals: list[tuple[int | None, str]] = []

    def task(self, title, total, unit):
        self.totals.append((total, unit))
        return super().task(title, total, unit)


def test_one_pass_gives_what_two_gave():
    found = weigh_templates(IMAGES, pool(), Settings(), Checkpoint())
    blocks, count = picture_blocks(IMAGES, len(NAMES)), len(TEMPLATES)
    labels = best_classes(IMAGES, weighted_classes(PLAIN, np.full(count, 1 / count)), np.arange(len(NAMES)))
    expected = {"zpe": zpe_scores(blocks, PLAIN, count), "cpe": cpe_scores(blocks, PLAIN, count, labels, 1)}
    assert list(found) == ["uniform", "zpe", "cpe"]
    for name, scores in expected.items():
        np.testing.assert_array_equal(found[name].weights, prompt_weights(scores).weights)


def test_a_stopped_run_goes_on_with_the_next_template(tmp_path):
    place, asked, bars = tmp_path / "scores.jsonl", [], Bars()
    whole = weigh_templates(IMAGES, pool(), Settings(weights="zpe"), Checkpoint())
    with pytest.raises(KeyboardInterrupt):
        weigh_templates(IMAGES, pool(asked, stop_at=7), Settings(weights="zpe"), Checkpoint(place, bars))
    again: list[int] = []
    found = weigh_templates(IMAGES, pool(again), Settings(weights="zpe"), Checkpoint(place, bars))
    assert [n for n in again if n] == [7, 8, 9, 10, 11]  # the first is asked for once more, to know the text tower by
    assert bars.totals == [(12, "templates"), (5, "templates")]
    np.testing.assert_array_equal(found["zpe"].weights, whole["zpe"].weights)


@pytest.mark.parametrize("other", ["pictures", "classes", "templates", "tower", "worst"])
def test_scores_of_something_else_are_not_taken(tmp_path, other):
    place, settings, asked = tmp_path / "scores.jsonl", Settings(weights="cpe", worst=2), []
    weigh_templates(IMAGES, pool(), settings, Checkpoint(place))
    images, changed = IMAGES, pool(asked)
    if other == "pictures":
        images = IMAGES[1:]
    if other == "classes":
        changed = replace(changed, class_names=[("another",), *CALLED[1:]])
    if other == "templates":
        changed = replace(changed, templates=("another {}", *TEMPLATES[1:]))
    if other == "tower":
        changed = replace(changed, vectors=lambda number: np.roll(pool(asked).vectors(number), 1, axis=1))
    if other == "worst":
        settings = Settings(weights="cpe", worst=3)
    weigh_templates(images, changed, settings, Checkpoint(place))
    assert asked.count(11) == 2  # for pseudo labels, and for its score


def test_scores_that_are_all_there_need_no_pictures(tmp_path):
    place, bars = tmp_path / "scores.jsonl", Bars()
    first = weigh_templates(IMAGES, pool(), Settings(), Checkpoint(place))
    second = weigh_templates(IMAGES, pool(), Settings(), Checkpoint(place, bars))
    assert bars.totals == []
    np.testing.assert_array_equal(first["cpe"].weights, second["cpe"].weights)


def test_pictures_times_classes_times_templates_are_never_held():
    rng = np.random.default_rng(0)
    classes, templates, width = 200, 60, 16
    images = rng.normal(size=(6000, width)).astype(np.float32)
    heads = rng.normal(size=(classes, width)).astype(np.float32)
    many = TemplatePool(
        [f"{t} {{}}" for t in range(templates)], [(f"c{c}",) for c in range(classes)], lambda t: heads + np.float32(t)
    )
    tracemalloc.start()
    weigh_templates(images, many, Settings(), Checkpoint())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 6000 * classes * templates * 4 / 20  # that array would take 288 MB


@pytest.mark.parametrize("weights", ["auto", "uniform", "zpe", "cpe"])
def test_one_template_has_all_the_weight_and_is_not_scored(weights):
    asked = []
    one = TemplatePool(TEMPLATES[:1], CALLED, lambda number: asked.append(number) or PLAIN(number))
    found = weigh_templates(IMAGES, one, Settings(weights=weights), Checkpoint())
    assert {name: of.weights.tolist() for name, of in found.items()} == {"uniform": [1.0]}
    assert asked == []
    two = TemplatePool(TEMPLATES[:2], CALLED, PLAIN)
    wanted = ["uniform", "zpe", "cpe"] if weights == "auto" else [weights]
    assert list(weigh_templates(IMAGES, two, Settings(weights=weights), Checkpoint())) == wanted


def test_true_classes_take_the_place_of_pseudo_labels():
    truth = np.arange(400) % len(NAMES)
    truth[::7] = -1  # pictures without a label are left out
    known = truth >= 0
    scores = cpe_scores(picture_blocks(IMAGES[known], len(NAMES)), PLAIN, len(TEMPLATES), truth[known], 2)
    found = oracle_weights(IMAGES, truth, pool(), Settings(worst=2))
    np.testing.assert_allclose(found.weights, prompt_weights(scores).weights)
    assert oracle_weights(IMAGES, np.full(400, -1), pool(), Settings()) is None
    assert oracle_weights(IMAGES, truth, TemplatePool(TEMPLATES[:1], CALLED, PLAIN), Settings()) is None
    assert oracle_weights(IMAGES, truth, TemplatePool(TEMPLATES[:2], CALLED, PLAIN), Settings()) is not None


def test_zpe_with_pictures_like_those_of_the_training(tmp_path):
    before = np.random.default_rng(3).normal(size=(30, IMAGES.shape[1])).astype(np.float32) * 5
    np.save(tmp_path / "before.npy", before)
    directions = before / np.linalg.norm(before, axis=1, keepdims=True)
    scores = zpe_scores(
        picture_blocks(IMAGES, len(NAMES)), PLAIN, len(TEMPLATES), pretraining_mean=directions.astype(float).mean(axis=0)
    )
    settings = Settings(weights="zpe", pretraining=str(tmp_path / "before.npy"))
    found = weigh_templates(IMAGES, pool(), settings, Checkpoint())
    np.testing.assert_allclose(found["zpe"].weights, prompt_weights(scores).weights, rtol=1e-4)
    np.save(tmp_path / "narrow.npy", before[:, 1:])
    with pytest.raises(DataError, match="give vectors of this model"):
        weigh_templates(IMAGES, pool(), Settings(weights="zpe", pretraining=str(tmp_path / "narrow.npy")), Checkpoint())
