"""Which words before a mention negate it."""

import pytest

from eyechart.probes.tasks.negated_mentions import SENTENCE, is_negated


@pytest.mark.parametrize(
    ("text", "negated"),
    [
        ("it is a cat", False),
        ("it is not a cat", True),
        ("no, it is a cat", False),
        ("i can't tell whether this is a cat", True),
        ("not a dog. a cat", False),
        ("without doubt a cat", False),
    ],
)
def test_words_of_the_same_sentence_negate(text, negated):
    place = text.index("cat")
    assert is_negated(text, place, place + 3) is negated


def test_words_far_before_a_mention_do_not_count():
    """So that a reply that repeats a name a thousand times is read in time that grows with its length."""
    for gap, negated in ((SENTENCE // 2, True), (2 * SENTENCE, False)):
        text = "not " + "x" * gap + " cat"
        assert is_negated(text, len(text) - 3, len(text)) is negated
