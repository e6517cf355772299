"""Captions as rows of token ids, padded to the longest of a batch."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from eyechart.world.training.vocabulary import PAD


def tokenizer(path: Path) -> Callable[[list[str]], Any]:
    import torch
    from tokenizers import Tokenizer

    reader = Tokenizer.from_file(str(path))

    def tokenize(texts: list[str]) -> Any:
        rows = [encoding.ids for encoding in reader.encode_batch(texts)]
        longest = max(map(len, rows))
        return torch.tensor([row + [PAD] * (longest - len(row)) for row in rows])

    return tokenize
