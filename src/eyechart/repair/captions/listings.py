"""Captions that list several objects, and their variants: permuted objects, and one caption per object.

Text encoders depend on the position of an object in a caption (Abbasi et al., 2025). The mean over permutations removes that
dependence; a caption of its own for each object removes the other objects.
"""

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations

import numpy as np

from eyechart.errors import DataError

MOST = 24  # permutations of a caption: all of up to four objects
_LINKS = re.compile(r",\s+and\s+|\s+and\s+|,\s+|\s+\+\s+")
_OPENING = re.compile(r"^(?:an?|the) (?:photo|picture|image|rendering|drawing|painting) of ", re.IGNORECASE)

_DETERMINERS = {"a", "an", "the", "one", "two", "three", "four", "five", "some", "several"}
_NAME_WORDS = 3  # of the longest names: 'stop sign', 'bottle of wine'


@dataclass(frozen=True)
class Listing:
    """A caption that lists objects.

    objects: The objects in the caption's words.
    between: The text before, between and after them: one piece more than there are objects.
    """

    objects: tuple[str, ...]
    between: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.between) != len(self.objects) + 1 or not self.objects:
            raise ValueError("a listing needs at least one object, and one piece of text more than objects")

    def with_objects(self, objects: Sequence[str]) -> str:
        """The caption with other objects in place of its own."""
        return self.between[0] + "".join(o + after for o, after in zip(objects, self.between[1:], strict=True))

    @property
    def caption(self) -> str:
        return self.with_objects(self.objects)

    @cached_property
    def canonical(self) -> "Listing":
        """The same for every order of the same objects."""
        return Listing(tuple(sorted(self.objects)), self.between)

    def permuted(self, most: int = MOST) -> list[str]:
        """The caption with its objects in all orders.

        Where there are more than `most` orders, a subset in which every object is in every position equally often. The texts do
        not depend on the order of the caption itself.
        """
        objects = self.canonical.objects
        orders = _orders(len(objects), most)
        return list(dict.fromkeys(self.with_objects([objects[i] for i in order]) for order in orders))

    def single_objects(self) -> list[str]:
        """One caption for each object, with the text before the first and after the last."""
        return list(dict.fromkeys(f"{self.between[0]}{name}{self.between[-1]}" for name in self.canonical.objects))


@cache
def _orders(count: int, most: int) -> list[tuple[int, ...]]:
    """All permutations, or the rotations of some seeded cyclic orders."""
    if math.factorial(count) <= most:
        return list(permutations(range(count)))
    rng, cycles = np.random.default_rng(count), dict[tuple[int, ...], None]()
    while len(cycles) < max(1, most // count):  # distinct cycles; there are (count − 1)!, which is more
        cycles[0, *(int(i) for i in 1 + rng.permutation(count - 1))] = None
    return [(*cycle[shift:], *cycle[:shift]) for cycle in cycles for shift in range(count)]


def locate_objects(caption: str, objects: Sequence[str]) -> Listing:
    """Find objects in a caption as whole words, each once, in any order. An object that is named twice is given twice.

    Raises:
        DataError: Where no objects are given, or one is not in the caption.
    """
    if not objects:
        raise DataError(f"caption {caption!r}: no objects were given; list them, such as ['a red cube', 'a star']")
    found: list[tuple[int, int]] = []
    for name in sorted(objects, key=len, reverse=True):  # 'teddy bear' before 'bear'
        pattern = re.compile(rf"(?<!\w){re.escape(name)}(?!\w)", re.IGNORECASE)
        free = (m.span() for m in pattern.finditer(caption) if not any(m.start() < e and s < m.end() for s, e in found))
        span = next(free, None) if name.strip() else None
        if span is None:
            raise DataError(f"caption {caption!r}: {name!r} was not found in it; write objects as the caption does")
        found.append(span)
    found.sort()
    edges = [0, *(edge for span in found for edge in span), len(caption)]
    between = tuple(caption[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    return Listing(tuple(caption[start:end] for start, end in found), between)


def parse_listing(caption: str, names: Set[str] = frozenset()) -> Listing | None:
    """Parse a caption that only lists objects ('a photo of a red cube and a star').

    Its parts are joined by 'and', commas or '+', and each ends in one of the known lower-case names and contains no other.
    Without known names, parts have up to four words and start with an article or a number. None for any other caption: the order
    matters in a sentence in which one object acts on another.
    """
    opening = match.group() if (match := _OPENING.match(caption)) else ""
    body = caption[len(opening) :].rstrip(" .!")
    parts = _LINKS.split(body)
    if len(parts) < 2 or not all(_is_object(part.casefold().split(), names) for part in parts):
        return None
    return Listing(tuple(parts), (opening, *_LINKS.findall(body), caption[len(opening) + len(body) :]))


def _is_object(words: list[str], names: Set[str]) -> bool:
    if not names:
        return 2 <= len(words) <= 4 and words[0] in _DETERMINERS
    own = next((n for n in range(min(len(words), _NAME_WORDS), 0, -1) if " ".join(words[-n:]) in names), 0)
    before = words[: len(words) - own]
    runs = (" ".join(before[i : i + n]) for n in range(1, _NAME_WORDS + 1) for i in range(len(before) - n + 1))
    return own > 0 and not any(run in names for run in runs)
