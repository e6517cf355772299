"""The bank of text vectors: it grows, keeps what it has, and gives vectors back in any order."""

import numpy as np
import pytest

from eyechart.errors import ModelError
from eyechart.metrics.vectors import unit
from eyechart.session.text_bank import TextBank


def vectors_of(texts):
    return np.array([[len(text), 1.0, 2.0] for text in texts], np.float32)


def test_vectors_come_back_in_the_order_of_the_question():
    bank = TextBank()
    bank.add(["a", "bb", "ccc"], vectors_of(["a", "bb", "ccc"]))
    assert np.array_equal(bank(["ccc", "a", "ccc"]), unit(vectors_of(["ccc", "a", "ccc"])))


def test_earlier_texts_stay_when_later_ones_are_added():
    bank, rng = TextBank(), np.random.default_rng(0)
    known = {}
    for block in range(20):
        texts = [f"{block}-{i}" for i in range(int(rng.integers(1, 40)))]
        vectors = rng.normal(size=(len(texts), 5)).astype(np.float32)
        bank.add(texts, vectors)
        known |= dict(zip(texts, unit(vectors), strict=True))
    wanted = list(rng.permutation(list(known)))
    assert np.array_equal(bank(wanted), np.array([known[text] for text in wanted]))


def test_only_missing_texts_are_listed_each_once():
    bank = TextBank()
    assert bank.width == 0
    bank.add(["b"], vectors_of(["b"]))
    assert bank.missing(["c", "b", "a", "c"]) == ["a", "c"] and bank.width == 3


def test_a_text_that_was_not_added_is_an_error():
    with pytest.raises(KeyError):
        TextBank()(["a"])


def test_vectors_of_another_width_are_refused():
    bank = TextBank()
    bank.add(["a"], vectors_of(["a"]))
    with pytest.raises(ModelError, match="2 numbers, and those of earlier texts 3"):
        bank.add(["b"], np.ones((1, 2), np.float32))
