"""A reply as conversations show it."""

from eyechart.models.answering import Reply

_LONGEST = 300  # characters


def shown_reply(reply: Reply) -> str:
    """The reply as it came, with its reasoning. The middle of a long one is left out, so that its answer is shown.

    >>> shown_reply(Reply("", "refused"))
    '(refused)'
    """
    text = reply.text
    if len(text) > _LONGEST:
        answer = reply.answer[:_LONGEST] if reply.answer != text else ""
        head = text[: max(_LONGEST - len(answer), _LONGEST // 3)]
        text = f"{head} … {answer}" if answer else f"{head} …"
    if reply.kind == "text" and reply.answer_kind == "empty":
        return f"{text} (reasoning without an answer)"
    return text or f"({reply.kind})"
