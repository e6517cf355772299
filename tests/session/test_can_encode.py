"""What a model has vectors for, told before a probe names its texts."""

import numpy as np
import pytest

from eyechart.models.card import ModelCard
from eyechart.models.composed import ComposedModel
from eyechart.session.probe_tasks import encodable


def model(**abilities):
    return ComposedModel("test", ModelCard("test", "test"), "0", abilities)


TOWER = {"tokenize": lambda texts: None, "encode_texts": lambda ids: np.zeros((len(ids), 2))}
TABLE = {"known_texts": lambda: ["cat", "dog"], "look_up_texts": lambda texts: np.zeros((len(texts), 2))}


@pytest.mark.parametrize(
    ("abilities", "texts", "heard"),
    [
        (TOWER, ["anything at all"], True),
        (TABLE, ["dog", "cat"], True),
        (TABLE, ["dog", "a photo of a dog"], False),
        ({}, ["dog"], False),
        ({}, [], True),
    ],
)
def test_a_tower_hears_any_text_a_table_its_own_and_a_classifier_none(abilities, texts, heard):
    assert encodable(model(**abilities))(texts) is heard
