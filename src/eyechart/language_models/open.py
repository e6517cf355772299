"""Descriptions of classes by a language model: one cached request per class."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from eyechart.errors import UsageError
from eyechart.language_models.address import Address
from eyechart.language_models.endpoint import Endpoint
from eyechart.language_models.gguf import PREFIX, GgufModel
from eyechart.language_models.replies import Replies

INSTRUCTION = (
    "You are given the name of a kind of thing. Write up to six short phrases that say what a photograph of it shows and what"
    " tells it from similar things: shape, parts, colours, material, surroundings. One phrase a line, each of two to eight words,"
    " without the name itself, without numbers or bullets, and nothing else."
)
Describes = Callable[[Sequence[str]], Mapping[str, Sequence[str]]]  # class names → their descriptions

MOST_LINES, MOST_LETTERS = 6, 80
_MARKER = re.compile(r"^\s*(?:[-*•·]+|\(?\d+[.):])\s*")


class AnswersTexts(Protocol):
    """A language model."""

    def ask_all(self, instruction: str, texts: Sequence[str]) -> list[str]:
        """The reply to every text, in order."""


@dataclass(frozen=True)
class LanguageModel:
    """A language model.

    base: The OpenAI-compatible address, or gguf:PATH for a local file.
    model: The model's name at that address.
    replies: The folder of cached replies.
    offline: Whether only cached replies are used.
    """

    base: str
    model: str
    replies: Path
    offline: bool = False

    @staticmethod
    def is_meant(spec: str) -> bool:
        """Whether `spec` names a language model: an address or gguf:PATH."""
        return spec.startswith(("http://", "https://", PREFIX))

    @property
    def about(self) -> dict[str, str]:
        """What a card records: neither address nor path, which are private."""
        name = Path(self.base.removeprefix(PREFIX)).name if self.base.startswith(PREFIX) else self.model
        return {"language_model": name, "instruction": INSTRUCTION}

    def describes(self) -> Describes:
        if self.base.startswith(PREFIX):
            return described_by(GgufModel(Path(self.base.removeprefix(PREFIX)), Replies(self.replies), self.offline))
        if not self.model:
            raise UsageError(f"descriptions by {self.base}: name the model with --describe-model NAME")
        return described_by(Endpoint(Address(self.base), self.model, Replies(self.replies), offline=self.offline))


def described_by(model: AnswersTexts) -> Describes:
    def describe(names: Sequence[str]) -> dict[str, list[str]]:
        distinct = list(dict.fromkeys(names))
        replies = zip(distinct, model.ask_all(INSTRUCTION, distinct), strict=True)
        return {name: lines for name, reply in replies if (lines := _lines(reply, name))}

    return describe


def _lines(reply: str, name: str) -> list[str]:
    """The phrases of a reply, without list markers and without long lines. Braces are removed, since they mark the class name."""
    found = (_MARKER.sub("", line).replace("{", "").replace("}", "").strip(" .;,\t") for line in reply.splitlines())
    kept = [line for line in found if 0 < len(line) <= MOST_LETTERS and line.lower() != name.lower()]
    return list(dict.fromkeys(kept))[:MOST_LINES]
