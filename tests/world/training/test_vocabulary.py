"""The tokenizer: one token a word of the world, bytes for any other text."""

import pytest
from tokenizers import Tokenizer

from eyechart.world.training.pairs import Pairs
from eyechart.world.training.recipe import Recipe
from eyechart.world.training.vocabulary import CONTEXT, END, START, UNKNOWN, words, write_tokenizer


@pytest.fixture(scope="module")
def tokenizer(tmp_path_factory):
    path = tmp_path_factory.mktemp("words") / "tokenizer.json"
    write_tokenizer(path)
    return Tokenizer.from_file(str(path))


def test_every_word_of_the_world_is_one_token(tokenizer):
    assert all(len(tokenizer.encode(word).ids) == 3 for word in words())
    assert len({tokenizer.encode(word).ids[1] for word in words()}) == len(words())


def test_a_text_begins_and_ends(tokenizer):
    ids = tokenizer.encode("a red cube").ids
    assert (ids[0], ids[-1]) == (START, END)
    # transformers reads an end token numbered 2 in a legacy way.
    assert END != 2


def test_other_words_are_told_apart(tokenizer):
    zebra, tapir, accent = (tuple(tokenizer.encode(t).ids) for t in ("zebra", "tapir", "zébra"))
    assert len({zebra, tapir, accent}) == 3
    assert not any(UNKNOWN in ids for ids in (zebra, tapir, accent))


def test_case_and_spaces_do_not_matter(tokenizer):
    assert tokenizer.encode("  A Red   CUBE ").ids == tokenizer.encode("a red cube").ids


@pytest.mark.parametrize("manner", ["plain", "catalogue"])
def test_captions_of_training_hold_known_words_only_and_fit(tokenizer, manner):
    pairs = Pairs(Recipe("t", samples=200, batch=1, manner=manner))
    for number in range(150, 200):
        encoded = tokenizer.encode(pairs.pair(number).caption)
        assert all(token.startswith("Ġ") and token[1:] in words() for token in encoded.tokens[1:-1])
        assert len(encoded.ids) <= CONTEXT
