"""Opening a language model by its address."""

import pytest

from eyechart.errors import UsageError
from eyechart.language_models.open import LanguageModel


def test_an_address_needs_the_name_of_a_model(tmp_path):
    with pytest.raises(UsageError, match="name the model to use there"):
        LanguageModel("https://host/v1", "", tmp_path).open()


@pytest.mark.parametrize(("text", "is_one"), [("https://host/v1", True), ("gguf:model.gguf", True), ("descriptions.json", False)])
def test_what_names_a_language_model(text, is_one):
    assert LanguageModel.is_spec(text) == is_one


def test_a_card_names_the_model_and_not_its_address(tmp_path):
    assert LanguageModel("https://host/v1", "small", tmp_path).name == "small"
    assert LanguageModel("gguf:/home/someone/small.gguf").name == "small.gguf"
