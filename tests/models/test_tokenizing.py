import numpy as np
import pytest

from eyechart.errors import ModelError
from eyechart.models.text_batches import by_length
from eyechart.models.tokenizing import TextTokenizer, clean_text

from .conftest import tokenizer

# BOS 1, EOS 2, a 3, photo 4, of 5, cat 6, dog 7, PAD 8


@pytest.fixture
def file(tmp_path):
    tokenizer(tmp_path / "tokenizer.json")
    return tmp_path / "tokenizer.json"


def test_rows_keep_their_true_length(file):
    made = TextTokenizer(file, 8)(["a cat", "dog", ""])
    assert [row.tolist() for row in made.ids] == [[1, 3, 6, 2], [1, 7, 2], [1, 2]]
    assert not made.truncated.any()


def test_a_text_too_long_loses_its_end_but_not_its_end_token(file):
    made = TextTokenizer(file, 4)(["a photo of a cat", "a cat"])
    assert [row.tolist() for row in made.ids] == [[1, 3, 4, 2], [1, 3, 6, 2]]
    assert made.truncated.tolist() == [True, False]


def test_padding_to_the_context(file):
    made = TextTokenizer(file, 5, pad="max", pad_id=8)(["cat", "a photo of a cat"])
    assert [row.tolist() for row in made.ids] == [[1, 6, 2, 8, 8], [1, 3, 4, 5, 2]]


def test_a_given_end_id_is_used(file):
    assert TextTokenizer(file, 3, end_id=8)(["a photo of"]).ids[0].tolist() == [1, 3, 8]


def test_cutting_and_padding_stored_in_the_file_are_not_applied(file):
    from tokenizers import Tokenizer

    stored = Tokenizer.from_file(str(file))
    stored.enable_truncation(3)
    stored.enable_padding(length=10)
    stored.save(str(file))
    made = TextTokenizer(file, 8)(["a photo of a cat"])
    assert made.ids[0].tolist() == [1, 3, 4, 5, 3, 6, 2]
    assert not made.truncated.any()


def test_a_file_that_is_no_tokenizer_is_refused(tmp_path):
    (tmp_path / "t.json").write_text("{}")
    with pytest.raises(ModelError, match=r"t.json: the tokenizer cannot be read"):
        TextTokenizer(tmp_path / "t.json", 8)(["a"])


@pytest.mark.parametrize(
    "how, expected",
    [
        ("none", "A  photo_of:\ta &amp; Cat!"),
        ("lower", "a photo_of: a & cat!"),
        ("canonicalize", "a photo of a cat"),
    ],
)
def test_cleaning(how, expected):
    assert clean_text("A  photo_of:\ta &amp; Cat!", how) == expected


def test_by_length_gives_every_row_once_in_batches_of_one_length():
    rng = np.random.default_rng(0)
    rows = [rng.integers(0, 99, rng.integers(1, 9)) for _ in range(200)]
    seen = {}
    for places, stacked in by_length(rows, budget=40):
        assert stacked.size <= 40
        seen |= {place: row.tolist() for place, row in zip(places.tolist(), stacked, strict=True)}
    assert seen == {place: row.tolist() for place, row in enumerate(rows)}


def test_by_length_gives_a_row_longer_than_the_budget_alone():
    assert [stacked.shape for _, stacked in by_length([np.arange(10), np.arange(10)], budget=4)] == [(1, 10), (1, 10)]


def test_by_length_of_nothing():
    assert list(by_length([])) == []
