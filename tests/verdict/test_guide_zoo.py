"""The guide of a model that was taught captions with the largest thing first, and of its twin that was not."""

import pytest
from tests.found import run_of, table_of
from tests.probes.text_encoders import first_object_of

from eyechart.verdict.guide import guide

pytestmark = pytest.mark.slow


def guide_of(model):
    found = table_of(first_object_of(model), model=model, dataset="words", probe="first_object", protocol="p", version=1)
    return guide(run_of(found), model)


def test_a_model_that_hears_the_first_name_is_told_to_name_it_first():
    assert [r.sentence for r in guide_of("largest-first-0").advice if "first" in r.sentence] == [
        "Name the most important object first: the text encoder favors the first object."
    ]


def test_its_twin_is_not():
    made = guide_of("random-order-0")
    assert not [r for r in made.advice if "most important object" in r.sentence]
    assert "where in a caption to put the most important object" in [r.sentence for r in made.inconclusive]
