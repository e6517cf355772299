"""A language model behind an OpenAI-compatible endpoint: a time limit, a few retries, and every reply is cached."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from eyechart.language_models.address import Address
from eyechart.language_models.chat_client import ATTEMPTS, SECONDS, ChatClient, EndpointError, NotACompletion
from eyechart.language_models.replies import Replies

__all__ = ["Endpoint", "EndpointError"]


@dataclass(frozen=True)
class Endpoint:
    """A language model at an endpoint.

    address: Where the endpoint is, and which variable holds its key.
    model: The model's name at the endpoint.
    replies: The cache of replies.
    seconds: The time limit of one request.
    offline: Whether only cached replies are used; a request that is not cached is an error.
    pause: Seconds before the second attempt; doubled for each further one.
    attempts: How often a request is sent, where the server is busy or does not answer.
    """

    address: Address
    model: str
    replies: Replies
    seconds: float = SECONDS
    offline: bool = False
    pause: float = 1.0
    attempts: int = ATTEMPTS

    def ask_all(self, instruction: str, texts: Sequence[str], *, at_once: int = 4) -> list[str]:
        """The reply to every text, in order; `at_once` requests run in parallel."""
        with ThreadPoolExecutor(at_once, thread_name_prefix="eyechart-endpoint") as pool:
            return list(pool.map(lambda text: self.ask(instruction, text), texts))

    def ask(self, instruction: str, text: str) -> str:
        """The reply to `text` under `instruction`, from the cache where it is there."""
        messages = [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
        request = {"model": self.model, "messages": messages, "temperature": 0}
        cached = self.replies.find(request)
        if cached is not None:
            return cached
        if self.offline:
            raise EndpointError(
                f"no reply of {self.model} to {text[:60]!r} in {self.replies.folder}; run once without --offline to get it"
            )
        completion = ChatClient(self.address, self.seconds, self.pause, self.attempts).complete(request)
        if completion.text is None:
            raise NotACompletion(f"{self.address.chat}: {self.model} gave no reply to {text[:60]!r}; try another model")
        self.replies.keep(request, completion.text)
        return completion.text
