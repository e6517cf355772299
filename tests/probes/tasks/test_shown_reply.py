"""Replies as conversations show them: as they came, with their reasoning."""

from eyechart.models.answering import Reply
from eyechart.probes.tasks.shown_reply import shown_reply


def test_a_reply_is_shown_as_it_came():
    assert shown_reply(Reply("<think>A cat?</think>Dog")) == "<think>A cat?</think>Dog"
    assert shown_reply(Reply("", "refused")) == "(refused)"


def test_long_reasoning_does_not_hide_the_answer():
    shown = shown_reply(Reply(f"<think>{'maybe a cat ' * 100}</think>It is a dog."))
    assert shown.startswith("<think>maybe a cat") and shown.endswith("It is a dog.") and len(shown) < 320


def test_a_long_reply_is_cut():
    assert shown_reply(Reply("x" * 301)) == "x" * 300 + " …"
    assert shown_reply(Reply("x" * 300)) == "x" * 300


def test_reasoning_without_an_answer_is_marked():
    assert shown_reply(Reply("<think>A cat?")) == "<think>A cat? (reasoning without an answer)"
