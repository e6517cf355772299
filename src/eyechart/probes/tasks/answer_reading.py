"""Reading replies in words: which option a reply names, whether it says yes or no, whether it refuses.

The reasoning that a model writes before its answer is not read."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from eyechart.models.answering import Reply
from eyechart.probes.tasks.negated_mentions import REFUSAL, is_negated

Outcome = Literal["named", "several", "none", "refused", "empty", "unreadable"]
UNDECIDED: tuple[Outcome, ...] = ("several", "none", "refused", "empty", "unreadable")

_LEAD = re.compile(r"^(?:(?:this|that|it)(?: is|['’]s) )?(?:(?:a|an|the) )?")
_YES_NO = re.compile(r"\b(yes|no)\b")
_OWN = re.compile(r",\s*(?:(?:and |so |then |therefore )*)$")
# "no" that answers nothing
_OTHER_NO = re.compile(r"\bno (?:idea|clue|doubt|way to|answer|opinion|comment|information|(?:image|picture|photo)s?)\b")


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
    return sorted({option for _, _, option in _mentions(_words(text), names)})


def _words(text: str) -> str:
    """Lower case, single spaces."""
    return " ".join(text.casefold().replace("_", " ").split())


def _mentions(text: str, names: Sequence[Sequence[str]]) -> list[tuple[int, int, int]]:
    """Where a text names options: start, end and option of each mention."""
    spans: list[tuple[int, int, int]] = []
    for option, of_option in enumerate(names):
        for name in of_option:
            words = re.escape(_words(name))
            spans += [(m.start(), m.end(), option) for m in re.finditer(rf"(?<!\w){words}(?:e?s)?(?!\w)", text)]
    return [s for s in spans if not any(o[0] <= s[0] and s[1] <= o[1] and o[1] - o[0] > s[1] - s[0] for o in spans)]


def read_choice(reply: Reply, names: Sequence[Sequence[str]]) -> ReadReply:
    """Which of the options a reply names. An undecided reply is counted by its reason, never dropped.

    An option that is only named in a negation, a doubt or a refusal is not chosen.

    Args:
        reply: The reply.
        names: The name and the synonyms of every option.
    """
    if reply.answer_kind != "text":
        return ReadReply(reply.answer_kind)
    said = plain(reply.answer)
    exact = [option for option, of_option in enumerate(names) if said in {plain(name) for name in of_option}]
    if len(exact) == 1:
        return ReadReply("named", exact[0])
    text = _words(reply.answer.replace("\n", "; "))  # a line ends a sentence
    mentions = _mentions(text, names)
    found = {option for _, _, option in mentions}
    if len(found) > 1:
        return ReadReply("several")
    if any(not is_negated(text, start, end) for start, end, _ in mentions):
        return ReadReply("named", found.pop())
    return ReadReply("refused" if REFUSAL.search(reply.answer) else "none")


def read_yes_no(reply: Reply) -> ReadReply:
    """Option 1 for yes, 0 for no. The first word decides; without it, the only one of the two words that the reply has.

    "No idea" and the like are no answer, and neither is a word that is negated or part of a refusal, as in "I can't say yes".
    """
    if reply.answer_kind != "text":
        return ReadReply(reply.answer_kind)
    text = _OTHER_NO.sub("", _words(reply.answer.replace("\n", "; ")))
    found = [(word.start(), word.end(), word[0]) for word in _YES_NO.finditer(text)]
    first = text.strip(" *\"'“").partition(" ")[0].strip(".,;:!*\"'”")
    if first in ("yes", "no"):
        return ReadReply("named", int(first == "yes"))
    if len({word for _, _, word in found}) > 1:
        return ReadReply("several")
    # After a comma, or a comma and "so", the word stands for itself: "I don't see one, no."
    if any(_OWN.search(text[:start]) or not is_negated(text, start, end) for start, end, _ in found):
        return ReadReply("named", int(found[0][2] == "yes"))
    return ReadReply("refused" if REFUSAL.search(reply.answer) else "none")


def read_words(reply: Reply) -> ReadReply:
    """Whether a reply has words at all, for questions whose answer is neither an option nor yes or no."""
    if reply.answer_kind != "text":
        return ReadReply(reply.answer_kind)
    return ReadReply("refused") if REFUSAL.search(reply.answer) else ReadReply("named", 0)
