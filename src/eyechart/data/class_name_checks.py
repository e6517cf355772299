"""Checks of class names that need no model: duplicates, misspellings, words that are not split."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from eyechart.data.class_file import class_list_names, read_classes

Kind = Literal["duplicate", "almost duplicate", "not split", "spelling", "no letters", "identifier", "no word"]

_WORD = re.compile(r"[^\W\d_]+")
_UNSPLIT = re.compile(r"(?<=[a-z]{2})(?=[A-Z][a-z])")  # AnnualCrop, but not iPod


@dataclass(frozen=True)
class NameIssue:
    """Something that is wrong with a class name.

    kind: What is wrong.
    names: The name, or both names of a pair.
    suggestion: A better name; empty where there is none.
    """

    kind: Kind
    names: tuple[str, ...]
    suggestion: str = ""

    def __str__(self) -> str:
        quoted = " and ".join(f"“{name}”" for name in self.names)
        said = {
            "duplicate": f"{quoted} are the same name",
            "almost duplicate": f"{quoted} are almost the same name",
            "not split": f"{quoted} is not split into words",
            "spelling": f"{quoted} may be misspelled",
            "no letters": f"{quoted} has no letters, so a text encoder cannot know it",
            "identifier": f"{quoted} looks like an identifier, not a name",
            "no word": f"{quoted} does not look like a word, so the model may not know it",
        }[self.kind]
        return f"{said}; write “{self.suggestion}”" if self.suggestion else said


def check_names(names: Sequence[str]) -> list[NameIssue]:
    """Everything that looks wrong about these class names.

    Args:
        names: The class names, as they are put into prompts.

    Returns:
        The issues, those of pairs first.

    Example:
        >>> [str(issue) for issue in check_names(["AnnualCrop", "forest", "Forests"])]
        ['“forest” and “Forests” are almost the same name', '“AnnualCrop” is not split into words; write “annual crop”']
    """
    return [*_pairs(names), *(issue for name in dict.fromkeys(names) if (issue := check_name(name, names)) is not None)]


def _pairs(names: Sequence[str]) -> list[NameIssue]:
    issues, exact, loose = [], dict[str, str](), dict[str, str]()
    for name in names:
        same, near = name.strip().casefold(), _key(name)
        if same in exact:
            issues.append(NameIssue("duplicate", (exact[same], name)))
        elif near and near in loose:
            issues.append(NameIssue("almost duplicate", (loose[near], name)))
        exact.setdefault(same, name)
        loose.setdefault(near, name)
    return issues


def _key(name: str) -> str:
    """The words and numbers of a name without case, punctuation and plural."""
    return " ".join([*(_singular(word) for word in split_words(name)), *re.findall(r"\d+", name)])


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def split_words(name: str) -> list[str]:
    """The words of a name in lower case, also of one written as AnnualCrop or annual_crop.

    >>> split_words("AnnualCrop"), split_words("T-shirt"), split_words("SUV_car")
    (['annual', 'crop'], ['t', 'shirt'], ['suv', 'car'])
    """
    spaced = _UNSPLIT.sub(" ", name)
    return [word.lower() for word in _WORD.findall(spaced)]


def check_name(name: str, names: Sequence[str]) -> NameIssue | None:
    """What looks wrong about one class name; None where nothing does.

    Args:
        name: The name.
        names: All class names. Words of longer names among them count as known.
    """
    words = split_words(name)
    if not words:
        return NameIssue("no letters", (name,))
    if re.fullmatch(r"n\d{8}|(class|label|category)[ _-]?\d+", name.strip(), re.IGNORECASE):
        return NameIssue("identifier", (name,))
    if "_" in name or _UNSPLIT.search(name):
        return NameIssue("not split", (name,), " ".join(words))
    vocabulary = known_words() | {
        word for other in names if other != name for word in split_words(other) if len(other.split()) > 1
    }
    for word in words:
        if word in vocabulary or _singular(word) in vocabulary or len(word) < 5:
            continue
        if parts := _two_words(word, vocabulary):
            return NameIssue("not split", (name,), name.lower().replace(word, " ".join(parts)))
        if close := get_close_matches(word, _near(word, vocabulary), 1, 0.8):
            return NameIssue("spelling", (name,), name.lower().replace(word, close[0]))
    unknown = (word for word in words if word not in vocabulary and word.isascii())
    return NameIssue("no word", (name,)) if any(map(_is_no_word, unknown)) else None


def _is_no_word(word: str) -> bool:
    """Whether a word has letters side by side that no known word has, in two places; or four letters or more without a vowel."""
    if len(word) >= 4 and not set(word) & set("aeiouy"):
        return True
    return sum(pair not in _letter_pairs() for pair in _pairs_of(word)) >= 2


def _pairs_of(word: str) -> list[str]:
    """Every two letters side by side; the start and the end of the word count as letters."""
    ends = f" {word} "
    return [ends[place : place + 2] for place in range(len(ends) - 1)]


@lru_cache(maxsize=1)
def _letter_pairs() -> frozenset[str]:
    return frozenset(pair for word in known_words() for pair in _pairs_of(word))


def _two_words(word: str, vocabulary: Iterable[str]) -> tuple[str, str] | None:
    """Two known words of three letters or more that make up the word."""
    known = vocabulary if isinstance(vocabulary, set | frozenset) else set(vocabulary)
    cuts = [(word[:cut], word[cut:]) for cut in range(3, len(word) - 2)]
    return next(((a, b) for a, b in cuts if a in known and (b in known or _singular(b) in known)), None)


def _near(word: str, vocabulary: Iterable[str]) -> list[str]:
    """Words of five letters or more that are one insertion, deletion, substitution or transposition away."""
    return sorted(known for known in vocabulary if len(known) >= 5 and _one_edit(word, known))


def _one_edit(a: str, b: str) -> bool:
    if abs(len(a) - len(b)) > 1 or a == b:
        return False
    start = next((i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b)))
    x, y = a[start:], b[start:]
    return x[1:] == y[1:] or x[1:] == y or x == y[1:] or (x[:2] == y[1::-1] and len(y) > 1 and x[2:] == y[2:])


@lru_cache(maxsize=1)
def known_words() -> frozenset[str]:
    """Words of the packaged class lists and label sets, and of a short list of common words."""
    lists = (c.names for name in class_list_names() for c in read_classes(name))
    words = {word for names in lists for name in names for word in split_words(name)}
    folder = files("eyechart.data")
    for name in ("label_sets/appearance.txt", "label_sets/occupations-300.txt", "common_words.txt"):
        words.update(split_words(folder.joinpath(name).read_text(encoding="utf-8")))
    return frozenset(words)
