"""Rewrite captions with a language model so that only the order of objects changes, and check the result."""

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from eyechart.data.dataset import Dataset
from eyechart.data.rewritten_file import Rewriting
from eyechart.probes.matching.two_orders import Vocabulary, fault_of, large_of
from eyechart.probes.tasks.captions import captions_of

# Stored replies are keyed by this text, so it changes only together with them.
INSTRUCTION = (
    "You are given a caption and one thing that it names. Write the caption anew twice: once with that thing named before all"
    " other things, and once with it named after all of them. Use the same words, keep what is said of every thing and how things"
    " stand to each other, and change nothing but the order and what grammar then demands. Answer with a JSON object with the"
    ' texts "first" and "last" and with nothing else.'
)
# Function words that another order may add or drop; all other words must stay. Prepositions of place are not among them.
_FUNCTION_WORDS = frozenset(
    ["a", "an", "the", "and", "or", "with", "of", "is", "are", "was", "were", "be", "being", "been", "it", "its", "that", "which",
     "who", "whose", "there", "has", "have", "having", "as", "while", "also", "where", "one"]
)  # fmt: skip


class AnswersPrompts(Protocol):
    """A language model that answers one instruction for many texts."""

    def ask_all(self, instruction: str, texts: Sequence[str]) -> list[str]: ...


@dataclass(frozen=True)
class _Candidate:
    row: int
    id: str
    caption: str
    large: str

    @property
    def question(self) -> str:
        return f"Thing: {self.large}\nCaption: {self.caption}"


def rewrite_captions(
    dataset: Dataset, request: AnswersPrompts, *, pictures: int = 0, seed: int = 0
) -> tuple[list[Rewriting], dict[str, int]]:
    """Rewrite one caption of every picture that names two or more of its objects.

    Args:
        dataset: The dataset.
        request: The language model.
        pictures: The number of pictures, drawn at random; 0 takes all.
        seed: The seed of the sample.

    Returns:
        The rewritten captions, and how many replies were rejected, by reason.
    """
    vocabulary = Vocabulary(dataset)
    candidates = _candidates(dataset, vocabulary)
    chosen = np.sort(np.random.default_rng(seed).permutation(len(candidates))[: pictures or None])
    questions = [candidates[int(i)] for i in chosen]
    distinct = list(dict.fromkeys(candidate.question for candidate in questions))
    replies = dict(zip(distinct, request.ask_all(INSTRUCTION, distinct), strict=True))
    kept, refused = list[Rewriting](), Counter[str]()
    for one in questions:
        both = _both(replies[one.question])
        fault = "the reply has no JSON object with the texts first and last" if both is None else _fault(vocabulary, one, *both)
        if both is None or fault:
            refused[fault or ""] += 1
        else:
            kept.append(Rewriting(one.id, one.caption, one.large, *both))
    return kept, dict(refused)


def _candidates(dataset: Dataset, vocabulary: Vocabulary) -> list[_Candidate]:
    """For each picture, the first caption that names two or more of its objects, one of them the largest."""
    captions, ids = captions_of(dataset), dataset.ids()
    found: dict[int, _Candidate] = {}
    for text, place in zip(captions.texts, captions.rows, strict=True):
        row = int(place)
        if row not in found:
            large = large_of(vocabulary.named(text), vocabulary.areas[row])
            if large is not None:
                found[row] = _Candidate(row, ids[row], " ".join(text.split()), vocabulary.names[large])
    return list(found.values())


def _both(reply: str) -> tuple[str, str] | None:
    """The texts "first" and "last" of a reply that contains such a JSON object."""
    found = re.search(r"\{.*\}", reply, re.DOTALL)
    try:
        content = json.loads(found.group()) if found else None
    except (ValueError, RecursionError):
        return None
    texts = [content.get(key) for key in ("first", "last")] if isinstance(content, dict) else []
    if len(texts) == 2 and all(isinstance(text, str) and text.strip() for text in texts):
        return " ".join(str(texts[0]).split()), " ".join(str(texts[1]).split())
    return None


def _fault(vocabulary: Vocabulary, candidate: _Candidate, first: str, last: str) -> str | None:
    for text in (first, last):
        if _content_words(text) != _content_words(candidate.caption):
            return "the reply uses other words than the caption"
    if first == last:
        return "both orders are the same"
    return fault_of(vocabulary, candidate.row, first, last)


def _content_words(text: str) -> Counter[str]:
    """How often each word occurs, without function words."""
    return Counter(word for word in re.findall(r"[\w'’-]+", text.casefold()) if word not in _FUNCTION_WORDS)
