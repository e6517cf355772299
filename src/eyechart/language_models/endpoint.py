"""A language model behind an OpenAI-compatible endpoint: a time limit, a few retries, and every reply is cached."""

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from eyechart.errors import DataError
from eyechart.files.http import BadStatus, HttpFailure, HttpRequest, TooLarge, fetch_bytes
from eyechart.language_models.address import Address
from eyechart.language_models.replies import Replies

SECONDS = 60.0
MOST_BYTES = 4 << 20
ATTEMPTS = 4
_BUSY = {429, 500, 502, 503, 504}


class EndpointError(DataError):
    """An endpoint that does not answer, or answers with an error."""


@dataclass(frozen=True)
class Endpoint:
    """A language model at an endpoint.

    address: Where the endpoint is, and which variable holds its key.
    model: The model's name at the endpoint.
    replies: The cache of replies.
    seconds: The time limit of one request.
    offline: Whether only cached replies are used; a request that is not cached is an error.
    pause: Seconds before the second attempt; doubled for each further one.
    """

    address: Address
    model: str
    replies: Replies
    seconds: float = SECONDS
    offline: bool = False
    pause: float = 1.0

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
        reply = _content(self._send(json.dumps(request).encode("utf-8")), self.address.chat)
        self.replies.keep(request, reply)
        return reply

    def _send(self, body: bytes) -> bytes:
        where = self.address.chat
        for attempt in range(ATTEMPTS):
            last = attempt == ATTEMPTS - 1
            try:
                return self._once(body)
            except TooLarge as failure:
                raise EndpointError(f"{where}: its answer is {failure}") from None
            except BadStatus as failure:
                if failure.code not in _BUSY or last:
                    raise EndpointError(f"{where}: it answers {failure.code}; {_remedy(failure.code, self)}") from None
            except HttpFailure as failure:
                if last:
                    raise EndpointError(f"{where}: no answer ({failure}); check that the endpoint is running") from None
            time.sleep(self.pause * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", **self.address.headers()}
        # Redirects are refused: captions and key go to the address that the user wrote, and nowhere else.
        return fetch_bytes(
            HttpRequest(
                self.address.chat, MOST_BYTES, self.seconds, body=body, headers=headers, redirects="refuse", loopback=True
            )
        )


def _content(answer: bytes, where: str) -> str:
    try:
        content = json.loads(answer)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError, RecursionError):
        content = None
    if not isinstance(content, str):
        raise EndpointError(
            f"{where}: its answer is not a chat completion; check that this is the base address of an OpenAI-compatible API"
        )
    return content.encode("utf-8", "replace").decode("utf-8")  # half of a surrogate pair is no text, and cannot be kept


def _remedy(code: int, endpoint: Endpoint) -> str:
    if code in (401, 403):
        return f"put a valid key into the environment variable {endpoint.address.key_variable}"
    if code == 404:
        return f"check the address, and that it has the model {endpoint.model!r}"
    if 300 <= code < 400:
        return "redirects are not followed; give the address it redirects to"
    return "try again later"
