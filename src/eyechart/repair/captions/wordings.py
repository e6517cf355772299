"""A caption that names several things, said in other ways: the things in other orders, and each of them by itself.

Text towers hear the place at which a thing is named (Abbasi et al., 2025). What is the same in every order is heard in the mean
over orders; what a thing is by itself, in a caption of its own."""

import math
import re
from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import permutations

import numpy as np

from eyechart.errors import DataError

MOST = 24  # orders of a caption: all of up to four things
_LINKS = re.compile(r",\s+and\s+|\s+and\s+|,\s+|\s+\+\s+")
_OPENING = re.compile(r"^(?:an?|the) (?:photo|picture|image|rendering|drawing|painting) of ", re.IGNORECASE)

_BEGINNINGS = {"a", "an", "the", "one", "two", "three", "four", "five", "some", "several"}
_NAME_WORDS = 3  # of the longest names: 'stop sign', 'bottle of wine'


@dataclass(frozen=True)
class Listing:
    """`things` as they are called, and the text before, between and behind them: one piece more than there are things."""

    things: tuple[str, ...]
    between: tuple[str, ...]

    def __post_init__(self) -> None:
        if len(self.between) != len(self.things) + 1 or not self.things:
            raise ValueError("a listing has one thing at least, and one piece of text more than things")

    def said(self, things: Sequence[str]) -> str:
        """The caption with these things in the places of its own."""
        return self.between[0] + "".join(t + after for t, after in zip(things, self.between[1:], strict=True))

    @property
    def caption(self) -> str:
        return self.said(self.things)

    @cached_property
    def meaning(self) -> "Listing":
        """The same for every order of the same things."""
        return Listing(tuple(sorted(self.things)), self.between)

    def in_orders(self, most: int = MOST) -> list[str]:
        """In all orders, or where there are more than `most`, in so many that each thing stands in each place equally often.
        Whichever order the caption has, these are the same texts."""
        things = self.meaning.things
        places = _orders(len(things), most)
        return list(dict.fromkeys(self.said([things[i] for i in order]) for order in places))

    def alone(self) -> list[str]:
        """Each thing in a caption of its own, with what stands before the first and behind the last."""
        return list(dict.fromkeys(f"{self.between[0]}{thing}{self.between[-1]}" for thing in self.meaning.things))


@cache
def _orders(count: int, most: int) -> list[tuple[int, ...]]:
    if math.factorial(count) <= most:
        return list(permutations(range(count)))
    rng, rings = np.random.default_rng(count), dict[tuple[int, ...], None]()
    while len(rings) < max(1, most // count):  # rings that are no turns of each other: there are (count − 1)!, which is more
        rings[0, *(int(i) for i in 1 + rng.permutation(count - 1))] = None
    return [(*ring[turn:], *ring[:turn]) for ring in rings for turn in range(count)]


def listing(caption: str, things: Sequence[str]) -> Listing:
    """Where the things stand in a caption: whole words, each once, in whatever order they are given. A thing that is named twice
    is given twice."""
    if not things:
        raise DataError(f"caption {caption!r}: no things were given; name what it lists, such as ['a red cube', 'a star']")
    found: list[tuple[int, int]] = []
    for thing in sorted(things, key=len, reverse=True):  # 'teddy bear' before 'bear'
        pattern = re.compile(rf"(?<!\w){re.escape(thing)}(?!\w)", re.IGNORECASE)
        free = (m.span() for m in pattern.finditer(caption) if not any(m.start() < e and s < m.end() for s, e in found))
        place = next(free, None) if thing.strip() else None
        if place is None:
            raise DataError(f"caption {caption!r}: {thing!r} does not stand in it (any more); give things in the caption's words")
        found.append(place)
    found.sort()
    edges = [0, *(edge for span in found for edge in span), len(caption)]
    between = tuple(caption[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True))
    return Listing(tuple(caption[start:end] for start, end in found), between)


def listed(caption: str, names: Set[str] = frozenset()) -> Listing | None:
    """The things of a caption that does nothing but list them ('a photo of a red cube and a star'): parts that are linked by
    'and', commas or '+', each of which ends in one of the known names (in small letters) and has no other. Where no names are
    known, parts of up to four words that begin with an article or a number.

    None for any other caption: a sentence in which one thing does something to another means something else in another order.
    """
    opening = match.group() if (match := _OPENING.match(caption)) else ""
    body = caption[len(opening) :].rstrip(" .!")
    parts = _LINKS.split(body)
    if len(parts) < 2 or not all(_is_thing(part.casefold().split(), names) for part in parts):
        return None
    return Listing(tuple(parts), (opening, *_LINKS.findall(body), caption[len(opening) + len(body) :]))


def _is_thing(words: list[str], names: Set[str]) -> bool:
    if not names:
        return 2 <= len(words) <= 4 and words[0] in _BEGINNINGS
    own = next((n for n in range(min(len(words), _NAME_WORDS), 0, -1) if " ".join(words[-n:]) in names), 0)
    before = words[: len(words) - own]
    runs = (" ".join(before[i : i + n]) for n in range(1, _NAME_WORDS + 1) for i in range(len(before) - n + 1))
    return own > 0 and not any(run in names for run in runs)
