"""Descriptions of classes by a language model: asked once for each class."""

import re
from collections.abc import Sequence

from eyechart.language_models.open import AnswersTexts, LanguageModel
from eyechart.repair.descriptions import Describer

# Kept replies are found by a hash of this text, so it stays as it is.
INSTRUCTION = (
    "You are given the name of a kind of thing. Write up to six short phrases that say what a photograph of it shows and what"
    " tells it from similar things: shape, parts, colors, material, surroundings. One phrase a line, each of two to eight words,"
    " without the name itself, without numbers or bullets, and nothing else."
)
MOST_LINES, MOST_LETTERS = 6, 80
_MARKER = re.compile(r"^\s*(?:[-*•·]+|\(?\d+[.):])\s*")


def card_of(model: LanguageModel) -> dict[str, str]:
    """What the card of a classifier says of the language model that described its classes."""
    return {"language_model": model.name, "instruction": INSTRUCTION}


def described_by(model: AnswersTexts) -> Describer:
    """Class names → descriptions, for names whose reply contains any."""

    def describe(names: Sequence[str]) -> dict[str, list[str]]:
        distinct = list(dict.fromkeys(names))
        replies = zip(distinct, model.ask_all(INSTRUCTION, distinct), strict=True)
        return {name: lines for name, reply in replies if (lines := _lines(reply, name))}

    return describe


def _lines(reply: str, name: str) -> list[str]:
    """The phrases of a reply without list markers. Long lines are left out, and so are braces, which mark the class name."""
    found = (_MARKER.sub("", line).replace("{", "").replace("}", "").strip(" .;,\t") for line in reply.splitlines())
    kept = [line for line in found if 0 < len(line) <= MOST_LETTERS and line.lower() != name.lower()]
    return list(dict.fromkeys(kept))[:MOST_LINES]
