"""Models that answer questions about pictures: what they are asked, and what they reply."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol, get_args, runtime_checkable

from PIL import Image

from eyechart.arrays import Doubles
from eyechart.models.encoder import Model
from eyechart.models.reasoning import without_reasoning

# What is asked where class names are scored by their likelihood as the reply.
CLASS_QUESTION = "What is the main object in this picture? Answer with the name only."

LONGEST_REPLY = 64  # tokens, where the option `tokens` does not say otherwise

ReplyKind = Literal["text", "empty", "refused", "unreadable"]


@dataclass(frozen=True)
class Reply:
    """What a model replied to one question.

    text: Its words as they came, with any reasoning; empty where there are none.
    kind: "text"; "empty" for no words; "refused" where the server marks the reply as refused or filtered; "unreadable" where
        what came back is not a reply, or the server rejected the question. Unreadable replies are not kept.
    cut: Whether it ended at the limit of tokens.
    prompt_tokens: Tokens of the question with its picture; None where the model does not say.
    reply_tokens: Tokens of the reply; None where the model does not say.
    cost: What it cost, in the currency of the prices that were given; None without prices.
    rejected: What the server said where it rejected the question; empty where it did not.
    """

    text: str
    kind: ReplyKind = "text"
    cut: bool = False
    prompt_tokens: int | None = None
    reply_tokens: int | None = None
    cost: float | None = None
    rejected: str = ""

    @property
    def answer(self) -> str:
        """Its words without the reasoning that some models write first, between `<think>` and `</think>`."""
        return without_reasoning(self.text)

    @property
    def answer_kind(self) -> ReplyKind:
        """The kind of the answer: a reply that has reasoning alone is empty."""
        return "empty" if self.kind == "text" and not self.answer.strip() else self.kind

    def to_dict(self) -> dict[str, Any]:
        """As the store keeps it."""
        return asdict(self)

    @classmethod
    def from_dict(cls, content: Any) -> "Reply | None":
        """From the store; None where it is damaged.

        Args:
            content: What `to_dict` gave.
        """
        try:
            reply = cls(**content)
        except TypeError:
            return None
        return reply if isinstance(reply.text, str) and reply.kind in get_args(ReplyKind) else None


@dataclass(frozen=True)
class PictureQuestion:
    """A question about a picture of a dataset.

    row: The picture's row in the dataset; None for a blank picture.
    text: The question; empty where it is known only after another model has answered.
    """

    row: int | None
    text: str


AsksAboutPictures = Callable[[Sequence[PictureQuestion]], list[Reply]]  # a reply to every question
# questions, the options of each → [options, 2] for each: log-likelihoods and numbers of tokens
ScoresOptions = Callable[[Sequence[PictureQuestion], Sequence[Sequence[str]]], list[Doubles]]


@runtime_checkable
class AnswersQuestions(Model, Protocol):
    """A model that answers a question about a picture in words. Its fingerprint includes the size at which it gets pictures."""

    @property
    def at_once(self) -> int:
        """How many questions may be asked in parallel."""

    @property
    def answer_decoding(self) -> str:
        """How replies are decoded (temperature, longest reply), as part of the key under which they are kept."""

    def answer(self, picture: Image.Image, question: str) -> Reply:
        """The reply to a question about an upright RGB picture. Called from `at_once` threads."""


@runtime_checkable
class GivesLikelihoods(AnswersQuestions, Protocol):
    """A model that gives the log-likelihood of given answers."""

    def log_likelihoods(self, picture: Image.Image, question: str, options: Sequence[str]) -> Doubles:
        """[options, 2]: the log-likelihood of every option as the reply in nats, and its number of tokens."""
