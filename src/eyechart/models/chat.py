"""Multimodal models behind an OpenAI-compatible server: `chat:URL#MODEL`, with options after commas.

    chat:http://127.0.0.1:8000/v1#llava-1.5-7b,side=336,at_once=8

The key comes from the environment variable EYECHART_ENDPOINT_KEY alone. Redirects are refused.
"""

from __future__ import annotations

import base64
import io
import threading
from dataclasses import dataclass, fields, replace

from PIL import Image

from eyechart.errors import UsageError
from eyechart.files.hashing import HashMemory
from eyechart.language_models.address import Address
from eyechart.language_models.chat_client import SECONDS, ChatClient, Completion, NotACompletion, Rejected
from eyechart.models.answering import LONGEST_REPLY, Reply
from eyechart.models.card import ModelCard
from eyechart.models.spec_options import parse_options
from eyechart.models.weights import fingerprint

ASKING_VERSION = 1  # increases whenever the same question would be sent differently
EXAMPLE = "chat:http://127.0.0.1:8000/v1#llava-1.5-7b"
_ALL_UNREADABLE = 5  # replies that cannot be read or questions that are rejected, and none that is answered: this cannot work
LONGEST_SECONDS = 3600.0
LIMITS = ("max_tokens", "max_completion_tokens")
_OF_REPLIES = ("side", "quality", "tokens", "limit", "temperature")  # options that replies depend on


@dataclass(frozen=True)
class ChatOptions:
    """Options of a chat model.

    side: Pixels of the longer side at which pictures are sent; smaller ones are sent as they are.
    quality: JPEG quality; 0 sends PNG.
    tokens: The longest reply in tokens.
    limit: The field of a request that holds it; some hosted models take `max_completion_tokens` alone.
    temperature: The temperature of sampling. Some hosted models take 1 alone; their replies differ from run to run.
    at_once: Requests in parallel.
    seconds: The time limit of one request.
    price_in: The price of a million tokens of questions and pictures.
    price_out: The price of a million tokens of replies.
    """

    side: int = 448
    quality: int = 90
    tokens: int = LONGEST_REPLY
    limit: str = LIMITS[0]
    temperature: float = 0.0
    at_once: int = 4
    seconds: float = SECONDS
    price_in: float = 0.0
    price_out: float = 0.0

    @classmethod
    def parse(cls, texts: list[str], spec: str) -> ChatOptions:
        """From texts such as `side=336`; UsageError names the first that makes no sense."""
        kinds = {"int": int, "float": float, "str": str}
        options = cls(**parse_options(texts, {f.name: kinds[str(f.type)] for f in fields(cls)}, spec))
        least = {"side": 16, "tokens": 1, "at_once": 1}
        for name, low in least.items():
            if getattr(options, name) < low:
                raise UsageError(f"{spec}: {name} must be at least {low}")
        prices = (options.price_in, options.price_out)
        if not 0 <= options.quality <= 95 or not all(0 <= p < float("inf") for p in prices):
            raise UsageError(f"{spec}: quality is 0 to 95, prices are 0 or more")
        if not 0 < options.seconds <= LONGEST_SECONDS:
            raise UsageError(f"{spec}: seconds are above 0 and at most {LONGEST_SECONDS:,.0f}")
        if options.limit not in LIMITS:
            raise UsageError(f"{spec}: limit is {' or '.join(LIMITS)}")
        if not 0 <= options.temperature <= 2:
            raise UsageError(f"{spec}: temperature is 0 to 2")
        return options

    def of_replies(self) -> str:
        """The options that replies depend on, where they are not the default ones: `,side=336,tokens=1024`."""
        default = ChatOptions()
        given = {name: getattr(self, name) for name in _OF_REPLIES if getattr(self, name) != getattr(default, name)}
        return "".join(f",{name}={value}" for name, value in given.items())

    def price(self, prompt_tokens: int | None, reply_tokens: int | None) -> float | None:
        """What a reply costs; None without prices, or where the server does not count tokens."""
        if not (self.price_in or self.price_out) or prompt_tokens is None or reply_tokens is None:
            return None
        return (prompt_tokens * self.price_in + reply_tokens * self.price_out) / 1e6


class ChatModel:
    """A model at a server. It answers questions; a chat server gives no log-likelihoods of given texts."""

    def __init__(self, base: str, name: str, options: ChatOptions, pause: float = 1.0) -> None:
        address = Address(base)
        self.spec = f"chat:{base}#{name}"
        self.opened_as = self.spec + options.of_replies()
        self.name, self.options = name, options
        self.client = ChatClient(address, options.seconds, pause)
        self.card = ModelCard(name=name, backend="chat", architecture=name)
        self.fingerprint = fingerprint(
            {
                "asking": f"chat/{ASKING_VERSION}",
                "address": base.rstrip("/"),
                "model": name,
                "pictures": {"side": options.side, "quality": options.quality},
            }
        )
        self._lock = threading.Lock()
        self._read, self._unreadable = 0, 0

    @property
    def at_once(self) -> int:
        return self.options.at_once

    @property
    def answer_decoding(self) -> str:
        return f"temperature {self.options.temperature:g}, at most {self.options.tokens} tokens"

    def answer(self, picture: Image.Image, question: str) -> Reply:
        """The reply of the server.

        Raises:
            EndpointError: If the server does not answer, or the first questions all get no chat completion or are rejected.
        """
        content = [
            {"type": "image_url", "image_url": {"url": data_uri(picture, self.options.side, self.options.quality)}},
            {"type": "text", "text": question},
        ]
        request = {
            "model": self.name,
            "messages": [{"role": "user", "content": content}],
            "temperature": self.options.temperature,
            self.options.limit: self.options.tokens,
        }
        try:
            completion = self.client.complete(request)
        except (NotACompletion, Rejected) as failure:
            with self._lock:
                self._unreadable += 1
                if not self._read and self._unreadable >= _ALL_UNREADABLE:
                    raise
            return Reply("", "unreadable", rejected=failure.said if isinstance(failure, Rejected) else "")
        with self._lock:
            self._read += 1
        return self._reply(completion)

    def _reply(self, completion: Completion) -> Reply:
        text = (completion.text or "").strip()
        kind = "refused" if completion.refused else "text" if text else "empty"
        prompt, reply = completion.prompt_tokens, completion.reply_tokens
        return Reply(text, kind, completion.cut, prompt, reply, self.options.price(prompt, reply))  # type: ignore[arg-type]

    def with_cost(self, reply: Reply) -> Reply:
        """A kept reply with what it costs at the prices of this run."""
        return replace(reply, cost=self.options.price(reply.prompt_tokens, reply.reply_tokens))


def data_uri(picture: Image.Image, side: int, quality: int) -> str:
    """A picture as a data URI, with its longer side at most `side` pixels."""
    if max(picture.size) > side:
        scale = side / max(picture.size)
        size = tuple(max(1, round(length * scale)) for length in picture.size)
        picture = picture.resize((size[0], size[1]), Image.Resampling.BICUBIC, reducing_gap=3.0)
    out = io.BytesIO()
    if quality:
        picture.save(out, "JPEG", quality=quality)
    else:
        picture.save(out, "PNG")
    kind = "jpeg" if quality else "png"
    return f"data:image/{kind};base64,{base64.b64encode(out.getvalue()).decode('ascii')}"


def open(name: str, hashes: HashMemory, device: str, precision: str, threads: int | None) -> ChatModel:
    base, sharp, rest = name.partition("#")
    model, *texts = rest.split(",")
    if not sharp or not model:
        raise UsageError(f"chat:{base}: name the model after '#', for example {EXAMPLE}")
    return ChatModel(base, model, ChatOptions.parse(texts, f"chat:{base}#{model}"))
