"""Free answers mapped to classes: by name, by synonym, by a name within the reply, then by a sentence encoder."""

from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np

from eyechart.data.classes import ClassList
from eyechart.models.answering import Reply
from eyechart.probes.contract import TextVectors
from eyechart.probes.tasks.answer_reading import ReadReply, mentioned, plain, read_choice

Route = Literal["name", "synonym", "mention", "encoder", "none"]


class MappedAnswer(NamedTuple):
    """A free answer and the class that it means.

    read: What the reply says; `option` is the class.
    route: How it was mapped; "none" where it was not.
    """

    read: ReadReply
    route: Route


def map_answers(replies: Sequence[Reply], classes: ClassList, encode: TextVectors | None, threshold: float) -> list[MappedAnswer]:
    """The class of every reply. A name that two classes share maps to neither of them."""
    names, synonyms = (
        _unique({c: [k.name, k.label] for c, k in enumerate(classes)}),
        _unique({c: list(k.synonyms) for c, k in enumerate(classes)}),
    )
    every = [list(c.names) for c in classes]
    found: list[MappedAnswer] = []
    for reply in replies:
        said = plain(reply.answer)
        if reply.answer_kind == "text" and said in names:
            found.append(MappedAnswer(ReadReply("named", names[said]), "name"))
        elif reply.answer_kind == "text" and said in synonyms:
            found.append(MappedAnswer(ReadReply("named", synonyms[said]), "synonym"))
        else:
            read = read_choice(reply, every)
            found.append(MappedAnswer(read, "mention" if read.outcome == "named" else "none"))
    if encode is None:
        return found
    return _by_encoder(found, replies, classes, encode, threshold)


def _by_encoder(
    found: list[MappedAnswer], replies: Sequence[Reply], classes: ClassList, encode: TextVectors, threshold: float
) -> list[MappedAnswer]:
    """The answers that name no class, mapped to the nearest name where its cosine reaches the threshold."""
    every = [k.names for k in classes]
    open_rows = [
        row
        for row, answer in enumerate(found)
        if answer.read.outcome == "none" and not mentioned(replies[row].answer, every)  # "not a cat" is near "cat"
    ]
    if not open_rows:
        return found
    names = [(c, name) for c, k in enumerate(classes) for name in k.names]
    cosines = encode([plain(replies[row].answer) for row in open_rows]) @ encode([name for _, name in names]).T
    for row, scores in zip(open_rows, cosines, strict=True):
        best = int(np.argmax(scores))
        if scores[best] >= threshold:
            found[row] = MappedAnswer(ReadReply("named", names[best][0]), "encoder")
    return found


def _unique(names: dict[int, list[str]]) -> dict[str, int]:
    """Text → class, of the texts that belong to one class only."""
    owners: dict[str, set[int]] = {}
    for c, texts in names.items():
        for text in texts:
            owners.setdefault(plain(text), set()).add(c)
    return {text: next(iter(of)) for text, of in owners.items() if len(of) == 1}
