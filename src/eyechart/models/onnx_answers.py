"""A multimodal language model of an `onnx:` folder: it answers questions about pictures without torch.

Meant for small models: every token of a reply is a full pass over the prompt, without kept keys and values.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from PIL import Image

from eyechart.arrays import Doubles, Floats
from eyechart.errors import ModelError
from eyechart.models.answering import LONGEST_REPLY, Reply
from eyechart.models.answering_json import IMAGE, QUESTION, AnsweringSide
from eyechart.models.onnx_session import OnnxSession

_REMEDY = "'answers' in model.json must describe the network"


class OnnxAnswering:
    """Replies are greedy. Log-likelihoods are by teacher forcing, and do not score the end of the reply."""

    def __init__(self, side: AnsweringSide, device: str, threads: int | None) -> None:
        self._side = side
        self._look = OnnxSession(side.image_file, device, threads, outputs=[side.image_output], remedy=_REMEDY)
        self._read = OnnxSession(side.file, device, threads, outputs=[side.output], remedy=_REMEDY)

    def abilities(self) -> dict[str, Callable[..., Any] | float | str]:
        return {
            "at_once": 1,
            "answer_decoding": f"greedy, at most {LONGEST_REPLY} tokens",
            "answer": self.answer,
            "log_likelihoods": self.log_likelihoods,
        }

    def answer(self, picture: Image.Image, question: str) -> Reply:
        features, prompt = self._features(picture), self._prompt(question)
        written: list[int] = []
        room = min(LONGEST_REPLY, self._side.context - self._side.image_tokens - len(prompt))
        while len(written) < room:
            token = int(self._logits(features, [[*prompt, *written]])[0, -1].argmax())
            written.append(token)
            if token == self._side.end_id:
                break
        text = self._tokenizer.decode(written, skip_special_tokens=True).strip()
        ended = bool(written) and written[-1] == self._side.end_id
        return Reply(text, "text" if text else "empty", not ended, len(prompt) + self._side.image_tokens, len(written))

    def log_likelihoods(self, picture: Image.Image, question: str, options: Sequence[str]) -> Doubles:
        """[options, 2]: Σ log p(token | picture, question, earlier tokens), and the number of tokens.

        Args:
            picture: An upright RGB picture.
            question: The question.
            options: Replies to score.
        """
        features, prompt = self._features(picture), self._prompt(question)
        rows = [self._option(option) for option in options]
        first = _log_softmax(self._logits(features, [prompt])[0, -1])
        found = np.array([(first[row[0]], len(row)) for row in rows], np.float64)
        long = [place for place, row in enumerate(rows) if len(row) > 1]
        if long:
            most = max(len(rows[place]) for place in long) - 1
            # Rows are padded at the end, where a causal model does not see it.
            padded = [[*prompt, *rows[place][:-1], *[0] * (most - len(rows[place]) + 1)] for place in long]
            logits = self._logits(features, padded)[:, -most:]
            for place, of in zip(long, logits, strict=True):
                found[place, 0] += sum(float(_log_softmax(of[i])[token]) for i, token in enumerate(rows[place][1:]))
        return found

    def _features(self, picture: Image.Image) -> Floats:
        side = self._side
        return self._look.run({side.image_input: side.preprocessing(picture)[None]}, side.image_output)

    def _logits(self, features: Floats, rows: Sequence[Sequence[int]]) -> Doubles:
        """[n, t, vocabulary]; t are the places after the picture."""
        side = self._side
        tokens = np.asarray(rows, np.int64)
        repeated = np.repeat(features, len(rows), axis=0)
        return np.asarray(self._read.run({side.features: repeated, side.input: tokens}, side.output), np.float64)

    def _prompt(self, question: str) -> list[int]:
        """The tokens before the picture, then those after it. The texts on both sides are tokenized apart."""
        before, after = self._side.prompt.split(IMAGE)
        first = self._tokenizer.encode(before.strip()).ids
        tokens = [*first, *self._tokenizer.encode(after.replace(QUESTION, question).strip(), add_special_tokens=False).ids]
        room = self._side.context - self._side.image_tokens
        if len(tokens) >= room:
            raise ModelError(
                f"{self._side.file}: the question has {len(tokens)} tokens, and the picture leaves {room};"
                " ask with fewer options, or shorten the class names"
            )
        return tokens

    def _option(self, option: str) -> list[int]:
        tokens: list[int] = self._tokenizer.encode(option, add_special_tokens=False).ids
        if not tokens:
            raise ModelError(f"{self._side.tokenizer}: it gives no token for {option!r}; give the class another name")
        return tokens

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        try:
            return Tokenizer.from_file(str(self._side.tokenizer))
        except Exception as error:  # noqa: BLE001 - the package raises bare Exception, and says what is wrong in its text
            raise ModelError(
                f"{self._side.tokenizer}: the tokenizer cannot be read ({error}); it must be a tokenizer.json"
            ) from None


def _log_softmax(logits: Doubles) -> Doubles:
    shifted = logits - logits.max()
    return np.asarray(shifted - np.log(np.exp(shifted).sum()))
