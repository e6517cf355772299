"""Encoding of texts in this process: sorted, so that texts with a common prefix are together, in fixed chunks."""

from collections.abc import Iterable

from eyechart.encode.engine import TextReport
from eyechart.encode.keys import text_key
from eyechart.encode.shelf import TRUNCATED, Key, Shelf
from eyechart.encode.validate import as_vectors, faults
from eyechart.errors import ModelError
from eyechart.models.encoder import EncodesTexts
from eyechart.progress import Progress, Task

_CHUNK = 2048


def encode_texts(encoder: EncodesTexts, texts: Iterable[str], shelf: Shelf, *, progress: Progress) -> TextReport:
    wanted = sorted(set(texts))
    keys = [text_key(text) for text in wanted]
    encoded = 0
    if bool(shelf.missing(keys).any()):
        # One claim for all texts: dividing them by key would separate texts with a common prefix, which makes encoding fast.
        # A second process waits, then finds the vectors.
        with shelf.claim(0, wait=True):
            missing = shelf.missing(keys)
            with progress.task(f"{encoder.spec.rstrip(':')}: encoding", int(missing.sum()), "texts") as task:
                for start in range(0, len(wanted), _CHUNK):
                    todo = [row for row in range(start, min(start + _CHUNK, len(wanted))) if missing[row]]
                    if todo:
                        _encode(encoder, [wanted[row] for row in todo], [keys[row] for row in todo], shelf, task)
                        encoded += len(todo)
    truncated = shelf.notes(TRUNCATED, keys)
    return TextReport(len(wanted), encoded, tuple(text for text, key in zip(wanted, keys, strict=True) if key in truncated))


def _encode(encoder: EncodesTexts, texts: list[str], keys: list[Key], shelf: Shelf, task: Task) -> None:
    tokens = encoder.tokenize(texts)
    vectors = as_vectors(encoder.encode_texts(tokens.ids), len(texts), encoder.spec)
    for row, reason in faults(vectors).items():
        raise ModelError(f"{encoder.spec}: text {texts[row]!r}: {reason}; check the model's files and precision")
    # Notes first, so that a stored vector always has its note.
    shelf.put_notes(TRUNCATED, {key: "cut" for key, truncated in zip(keys, tokens.truncated, strict=True) if truncated})
    shelf.put(keys, vectors)
    task.advance(len(texts))
