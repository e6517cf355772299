"""Reading replies in words: which option a reply names, whether it says yes or no, whether it refuses."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from eyechart.models.answering import Reply

Outcome = Literal["named", "several", "none", "refused", "empty", "unreadable"]
UNDECIDED: tuple[Outcome, ...] = ("several", "none", "refused", "empty", "unreadable")

_REFUSAL = re.compile(
    r"\b(i\s?['’]?a?m sorry|i apologi[sz]e|i (can\s?not|can['’]?t|am unable|['’]?m unable|am not able)|unable to|as an ai)\b",
    re.I,
)
_LEAD = re.compile(r"^(?:(?:this|that|it)(?: is|['’]s) )?(?:(?:a|an|the) )?")
_YES_NO = re.compile(r"\b(yes|no)\b")


@dataclass(frozen=True)
class ReadReply:
    """What a reply says.

    outcome: "named" for exactly one option; "several" or "none" of them; "refused", "empty" or "unreadable".
    option: The named option; -1 where there is not exactly one.
    """

    outcome: Outcome
    option: int = -1


def plain(text: str) -> str:
    """Lower case, single spaces, without punctuation at the ends and without a leading article or "this is".

    >>> plain(" This is a  Tabby cat. ")
    'tabby cat'
    """
    words = " ".join(text.casefold().replace("_", " ").split()).strip(" .,;:!?\"'“”‘’*`()[]")
    return _LEAD.sub("", words)


def mentioned(text: str, names: Sequence[Sequence[str]]) -> list[int]:
    """The options with a name in the text, as whole words, singular or plural. A name inside a longer one does not count.

    >>> mentioned("a hot dog on a plate", [["dog"], ["hot dog"], ["cat"]])
    [1]
    """
    text = " ".join(text.casefold().replace("_", " ").split())
    spans: list[tuple[int, int, int]] = []
    for option, of_option in enumerate(names):
        for name in of_option:
            words = re.escape(" ".join(name.casefold().replace("_", " ").split()))
            spans += [(m.start(), m.end(), option) for m in re.finditer(rf"(?<!\w){words}(?:e?s)?(?!\w)", text)]
    outer = [s for s in spans if not any(o[0] <= s[0] and s[1] <= o[1] and o[1] - o[0] > s[1] - s[0] for o in spans)]
    return sorted({option for _, _, option in outer})


def read_choice(reply: Reply, names: Sequence[Sequence[str]]) -> ReadReply:
    """Which of the options a reply names. An undecided reply is counted by its reason, never dropped.

    Args:
        reply: The reply.
        names: The name and the synonyms of every option.
    """
    if reply.kind in ("empty", "refused", "unreadable"):
        return ReadReply(reply.kind)
    said = plain(reply.text)
    exact = [option for option, of_option in enumerate(names) if said in {plain(name) for name in of_option}]
    found = exact if len(exact) == 1 else mentioned(reply.text, names)
    if len(found) == 1:
        return ReadReply("named", found[0])
    if found:
        return ReadReply("several")
    return ReadReply("refused" if _REFUSAL.search(reply.text) else "none")


def read_yes_no(reply: Reply) -> ReadReply:
    """Option 1 for yes, 0 for no. The first word decides; without it, the only one of the two words that the reply has."""
    if reply.kind in ("empty", "refused", "unreadable"):
        return ReadReply(reply.kind)
    words = _YES_NO.findall(reply.text.casefold())
    first = reply.text.casefold().strip(" *\"'“").partition(" ")[0].strip(".,;:!*\"'”\n")
    if first in ("yes", "no"):
        return ReadReply("named", int(first == "yes"))
    if len(set(words)) == 1:
        return ReadReply("named", int(words[0] == "yes"))
    if words:
        return ReadReply("several")
    return ReadReply("refused" if _REFUSAL.search(reply.text) else "none")
