"""A language model in a local GGUF file: it runs on this machine, without a server or network."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from eyechart.errors import MissingExtra, ModelError
from eyechart.language_models.replies import Replies

PREFIX = "gguf:"
_PACKAGE, _MAGIC = "llama_cpp", b"GGUF"
_CONTEXT, _LONGEST = 2048, 200  # tokens: of a request with its reply, and of a reply


@dataclass(frozen=True)
class GgufModel:
    """A language model in a GGUF file.

    path: The file. Replies are cached under its name, not its content.
    replies: The cache of replies.
    offline: Whether only cached replies are used; neither file nor package is needed then, and a request that is not cached is
        an error.
    """

    path: Path
    replies: Replies
    offline: bool = False

    def __post_init__(self) -> None:
        """Check file and package before any other work begins."""
        if self.offline:
            return
        if not self.path.is_file():
            raise ModelError(f"{PREFIX}{self.path}: there is no such file; give the path of a GGUF file")
        with self.path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ModelError(f"{PREFIX}{self.path}: not a GGUF file; convert the model, or download it in this format")
        if find_spec(_PACKAGE) is None:
            raise MissingExtra("a GGUF model", "gguf")

    def ask_all(self, instruction: str, texts: Sequence[str]) -> list[str]:
        """The reply to every text, in order."""
        return [self.ask(instruction, text) for text in texts]

    def ask(self, instruction: str, text: str) -> str:
        """The reply under greedy decoding, from the cache where it is there."""
        messages = [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
        request = {"model": f"{PREFIX}{self.path.name}", "messages": messages, "temperature": 0, "max_tokens": _LONGEST}
        cached = self.replies.find(request)
        if cached is not None:
            return cached
        if self.offline:
            raise ModelError(
                f"no reply of {self.path.name} to {text[:60]!r} in {self.replies.folder}; run without --offline first"
            )
        answer = self._model.create_chat_completion(messages, temperature=0.0, max_tokens=_LONGEST, repeat_penalty=1.1)
        reply = str(answer["choices"][0]["message"]["content"] or "")
        self.replies.keep(request, reply)
        return reply

    @cached_property
    def _model(self) -> Any:
        """The model, loaded for the first reply that is not cached."""
        try:
            return import_module(_PACKAGE).Llama(str(self.path), n_ctx=_CONTEXT, seed=0, verbose=False)
        except (ValueError, RuntimeError, OSError) as error:
            raise ModelError(f"{PREFIX}{self.path}: llama.cpp cannot load it ({error})") from error
