"""Replies as people and models write them, and what they are read as."""

import pytest

from eyechart.models.answering import Reply
from eyechart.probes.tasks.answer_reading import ReadReply, mentioned, plain, read_choice, read_yes_no

PETS = [["tabby", "tabby cat"], ["dog"], ["hot dog"]]


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Tabby", ReadReply("named", 0)),
        ("It is a tabby cat.", ReadReply("named", 0)),
        ("**dog**", ReadReply("named", 1)),
        ("The main object is a hot dog", ReadReply("named", 2)),
        ("two dogs", ReadReply("named", 1)),
        ("a dog, not a tabby", ReadReply("several")),
        ("a hotdogger", ReadReply("none")),
        ("a bird", ReadReply("none")),
        ("I'm sorry, I cannot help with that.", ReadReply("refused")),
        ("I can’t tell whether the dog is there", ReadReply("named", 1)),
    ],
)
def test_choices(text, read):
    assert read_choice(Reply(text), PETS) == read


@pytest.mark.parametrize("kind", ["empty", "refused", "unreadable"])
def test_what_is_no_text_keeps_its_kind(kind):
    assert read_choice(Reply("dog", kind), PETS) == ReadReply(kind) == read_yes_no(Reply("yes", kind))


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Yes", ReadReply("named", 1)),
        ("no.", ReadReply("named", 0)),
        ("Yes, there is no doubt", ReadReply("named", 1)),
        ("There is, yes", ReadReply("named", 1)),
        ("It is yes or no", ReadReply("several")),
        ("nothing known", ReadReply("none")),
        ("I am unable to see pictures", ReadReply("refused")),
    ],
)
def test_yes_and_no(text, read):
    assert read_yes_no(Reply(text)) == read


def test_underscores_and_spaces_of_names_do_not_matter():
    assert mentioned("an alarm  clock", [["alarm_clock"], ["clock"]]) == [0]
    assert plain("  The  Alarm_Clock!") == "alarm clock"
