"""Captions of scenes: names in some order, with or without attributes."""

from collections.abc import Sequence

import numpy as np

from eyechart.errors import UsageError
from eyechart.world.scene import Thing

ORDERS = ("random", "largest", "smallest")
# From bare names to all attributes. In the second manner, the name precedes its attributes.
WORDINGS = ("name", "color", "texture", "full")
MANNERS = ("plain", "catalogue")
SIZE_WORDS = (("small", 0.30), ("medium", 0.46), ("large", 2.0))
OPENINGS = ("", "", "", "a photo of ", "a picture of ", "a rendering of ")


def size_word(thing: Thing) -> str:
    return next(word for word, limit in SIZE_WORDS if thing.size < limit)


def describe(thing: Thing, wording: str, manner: str = "plain", article: bool = False) -> str:
    """One object in words."""
    if wording not in WORDINGS:
        raise UsageError(f"there is no wording called {wording!r}; choose from {', '.join(WORDINGS)}")
    adjectives = {
        "name": [],
        "color": [thing.color],
        "texture": [thing.texture],
        "full": [size_word(thing), thing.texture, thing.color],
    }[wording]
    if manner == "catalogue":
        return ", ".join([thing.name, *reversed(adjectives)])
    words = " ".join([*adjectives, thing.name])
    if not article:
        return words
    return f"{'an' if words[0] in 'aeiou' else 'a'} {words}"


def ordered(things: Sequence[Thing], order: str, rng: np.random.Generator) -> list[Thing]:
    """Objects largest first, smallest first, or in random order."""
    if order not in ORDERS:
        raise UsageError(f"there is no caption order called {order!r}; choose from {', '.join(ORDERS)}")
    shuffled = [things[int(i)] for i in rng.permutation(len(things))]
    if order == "random":
        return shuffled
    return sorted(shuffled, key=lambda thing: thing.size, reverse=order == "largest")


def caption(things: Sequence[Thing], order: str, rng: np.random.Generator, *, wording: str, manner: str = "plain") -> str:
    """All objects of a scene in one caption."""
    articled = manner == "plain" and bool(rng.random() < 0.5)
    opening = OPENINGS[int(rng.integers(len(OPENINGS)))] if articled else ""
    link = " and " if manner == "plain" else " + "
    return opening + link.join(describe(thing, wording, manner, articled) for thing in ordered(things, order, rng))


def captions(things: Sequence[Thing], rng: np.random.Generator) -> list[str]:
    """Several captions: names largest first, with colors largest first, with colors in random order, with all attributes."""
    return [
        " and ".join(describe(t, "name") for t in ordered(things, "largest", rng)),
        " and ".join(describe(t, "color", article=True) for t in ordered(things, "largest", rng)),
        " and ".join(describe(t, "color", article=True) for t in ordered(things, "random", rng)),
        " and ".join(describe(t, "full", article=True) for t in ordered(things, "random", rng)),
    ]
