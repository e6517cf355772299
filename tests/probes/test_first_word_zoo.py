"""Models that were taught to name the largest or smallest thing first, and their twin: order is heard, and is not."""

import pytest
from tests.probes.hearing import hearing, named

from eyechart.data.class_file import read_classes
from eyechart.models.open import open_model
from eyechart.probes.first_word import Settings, first_word
from eyechart.world.zoo import present


def lead(model):
    if model not in present():
        pytest.skip(f"zoo:{model} is not here")
    opened = open_model(f"zoo:{model}")
    settings = Settings(counts=(4,), focus=4, styles=("bare",), captions=400)
    dataset = named([c.name for c in read_classes("simco-18")])
    answer = first_word.ask(hearing(dataset, lambda texts: opened.encode_texts(opened.tokenize(texts).ids), settings))
    (found,) = [f for f in answer.findings if f.metric == "first_lead" and f.slice == {}]
    return found


def test_largest_first_taught_the_first_word():
    assert lead("largest-first-0").low > 0.4


def test_smallest_first_taught_the_contrary():
    assert lead("smallest-first-0").high < -0.1


def test_a_random_order_taught_nothing():
    found = lead("random-order-0")
    assert found.low <= 0 <= found.high
