"""The interface of a generator: a picture for a prompt."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable


@dataclass(frozen=True)
class Prompt:
    """A prompt.

    text: The text that the generator gets.
    objects: The objects it names, in order of mention.
    """

    text: str
    objects: tuple[str, ...]


class Generator(Protocol):
    @property
    def name(self) -> str:
        """The generator's name in the table of prompts."""

    def draw(self, prompt: Prompt, seed: int) -> bytes:
        """The picture as PNG bytes. The same prompt and seed give the same picture on the same machine."""


@runtime_checkable
class KnowsWhatItDrew(Protocol):
    """A generator that knows the objects in its pictures."""

    def drawn(self, prompt: Prompt, seed: int) -> Sequence[dict[str, Any]]:
        """{"name", "area", "box"} of every visible object."""
