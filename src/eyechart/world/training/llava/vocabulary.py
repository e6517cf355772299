"""The tokenizer of a small LLaVA: every word of the questions and of the world is one token, other text is written in bytes."""

from pathlib import Path

from eyechart.world.training.llava import wordings
from eyechart.world.training.vocabulary import SPECIAL, words, write_tokenizer

IMAGE = "<image>"
IMAGE_ID = len(SPECIAL)
CONTEXT = 512


def write_llava_tokenizer(path: Path) -> int:
    """Write the tokenizer; returns the number of tokens. A prompt has a start and no end: the reply follows it."""
    return write_tokenizer(path, (*words(), *wordings.words()), (*SPECIAL, IMAGE), ends=False)
