"""Captions made of names: which names, in which order, in which words."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices
from eyechart.probes.tasks.name_lists import NameList

BARE, LONG, ATTRIBUTES = "bare", "long", "attributes"
STYLES = (BARE, LONG, ATTRIBUTES)
SUM, REAL = "sum of names", "real"  # what else captions may be: a control without order, and those of a dataset
ORDERS = ("balanced", "compat")
COLORS = ("red", "yellow", "green", "blue", "purple", "pink", "white", "black")
LONGEST = 5  # names in a long caption
_LINKS = (" and next to it one can see ", ", as well as ", ", together with ", ", and also ")


@dataclass(frozen=True)
class TemplateCaptions:
    """`objects[i, k]`: the number of the name in position k of caption i. `sets[i]`: which captions vary together, such as those
    of the same names, or of one picture."""

    style: str
    objects: Indices
    sets: Indices
    said: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.said)

    @property
    def count(self) -> int:
        return int(self.objects.shape[1])

    def without(self, missing_texts: npt.NDArray[np.bool_]) -> "TemplateCaptions":
        """Without the sets of which a caption is among the `missing_texts`: what is left is as balanced as all."""
        keep = ~np.isin(self.sets, self.sets[missing_texts])
        said = tuple(text for text, kept in zip(self.said, keep, strict=True) if kept)
        return TemplateCaptions(self.style, self.objects[keep], self.sets[keep], said)


def made_captions(names: NameList, count: int, style: str, *, order: str, captions: int, seed: int) -> TemplateCaptions:
    """Some `captions` captions of `count` names each; the same names in the same order whatever the style.

    balanced: every set of names in `count` captions, turned by one place from one to the next, so that each name of a set stands
    in each position once and a strong name favours none; the first order is random. compat: sets in the order of the list, each
    once, as the public code of the paper has them; position then goes with identity.
    """
    rng = np.random.default_rng([seed, count])
    turns = count if order == "balanced" else 1
    first = _sets(len(names), count, max(1, captions // turns), rng)
    if order == "compat":
        first.sort(axis=1)
    colors = _colors(names, first.shape, rng)
    objects = np.concatenate([np.roll(first, -turn, axis=1) for turn in range(turns)])
    words = _words(names, objects, np.concatenate([np.roll(colors, -turn, axis=1) for turn in range(turns)]), style)
    return TemplateCaptions(style, objects, np.tile(np.arange(len(first)), turns), tuple(joined(said, style) for said in words))


def joined(words: Sequence[str], style: str = BARE) -> str:
    """Names in one line. Long captions are of our own wording; the paper's are in its appendix."""
    if style != LONG:
        return " and ".join(words)
    return "The picture shows " + words[0] + "".join(_LINKS[k] + word for k, word in enumerate(words[1:])) + ", all in one room."


def _words(names: NameList, objects: Indices, colors: npt.NDArray[np.str_], style: str) -> list[list[str]]:
    if style != ATTRIBUTES:
        return [[names.names[i] for i in row] for row in objects.tolist()]
    rows = zip(objects.tolist(), colors.tolist(), strict=True)
    return [[f"{color} {names.names[i]}" for i, color in zip(row, of_row, strict=True)] for row, of_row in rows]


def _colors(names: NameList, shape: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[np.str_]:
    """A colour for every name of every set, no two alike; one that is a name of the list itself, like orange, is left out."""
    free = np.array([color for color in COLORS if color not in names.names])
    sets, count = shape
    return free[rng.random((sets, max(len(free), count))).argsort(axis=1)[:, :count] % len(free)]


def _sets(names: int, count: int, wanted: int, rng: np.random.Generator) -> Indices:
    """[sets, count]: different sets of names, each in a random order; all of them where there are no more than wanted.

    Names are dealt like cards, so that each comes up as often as any other."""
    if comb(names, count) <= wanted:
        every = np.array(list(combinations(range(names), count)), np.int64)
        return np.asarray(rng.permuted(every, axis=1))
    found: dict[tuple[int, ...], Indices] = {}
    while len(found) < wanted:
        dealt = rng.permutation(names)[: names // count * count].reshape(-1, count)
        for row in dealt[: wanted - len(found)]:
            found.setdefault(tuple(sorted(row.tolist())), row)
    return np.stack(list(found.values()))
