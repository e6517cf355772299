"""Accuracy as the list grows: against a brute-force loop, exact where it can be told, and quiet where growth costs nothing."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from tests.probes.vectors import given_by_vectors

from eyechart.probes.class_count import Settings, class_count, texts
from eyechart.probes.contract import NotApplicable, TextRequest
from eyechart.prompts.prompt_set import PromptSet


def confused(n, classes, noise, seed=0, **more):
    rng = np.random.default_rng(seed)
    names = np.eye(classes)
    truth = rng.integers(0, classes, n)
    return given_by_vectors(names[truth] + noise * rng.normal(size=(n, classes)), names, truth, Settings(), **more)


def by_length(answer):
    return {f.slice["classes"]: f for f in answer.findings if f.metric == "accuracy"}


def test_the_whole_list_is_top1_and_short_lists_are_the_mean_over_all_lists():
    inputs = confused(60, 6, 0.6)
    answer = class_count.ask(inputs)
    truth = inputs.dataset.label_indices()
    scores = inputs.images @ np.eye(6, dtype=np.float32)
    assert by_length(answer)[6].value == pytest.approx((scores.argmax(1) == truth).mean())
    for k in (2, 5):
        correct = [
            max(listed, key=lambda c, row=row: scores[row, c]) == true
            for row, true in enumerate(truth)
            for listed in combinations(range(6), k)
            if true in listed
        ]
        assert by_length(answer)[k].value == pytest.approx(np.mean(correct))


def metric(answer, name):
    return next(f for f in answer.findings if f.metric == name)


def test_a_model_that_confuses_loses_with_length_and_a_perfect_one_does_not():
    lost = {noise: metric(class_count.ask(confused(300, 20, noise)), "drop_above_chance") for noise in (0.6, 0.01)}
    assert lost[0.6].low > 0.1
    assert lost[0.01].low <= 0 <= lost[0.01].high and lost[0.01].low < lost[0.01].high


def test_a_model_that_guesses_loses_nothing_once_chance_is_taken_off():
    answer = class_count.ask(confused(2000, 10, 1e6))
    assert metric(answer, "accuracy_drop").low > 0.35  # from 1/2 to 1/10
    corrected = metric(answer, "drop_above_chance")
    assert corrected.low <= 0 <= corrected.high
    two, ten = (by_length(answer)[k].value for k in (2, 10))
    assert corrected.value == pytest.approx((two - 0.5) / 0.5 - (ten - 0.1) / 0.9)


def test_the_corrected_drop_covers_that_of_guessing():
    rng, hits, names = np.random.default_rng(1), 0, np.eye(5)
    for _ in range(200):
        truth = rng.integers(0, 5, 120)
        answer = class_count.ask(given_by_vectors(rng.normal(size=(120, 5)), names, truth, Settings()))
        found = metric(answer, "drop_above_chance")
        hits += found.low <= 0 <= found.high
    assert 179 <= hits <= 198


def test_the_whole_lists_interval_covers():
    """Guessing among 5 equal classes is right in a fifth of cases."""
    rng, hits = np.random.default_rng(0), 0
    names = np.eye(5)
    for _ in range(200):
        truth = rng.integers(0, 5, 120)
        answer = class_count.ask(given_by_vectors(rng.normal(size=(120, 5)), names, truth, Settings()))
        whole = next(f for f in answer.findings if f.metric == "full_list_accuracy")
        hits += whole.low <= 0.2 <= whole.high
    assert 179 <= hits <= 198


def test_too_few_pictures_are_no_curve():
    with pytest.raises(NotApplicable, match="10 pictures with a label; at least 20 are needed"):
        class_count.ask(confused(10, 6, 0.1))


def test_two_classes_cannot_grow():
    with pytest.raises(NotApplicable, match="too short"):
        class_count.ask(confused(60, 2, 0.1))


def test_the_sentence_is_about_the_shortest_and_the_longest_list():
    answer = class_count.ask(confused(60, 6, 0.6))
    accuracies = by_length(answer)
    (shown,) = answer.exhibits
    lengths = shown.table.column("classes").to_pylist()
    assert lengths == sorted(accuracies) and (lengths[0], lengths[-1]) == (2, 6)
    assert shown.table.column("chance").to_pylist() == [1 / length for length in lengths]
    expected = f"Top-1 accuracy is {accuracies[2].value:.1%} with 2 classes and {accuracies[6].value:.1%} with 6."
    assert shown.sentence == expected and "'type': 'log'" in str(shown.chart)


def test_texts_are_the_class_prompts_of_the_first_set():
    made = confused(4, 3, 0.1)
    request = TextRequest(made.dataset, (*made.prompts, PromptSet("other", ("a {}",), "test")), Settings())
    assert list(texts(request)) == ["class-0", "class-1", "class-2"]
    assert texts(replace(request, prompts=())) == () == texts(replace(request, dataset=replace(made.dataset, classes=None)))
