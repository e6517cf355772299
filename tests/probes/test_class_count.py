"""Accuracy as the list grows: against a brute-force loop, exact where it can be told, and quiet where growth costs nothing."""

from dataclasses import replace

import numpy as np
import pytest
from tests.probes.vectors import given_by_vectors

from eyechart.data.open import open_dataset
from eyechart.probes.class_count import Settings, class_count
from eyechart.probes.contract import NotApplicable


def confused(n, classes, noise, seed=0, **more):
    rng = np.random.default_rng(seed)
    names = np.eye(classes)
    truth = rng.integers(0, classes, n)
    return given_by_vectors(names[truth] + noise * rng.normal(size=(n, classes)), names, truth, Settings(), **more)


def by_length(answer):
    return {f.slice["classes"]: f for f in answer.findings if f.metric == "accuracy"}


def test_the_whole_list_is_top1_and_short_lists_are_brute_force():
    inputs = confused(300, 12, 0.6)
    answer = class_count.ask(inputs)
    truth = inputs.dataset.label_indices()
    scores = inputs.images @ np.eye(12, dtype=np.float32)
    assert by_length(answer)[12].value == pytest.approx((scores.argmax(1) == truth).mean())
    rng = np.random.default_rng(0)
    orders = [rng.permutation(12) for _ in range(10)]
    for k in (2, 5, 10):
        shares = []
        for order in orders:
            rows = np.isin(truth, order[:k])
            shares.append((order[:k][scores[rows][:, order[:k]].argmax(1)] == truth[rows]).mean())
        assert by_length(answer)[k].value == pytest.approx(np.mean(shares))


def test_a_model_that_confuses_loses_by_growth_and_a_perfect_one_does_not():
    def lost(noise):
        return next(f for f in class_count.ask(confused(300, 20, noise)).findings if f.metric == "accuracy_drop")

    assert lost(0.6).low > 0.1
    assert lost(0.01).low <= 0 <= lost(0.01).high


def test_the_whole_lists_interval_covers():
    """Guessing among 5 equal classes is right in a fifth of cases."""
    rng, hits = np.random.default_rng(0), 0
    names = np.eye(5)
    for _ in range(200):
        truth = rng.integers(0, 5, 120)
        answer = class_count.ask(given_by_vectors(rng.normal(size=(120, 5)), names, truth, Settings(orders=2)))
        whole = next(f for f in answer.findings if f.metric == "full_list_accuracy")
        hits += whole.low <= 0.2 <= whole.high
    assert 179 <= hits <= 198


def test_nobody_is_recognized_unless_that_is_said():
    inputs = confused(60, 6, 0.1, columns={"attr.identity": [f"person {i}" for i in range(60)]})
    with pytest.raises(NotApplicable, match="identifies people"):
        class_count.ask(inputs)
    allowed = confused(60, 6, 0.1, columns={"attr.identity": [f"person {i}" for i in range(60)]})
    object.__setattr__(allowed, "settings", Settings(identify=True))
    assert by_length(class_count.ask(allowed))


def test_a_label_that_was_read_from_a_column_of_identities_is_one(tmp_path, picture_bytes):
    rows = [f"{i}.jpg,person {i % 6}" for i in range(60)]
    for i in range(60):
        (tmp_path / f"{i}.jpg").write_bytes(picture_bytes(i))
    (tmp_path / "faces.csv").write_text("file,Identity\n" + "\n".join(rows))
    read = open_dataset(tmp_path / "faces.csv", columns={"label": "Identity"})
    inputs = confused(60, 6, 0.1)
    object.__setattr__(inputs, "dataset", replace(inputs.dataset, reader=read.reader))
    with pytest.raises(NotApplicable, match=r"identifies people \(column identity\); set class_count.identify"):
        class_count.ask(inputs)


def test_too_few_pictures_are_no_curve():
    with pytest.raises(NotApplicable, match="only one length of the class list has 20 pictures"):
        class_count.ask(confused(10, 6, 0.1))


def test_two_classes_cannot_grow():
    with pytest.raises(NotApplicable, match="too short"):
        class_count.ask(confused(60, 2, 0.1))
