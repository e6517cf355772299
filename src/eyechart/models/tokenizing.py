"""Tokenizing with a tokenizer.json: begin and end tokens from its post-processor, truncation and padding as CLIP or SigLIP."""

import html
import string
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, Literal

import numpy as np

from eyechart.errors import ModelError
from eyechart.models.encoder import TokenizedTexts

Pad = Literal["none", "max"]
Clean = Literal["none", "lower", "canonicalize"]

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


class TextTokenizer:
    """A tokenizer. `pad` 'none' leaves rows unpadded (causal text encoders read out at the end token); 'max' pads them to the
    context with `pad_id`. A text that is too long keeps its end token last, as in CLIP. Thread-safe once loaded."""

    def __init__(
        self, file: Path, context: int, pad: Pad = "none", pad_id: int = 0, end_id: int | None = None, clean: Clean = "none"
    ) -> None:
        self.file, self.context, self.pad, self.pad_id, self.clean = file, context, pad, pad_id, clean
        self._given_end = end_id

    def __call__(self, texts: Sequence[str]) -> TokenizedTexts:
        encoded = self._tokenizer.encode_batch([clean_text(text, self.clean) for text in texts])
        rows, truncated = [], np.zeros(len(texts), dtype=np.bool_)
        for place, one in enumerate(encoded):
            ids = np.array(one.ids, dtype=np.int64)
            if len(ids) > self.context:
                truncated[place] = True
                ids = ids[: self.context].copy()
                if self.end_id is not None:
                    ids[-1] = self.end_id
            if self.pad == "max":
                row = np.full(self.context, self.pad_id, dtype=np.int64)
                row[: len(ids)] = ids
                ids = row
            rows.append(ids)
        return TokenizedTexts(rows, truncated)

    @cached_property
    def end_id(self) -> int | None:
        """The id of the end token: given, or the last one of an empty text."""
        if self._given_end is not None:
            return self._given_end
        empty: list[int] = self._tokenizer.encode("").ids
        return empty[-1] if empty else None

    @cached_property
    def _tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self.file))
        except Exception as error:  # noqa: BLE001 - the package raises bare Exception, and says what is wrong in its text
            raise ModelError(f"{self.file}: the tokenizer cannot be read ({error}); it must be a tokenizer.json") from None
        # The file may have its own truncation and padding; both are done here, so that truncation is reported.
        tokenizer.no_truncation()
        tokenizer.no_padding()
        return tokenizer


def clean_text(text: str, how: Clean) -> str:
    """'lower': HTML entities resolved, white space collapsed, lower case. 'canonicalize': also without punctuation, as in
    SigLIP's training."""
    if how == "none":
        return text
    text = html.unescape(html.unescape(text))
    if how == "canonicalize":
        text = text.replace("_", " ").translate(_NO_PUNCTUATION)
    return " ".join(text.split()).lower()
