"""The one client of chat completions: a time limit, retries with back-off, and no redirects."""

import json
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from eyechart.errors import DataError
from eyechart.files.http import BadStatus, HttpFailure, HttpRequest, TooLarge, fetch_bytes
from eyechart.language_models.address import Address
from eyechart.notice import one_line

SECONDS = 60.0
MOST_BYTES = 4 << 20
ATTEMPTS = 4
OVERLOAD_ATTEMPTS = 7  # with pauses of 1 to 32 s: longer than the minute for which hosted servers count requests
MOST_TOKENS = 10**9  # of one reply, as far as a server is believed
LONGEST_WAIT = 120.0  # seconds; a server that asks for more is not waited for
BUSY = frozenset({408, 429, 500, 502, 503, 504})
OVERLOADED = frozenset({429, 503})  # too many requests, or none at the moment
REJECTED = frozenset({400, 413, 422})  # this one request is wrong or too large; others may be answered
_SHOWN = 200  # characters of a server's message


class EndpointError(DataError):
    """An endpoint that does not answer, or answers with an error."""


class NotACompletion(EndpointError):
    """A successful answer that is not a chat completion: broken or too much JSON, or not exactly one choice."""


class Rejected(EndpointError):
    """The server rejects this request (400, 413, 422).

    said: The status and the server's own message, in one line.
    """

    def __init__(self, message: str, said: str) -> None:
        super().__init__(message)
        self.said = said


@dataclass(frozen=True)
class Completion:
    """What a server answered.

    text: The message; None where it has none, as in a refusal.
    refused: Whether the server marks it as refused or filtered.
    cut: Whether it ended at the limit of tokens.
    prompt_tokens: Tokens of the request, as the server counts them; None where it does not say.
    reply_tokens: Tokens of the reply.
    """

    text: str | None
    refused: bool = False
    cut: bool = False
    prompt_tokens: int | None = None
    reply_tokens: int | None = None


@dataclass(frozen=True)
class ChatClient:
    """Sends chat requests to one address.

    address: Where the endpoint is, and which variable holds its key.
    seconds: The time limit of one request.
    pause: Seconds before the second attempt; doubled for each further one. A server's own `Retry-After` takes its place.
    attempts: How often a request is sent, where the server fails or does not answer.
    overload_attempts: How often it is sent, where the server says that it has too many requests (429, 503).
    """

    address: Address
    seconds: float = SECONDS
    pause: float = 1.0
    attempts: int = ATTEMPTS
    overload_attempts: int = OVERLOAD_ATTEMPTS

    def complete(self, request: Mapping[str, Any]) -> Completion:
        """The completion of a request with the keys `model` and `messages`.

        Raises:
            NotACompletion: If the answer cannot be read as one.
            Rejected: If the server rejects this request.
            EndpointError: If there is no answer.
        """
        body = json.dumps(request).encode("utf-8")
        completion = read_completion(self._send(body, str(request.get("model", ""))), self.address.chat)
        if completion.text is None:
            return completion
        return replace(completion, text=self.address.without_key(completion.text))

    def _send(self, body: bytes, model: str) -> bytes:
        where = self.address.chat
        for attempt in count():
            wait = self.pause * 2**attempt
            try:
                return self._once(body)
            except TooLarge as failure:
                raise NotACompletion(f"{where}: its answer is {failure}") from None
            except BadStatus as failure:
                asked = failure.retry_after
                if failure.code in REJECTED:
                    said = f"{failure.code}{self._message(failure.body)}"
                    raise Rejected(f"{where}: it answers {said}; {self._remedy(failure, model)}", said) from None
                last = attempt + 1 >= (self.overload_attempts if failure.code in OVERLOADED else self.attempts)
                if failure.code not in BUSY or last or (asked is not None and asked > LONGEST_WAIT):
                    raise EndpointError(f"{where}: it answers {failure.code}; {self._remedy(failure, model)}") from None
                wait = asked or wait  # "Retry-After: 0" is no reason to hurry
            except HttpFailure as failure:
                if attempt + 1 >= self.attempts:
                    raise EndpointError(f"{where}: no answer ({failure}); check that the endpoint is running") from None
            time.sleep(wait)
        raise AssertionError("an attempt returns or raises")

    def _once(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", **self.address.headers()}
        # Redirects are refused: pictures, texts and key go to the address that the user wrote, and nowhere else.
        return fetch_bytes(
            HttpRequest(
                self.address.chat, MOST_BYTES, self.seconds, body=body, headers=headers, redirects="refuse", loopback=True
            )
        )

    def _message(self, body: bytes) -> str:
        """' (what the server says)', in one short line and without the key; empty where it says nothing."""
        text = self.address.without_key(error_message(body))
        line = " ".join(one_line(text).split())
        return f" ({line if len(line) <= _SHOWN else line[: _SHOWN - 1] + '…'})" if line else ""

    def _remedy(self, failure: BadStatus, model: str) -> str:
        code = failure.code
        if code in (401, 403):
            return f"put a valid key into the environment variable {self.address.key_variable}"
        if code == 404:
            return f"check the address, and that it has the model {model!r}"
        if code == 413:
            return "the request is too large for it; send less, such as smaller pictures (side=224)"
        if code in REJECTED:
            return f"check that the model {model!r} takes such requests, pictures among them, and the options of the request"
        if 300 <= code < 400:
            return "redirects are not followed; give the address it redirects to"
        if failure.retry_after is not None and failure.retry_after > LONGEST_WAIT:
            return f"it asks to wait {failure.retry_after:.0f} s; run again then, what was answered is kept"
        if code == 429:
            return "run again later, or with fewer requests in parallel; what was answered is kept"
        return "try again later"


def error_message(body: bytes) -> str:
    """What the body of an error says: the message of its JSON, else its text."""
    text = body.decode("utf-8", "replace")
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return text
    for key in ("error", "message"):
        if isinstance(content, dict) and key in content:
            content = content[key]
    return content if isinstance(content, str) else text


def read_completion(answer: bytes, where: str) -> Completion:
    """The completion in the body of an answer; NotACompletion where it is none."""
    try:
        content = json.loads(answer)
        (choice,) = content["choices"]
        message = choice["message"]
        text, finish = _text(message.get("content")), choice.get("finish_reason")
        refused = bool(message.get("refusal")) or finish == "content_filter"
        usage = content.get("usage") or {}
        prompt, reply = (_whole(usage.get(key)) for key in ("prompt_tokens", "completion_tokens"))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise NotACompletion(
            f"{where}: its answer is not a chat completion; check that this is the base address of an OpenAI-compatible API"
        ) from None
    return Completion(text, refused, finish == "length", prompt, reply)


def _text(content: Any) -> str | None:
    """The text of a message: a string, a list of parts, or nothing. TypeError for anything else."""
    if content is None:
        return None
    text = content if isinstance(content, str) else "".join(part["text"] for part in content if part["type"] == "text")
    return text.encode("utf-8", "replace").decode("utf-8")  # half of a surrogate pair is no text, and cannot be kept


def _whole(number: Any) -> int | None:
    """A count of tokens; None for anything that is none."""
    return number if type(number) is int and 0 <= number <= MOST_TOKENS else None
