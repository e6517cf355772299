"""Open a language model at an OpenAI-compatible address or in a local GGUF file. Replies are kept and replayed offline."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from eyechart.errors import UsageError
from eyechart.files.locations import default_replies_path
from eyechart.language_models.address import Address
from eyechart.language_models.endpoint import Endpoint
from eyechart.language_models.gguf import PREFIX, GgufModel
from eyechart.language_models.replies import Replies


class AnswersTexts(Protocol):
    """A language model that is open."""

    def ask_all(self, instruction: str, texts: Sequence[str]) -> list[str]:
        """The reply to every text under one instruction, in their order."""


@dataclass(frozen=True)
class LanguageModel:
    """A language model and where its replies are kept.

    base: An OpenAI-compatible address, or gguf:PATH for a model on this machine.
    model: The model's name at that address.
    replies: The folder of prompts and replies; the user's cache folder where it is None.
    offline: Send nothing, and use kept replies alone.
    """

    base: str
    model: str = ""
    replies: Path | None = None
    offline: bool = False

    @staticmethod
    def is_spec(text: str) -> bool:
        """Whether a text names a language model: an address or gguf:PATH."""
        return text.startswith(("http://", "https://", PREFIX))

    @property
    def name(self) -> str:
        """What a card calls it. Address and path are the user's own, and are left out."""
        return Path(self.base.removeprefix(PREFIX)).name if self.base.startswith(PREFIX) else self.model

    def open(self) -> AnswersTexts:
        """Open it.

        Raises:
            UsageError: If an address comes without a model's name.
        """
        replies = Replies(self.replies or default_replies_path())
        if self.base.startswith(PREFIX):
            return GgufModel(Path(self.base.removeprefix(PREFIX)), replies, self.offline)
        if not self.model:
            raise UsageError(f"{self.base}: name the model to use there (with repair: --describe-model NAME)")
        return Endpoint(Address(self.base), self.model, replies, offline=self.offline)
