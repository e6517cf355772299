"""Asking a language model at an OpenAI-compatible endpoint, politely: one question at a time, a time limit, every reply kept."""

import json
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from eyechart.errors import DataError
from eyechart.language_models.address import Address
from eyechart.language_models.replies import Replies

SECONDS = 60.0
MOST_BYTES = 4 << 20
ATTEMPTS = 4
_BUSY = {429, 500, 502, 503, 504}


class EndpointError(DataError):
    """An endpoint that does not answer as it should."""


@dataclass(frozen=True)
class Endpoint:
    """`offline`: nothing is sent; a question that was never answered is an error. `pause`: seconds before a second attempt, twice
    as many before the third."""

    address: Address
    model: str
    replies: Replies
    seconds: float = SECONDS
    offline: bool = False
    pause: float = 1.0

    def ask_all(self, instruction: str, texts: Sequence[str], *, at_once: int = 4) -> list[str]:
        """The reply to every text, in their order."""
        with ThreadPoolExecutor(at_once, thread_name_prefix="eyechart-endpoint") as pool:
            return list(pool.map(lambda text: self.ask(instruction, text), texts))

    def ask(self, instruction: str, text: str) -> str:
        """The reply to `text` under `instruction`, as kept where it was given before."""
        messages = [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
        asked = {"model": self.model, "messages": messages, "temperature": 0}
        kept = self.replies.find(asked)
        if kept is not None:
            return kept
        if self.offline:
            raise EndpointError(
                f"no reply of {self.model} to {text[:60]!r} in {self.replies.folder}; ask it with the network once"
            )
        reply = _content(self._send(json.dumps(asked).encode("utf-8")), self.address.chat)
        self.replies.keep(asked, reply)
        return reply

    def _send(self, body: bytes) -> bytes:
        for attempt in range(ATTEMPTS):
            try:
                return self._once(body)
            except HTTPError as error:
                if error.code not in _BUSY or attempt == ATTEMPTS - 1:
                    raise EndpointError(f"{self.address.chat}: it answers {error.code}; {_remedy(error.code, self)}") from None
            except (URLError, HTTPException, OSError) as error:
                reason = error.reason if isinstance(error, URLError) else error
                if attempt == ATTEMPTS - 1:
                    raise EndpointError(f"{self.address.chat}: no answer ({reason}); check that it runs") from None
            time.sleep(self.pause * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _once(self, body: bytes) -> bytes:
        headers = {"Content-Type": "application/json", "User-Agent": "eyechart", **self.address.headers()}
        request = Request(self.address.chat, data=body, headers=headers)
        until = time.monotonic() + self.seconds
        with build_opener(_NoRedirect()).open(request, timeout=self.seconds) as answer:
            parts, size = [], 0
            while part := answer.read1(1 << 16):
                parts.append(part)
                size += len(part)
                if size > MOST_BYTES:
                    raise EndpointError(f"{self.address.chat}: its answer is larger than {MOST_BYTES / 1e6:.0f} MB")
                if time.monotonic() > until:
                    raise TimeoutError(f"longer than {self.seconds:.0f} s")
        return b"".join(parts)


class _NoRedirect(HTTPRedirectHandler):
    """The key goes to the address that the user wrote, and nowhere else."""

    def redirect_request(self, *asked: Any) -> None:
        return None


def _content(answer: bytes, where: str) -> str:
    try:
        content = json.loads(answer)["choices"][0]["message"]["content"]
    except (ValueError, KeyError, IndexError, TypeError):
        content = None
    if not isinstance(content, str):
        raise EndpointError(
            f"{where}: its answer is not that of a chat completion; is this the base address of an OpenAI-like API?"
        )
    return content


def _remedy(code: int, endpoint: Endpoint) -> str:
    if code in (401, 403):
        return f"put a valid key into the environment variable {endpoint.address.key_variable}"
    if code == 404:
        return f"check the address, and that it knows the model {endpoint.model!r}"
    if 300 <= code < 400:
        return "it sends elsewhere, which is not followed; give the address it leads to"
    return "try again later"
