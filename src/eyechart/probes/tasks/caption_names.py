"""Object names in captions: read by a list of names, or by a language model."""

import json
import re
from collections.abc import Callable, Sequence

from eyechart.data.dataset import Dataset
from eyechart.probes.contract import AsksLanguageModel
from eyechart.probes.tasks.name_finder import NameFinder

INSTRUCTION = (
    "List the visible physical objects that the caption names, in the order in which they are first named. "
    "Answer with a JSON array of singular English nouns in lower case and with nothing else."
)

Reader = Callable[[Sequence[str]], list[list[str] | None]]  # names in each caption, in their order; None where unreadable


def wordings(dataset: Dataset, objects: Sequence[str]) -> dict[str, str]:
    """The object name that each wording stands for, including the synonyms of the dataset's classes."""
    known = {wording: c.name for c in dataset.classes or () for wording in c.names}
    return known | {name: name for name in objects}


def by_list(known: dict[str, str]) -> Reader:
    """A reader that finds the names of a list."""
    names = list(dict.fromkeys(known.values()))
    find = NameFinder({wording: names.index(name) for wording, name in known.items()})
    return lambda captions: [[names[number] for number in find(caption)] for caption in captions]


def by_language_model(known: dict[str, str], ask: AsksLanguageModel) -> Reader:
    """A reader that asks a language model for the objects of a caption, and keeps those that are known names."""
    meant = {wording.casefold(): name for wording, name in known.items()}

    def read(captions: Sequence[str]) -> list[list[str] | None]:
        answers = map(listed, ask(INSTRUCTION, captions))
        return [None if a is None else list(dict.fromkeys(meant[word] for word in a if word in meant)) for a in answers]

    return read


def listed(reply: str) -> list[str] | None:
    """The words of the first JSON array of strings in a reply; None where there is none."""
    found = re.search(r"\[.*?\]", reply, re.DOTALL)
    if found is None:
        return None
    try:
        words = json.loads(found.group())
    except ValueError:
        return None
    return [word.strip().casefold() for word in words] if all(isinstance(word, str) for word in words) else None
