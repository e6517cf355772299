"""A language model in a GGUF file of one's own: asked on this machine, without a server and without the network."""

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
_CONTEXT, _LONGEST = 2048, 200  # tokens: of a question with its answer, and of an answer


@dataclass(frozen=True)
class GgufModel:
    """`path`: the file. `offline`: nothing is asked, and neither file nor package is needed; a question that was never answered
    is an error. Answers are kept under the name of the file, not under its content."""

    path: Path
    replies: Replies
    offline: bool = False

    def __post_init__(self) -> None:
        """Whatever is missing is said before anything is encoded."""
        if self.offline:
            return
        if not self.path.is_file():
            raise ModelError(f"{PREFIX}{self.path}: there is no such file; give the path of a GGUF file")
        with self.path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise ModelError(f"{PREFIX}{self.path}: this is no GGUF file; convert the model, or fetch one that was")
        if find_spec(_PACKAGE) is None:
            raise MissingExtra("a GGUF model", "gguf")

    def ask_all(self, instruction: str, texts: Sequence[str]) -> list[str]:
        """The reply to every text, in their order, one after the other."""
        return [self.ask(instruction, text) for text in texts]

    def ask(self, instruction: str, text: str) -> str:
        """The likeliest reply word by word, as kept where it was given before."""
        messages = [{"role": "system", "content": instruction}, {"role": "user", "content": text}]
        asked = {"model": f"{PREFIX}{self.path.name}", "messages": messages, "temperature": 0, "max_tokens": _LONGEST}
        kept = self.replies.find(asked)
        if kept is not None:
            return kept
        if self.offline:
            raise ModelError(f"no reply of {self.path.name} to {text[:60]!r} in {self.replies.folder}; ask it without --offline")
        answer = self._model.create_chat_completion(messages, temperature=0.0, max_tokens=_LONGEST, repeat_penalty=1.1)
        reply = str(answer["choices"][0]["message"]["content"] or "")
        self.replies.keep(asked, reply)
        return reply

    @cached_property
    def _model(self) -> Any:
        """Loaded with the first question that was never answered."""
        try:
            return import_module(_PACKAGE).Llama(str(self.path), n_ctx=_CONTEXT, seed=0, verbose=False)
        except (ValueError, RuntimeError, OSError) as error:
            raise ModelError(f"{PREFIX}{self.path}: llama.cpp cannot load it ({error})") from error
