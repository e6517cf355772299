"""Replies as people and models write them, and what they are read as."""

import pytest

from eyechart.models.answering import Reply
from eyechart.probes.tasks.answer_reading import ReadReply, mentioned, plain, read_choice, read_words, read_yes_no

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
        ("I can’t tell whether the dog is there", ReadReply("refused")),
        ("I'm sorry, I can't tell whether this is a dog.", ReadReply("refused")),
        ("I cannot determine if it is a dog", ReadReply("refused")),
        ("As an AI, I cannot say if it is a dog.", ReadReply("refused")),
        ("It is not a dog.", ReadReply("none")),
        ("It isn't a dog", ReadReply("none")),
        ("I don’t see a dog", ReadReply("none")),
        ("There is no dog in the picture.", ReadReply("none")),
        ("A dog is not visible.", ReadReply("none")),
        ("It is unclear whether this is a dog.", ReadReply("none")),
        ("No idea, a dog perhaps not", ReadReply("none")),
        ("No idea...", ReadReply("none")),
        ("No, it is a dog.", ReadReply("named", 1)),
        ("No. It is a dog.", ReadReply("named", 1)),
        ("No it is a dog", ReadReply("named", 1)),
        ("No, a dog.", ReadReply("named", 1)),
        ("I'm sorry, it is a dog.", ReadReply("named", 1)),
        ("I can't be sure, but it looks like a dog", ReadReply("named", 1)),
        ("I cannot tell the breed.\nDog", ReadReply("named", 1)),
        ("It is not a cat. It is a dog.", ReadReply("named", 1)),
        ("There is no doubt that this is a dog", ReadReply("named", 1)),
        ("The dog is not on a leash", ReadReply("named", 1)),
        ("a dog that does not move", ReadReply("named", 1)),
    ],
)
def test_choices(text, read):
    assert read_choice(Reply(text), PETS) == read


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("<think>A tabby? It has a leash.</think>\nDog", ReadReply("named", 1)),
        ("It may be a tabby.\n</think>\n\nDog", ReadReply("named", 1)),  # the chat template opened the reasoning
        ("<think>A tabby</think> no, <think>a hot dog</think> dog", ReadReply("named", 1)),
        ("[THINK]tabby[/THINK]dog", ReadReply("named", 1)),
        ("<Thinking>tabby</Thinking> dog", ReadReply("named", 1)),
        ("◁think▷tabby◁/think▷dog", ReadReply("named", 1)),
        ("<think>It is a dog.</think>", ReadReply("empty")),
        ("<think>It is a dog.</think> \n", ReadReply("empty")),
        ("<think>It is a dog, since", ReadReply("empty")),
        ("<think>I cannot help with that.</think>A bird", ReadReply("none")),
        ("<think>tabby or dog?</think>I cannot tell.", ReadReply("refused")),
        ("I think it is a dog", ReadReply("named", 1)),
    ],
)
def test_reasoning_is_no_answer(text, read):
    assert read_choice(Reply(text), PETS) == read


def test_reasoning_says_neither_yes_nor_no():
    assert read_yes_no(Reply("<think>Yes? There is nothing like it.</think>No.")) == ReadReply("named", 0)
    assert read_yes_no(Reply("<think>Yes, it is there")) == ReadReply("empty")
    assert read_words(Reply("<think>A cube")) == ReadReply("empty")
    assert read_words(Reply("<think>I cannot</think>a cube and a mug")) == ReadReply("named", 0)
    assert read_words(Reply("I'm sorry, I cannot help with that.")) == ReadReply("refused")


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
        ("No idea", ReadReply("none")),
        ("I have no idea", ReadReply("none")),
        ("There is no way to tell", ReadReply("none")),
        ("I can't say yes", ReadReply("refused")),
        ("I would not say yes", ReadReply("none")),
        ("I'm sorry, there is no picture", ReadReply("refused")),
        ("There is no dog in the picture", ReadReply("named", 0)),
        ("No dogs here", ReadReply("named", 0)),
        ("I don't see one, no.", ReadReply("named", 0)),
        ("I cannot find a dog, so no", ReadReply("named", 0)),
        ("There is no doubt, yes", ReadReply("named", 1)),
        ("I am unable to see pictures", ReadReply("refused")),
    ],
)
def test_yes_and_no(text, read):
    assert read_yes_no(Reply(text)) == read


def test_a_name_that_contains_a_negation_is_an_option():
    signs = [["no entry sign"], ["none of these"]]
    assert read_choice(Reply("This is a no entry sign."), signs) == ReadReply("named", 0)
    assert read_choice(Reply("I cannot see one, none of these"), signs) == ReadReply("named", 1)


def test_underscores_and_spaces_of_names_do_not_matter():
    assert mentioned("an alarm  clock", [["alarm_clock"], ["clock"]]) == [0]
    assert plain("  The  Alarm_Clock!") == "alarm clock"


@pytest.mark.parametrize(
    ("text", "outcome", "option"),
    [
        ("There is: yes", "named", 1),
        ("I think so, yes", "named", 1),
        ("I don't see one, no", "named", 0),
        ("There is none: no", "named", 0),
        ("It is not the case that yes", "none", -1),
        ("yes and then no", "named", 1),  # the first word decides
        ("Could be yes, could be no", "several", -1),
        ("maybe", "none", -1),
    ],
)
def test_yes_and_no_within_a_reply(text, outcome, option):
    found = read_yes_no(Reply(text))
    assert (found.outcome, found.option) == (outcome, option)
