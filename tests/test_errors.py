import pytest

from eyechart.data.open import open_dataset
from eyechart.errors import DataError, MissingExtra


def test_an_error_is_one_line_that_can_be_printed():
    assert str(DataError("a\x1b[2Jb.png: gone\nfor ever \udce9")) == "a\ufffd[2Jb.png: gone for ever \\udce9"


def test_errors_with_words_of_their_own_are_so_too():
    assert str(MissingExtra("hf:\x07x", "hf")).startswith("hf:\ufffdx needs packages")


def test_a_hostile_name_does_not_reach_the_terminal(tmp_path):
    with pytest.raises(DataError) as refusal:
        open_dataset(tmp_path / "\x1b]0;owned\x07")
    assert "\x1b" not in str(refusal.value) and "\ufffd]0;owned\ufffd" in str(refusal.value)
