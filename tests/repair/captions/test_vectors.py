"""Vectors of captions against means that are taken one by one."""

from itertools import permutations

import numpy as np
import pytest

import eyechart
from eyechart.errors import DataError, UsageError

THINGS = ["cube", "star", "pot"]


def encode(texts):
    """Vectors of any length, another one for every text."""
    return np.array([np.random.default_rng([ord(sign) for sign in text]).normal(size=8) for text in texts])


def mean(texts):
    vectors = encode(texts)
    total = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).mean(axis=0)
    return total / np.linalg.norm(total)


ORDERS = mean([" and ".join(order) for order in permutations(THINGS)])
PARTS = mean(THINGS)
BOTH = (ORDERS + PARTS) / np.linalg.norm(ORDERS + PARTS)


@pytest.mark.parametrize(("way", "expected"), [("orders", ORDERS), ("parts", PARTS), ("both", BOTH)])
def test_a_caption_is_the_mean_over_what_is_said(way, expected):
    found = eyechart.caption_vectors(encode, ["pot and cube and star", "a moon"], [THINGS, ["moon"]], way=way)
    np.testing.assert_allclose(found[0], expected, atol=1e-6)
    np.testing.assert_allclose(found[1], mean(["a moon"]), atol=1e-6)


def test_each_text_is_encoded_once():
    asked = []
    eyechart.caption_vectors(
        lambda texts: asked.extend(texts) or encode(texts), ["cube and star", "star and cube"], [THINGS[:2]] * 2
    )
    assert sorted(asked) == ["cube and star", "star and cube"]


def test_no_captions_are_no_vectors():
    assert eyechart.caption_vectors(encode, [], []).shape == (0, 0)


def test_what_makes_no_sense_is_said():
    with pytest.raises(UsageError, match="did you mean 'orders'"):
        eyechart.caption_vectors(encode, ["cube"], [["cube"]], way="order")
    with pytest.raises(DataError, match="1 captions, but objects of 2"):
        eyechart.caption_vectors(encode, ["cube"], [["cube"], ["star"]])
    for wrong in (np.ones(3), np.ones((2, 3)), np.ones((1, 3, 1))):
        with pytest.raises(DataError, match="shape"):
            eyechart.caption_vectors(lambda texts, wrong=wrong: wrong, ["cube"], [["cube"]])
