"""The reasoning that some models write before their answer, between marks such as `<think>` and `</think>`."""

import re

_NAMES = "think|thinking|thought|reasoning"
_OPENS = re.compile(rf"<(?:{_NAMES})>|\[(?:{_NAMES})\]|◁(?:{_NAMES})▷", re.IGNORECASE)
_CLOSES = re.compile(rf"</(?:{_NAMES})>|\[/(?:{_NAMES})\]|◁/(?:{_NAMES})▷", re.IGNORECASE)


def without_reasoning(text: str) -> str:
    """What a reply says after its reasoning; empty where it ends before that.

    A chat template may open the reasoning itself, so all text before the last closing mark counts as reasoning.

    Args:
        text: The reply.

    >>> without_reasoning("<think>A cat? No, a dog.</think> Dog")
    'Dog'
    >>> without_reasoning("<think>A cat? No,")
    ''
    """
    closed = [mark.end() for mark in _CLOSES.finditer(text)]
    rest = text[closed[-1] :] if closed else text
    opened = _OPENS.search(rest)
    return (rest[: opened.start()] if opened else rest).strip() if closed or opened else text


def is_reasoning_mark(text: str) -> bool:
    """Whether a text is such a mark, as a tokenizer may have it as one token."""
    return bool(_OPENS.fullmatch(text) or _CLOSES.fullmatch(text))
