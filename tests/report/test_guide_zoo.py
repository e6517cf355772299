"""The guide of a model that was taught captions with the largest thing first, and of its twin that was not."""

import pytest
from tests.probes.hearing import hearing, named

from eyechart.data.class_file import read_classes
from eyechart.findings.finding import to_table
from eyechart.models.open import open_model
from eyechart.probes.first_word import Settings, first_word
from eyechart.report.guide import guide
from eyechart.world.zoo import present


def guide_of(model):
    if model not in present():
        pytest.skip(f"zoo:{model} is not here")
    opened = open_model(f"zoo:{model}")
    settings = Settings(counts=(4,), focus=4, styles=("bare",), captions=400)
    dataset = named([c.name for c in read_classes("simco-18")])
    answer = first_word.ask(hearing(dataset, lambda texts: opened.encode_texts(opened.tokenize(texts).ids), settings))
    return guide(to_table(answer.findings, model=model, dataset="words", probe="first_word", protocol="p", version=1), model)


def test_a_model_that_hears_the_first_name_is_told_to_name_it_first():
    assert [r.sentence for r in guide_of("largest-first-0").advice if "first" in r.sentence] == [
        "Name what matters most first: of several names, the first is heard best."
    ]


def test_its_twin_is_not():
    made = guide_of("random-order-0")
    assert not [r for r in made.advice if "matters most" in r.sentence]
    assert "where in a caption to put what matters most" in [r.sentence for r in made.undecided]
