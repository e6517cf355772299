"""What a generator is: it draws a picture for a prompt."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True)
class Prompt:
    """`text` as the generator hears it; `objects`: what it names, in the order of mention."""

    text: str
    objects: tuple[str, ...]


class Generator(Protocol):
    @property
    def name(self) -> str:
        """As it stands in the table of prompts."""

    def draw(self, prompt: Prompt, seed: int) -> bytes:
        """A PNG file's content. The same prompt and seed give the same picture on the same machine."""


@runtime_checkable
class KnowsWhatItDrew(Protocol):
    """A generator that composes: it can say what is in its pictures."""

    def drawn(self, prompt: Prompt, seed: int) -> Sequence[dict[str, Any]]:
        """{"name", "area", "box"} of every thing that is seen."""
