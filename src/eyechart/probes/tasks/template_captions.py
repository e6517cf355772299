"""Captions made from object names by a template: which names, in which order and wording."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices
from eyechart.probes.tasks.name_lists import NameList

BARE, LONG, SENTENCE, ATTRIBUTES = "bare", "long", "sentence", "attributes"
STYLES = (BARE, LONG, SENTENCE, ATTRIBUTES)
DEFAULT_STYLES = (BARE, LONG, ATTRIBUTES)
SUM, REAL = "sum of names", "real"  # other kinds of captions: a control without order, and the captions of a dataset
ORDERS = ("balanced", "compat")
COLORS = ("red", "yellow", "green", "blue", "purple", "pink", "white", "black")
LONGEST_COUNT = 5  # names in a caption of the styles "long" and "sentence"
_LINKS = (" and next to it one can see ", ", as well as ", ", together with ", ", and also ")


@dataclass(frozen=True)
class TemplateCaptions:
    """Captions of equally many object names.

    style: The wording.
    objects: The number of the name at each position of each caption [n, count].
    sets: Captions of one number vary together, such as those of the same names or of one picture.
    texts: The captions.
    """

    style: str
    objects: Indices
    sets: Indices
    texts: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def count(self) -> int:
        return int(self.objects.shape[1])

    def without(self, removed: npt.NDArray[np.bool_]) -> "TemplateCaptions":
        """Without every set that has a removed caption, so that the rest stays balanced."""
        keep = ~np.isin(self.sets, self.sets[removed])
        texts = tuple(text for text, kept in zip(self.texts, keep, strict=True) if kept)
        return TemplateCaptions(self.style, self.objects[keep], self.sets[keep], texts)


def template_captions(names: NameList, count: int, style: str, *, order: str, captions: int, seed: int) -> TemplateCaptions:
    """Make captions. The names and their order do not depend on the style.

    Args:
        names: The object names.
        count: The number of names in a caption.
        style: "bare", "long", "sentence" or "attributes".
        order: "balanced": every set of names is used in `count` captions, rotated by one position from one to the next, so that
            each name is at each position once. "compat": every set once, in the order of the list, as in the public code of
            Abbasi et al. (2025); there, position depends on the object.
        captions: About how many captions to make.
        seed: The seed of the random sets and orders.
    """
    rng = np.random.default_rng([seed, count])
    turns = count if order == "balanced" else 1
    first = _sets(len(names), count, max(1, captions // turns), rng)
    if order == "compat":
        first.sort(axis=1)
    colors = _colors(names, first.shape, rng)
    objects = np.concatenate([np.roll(first, -turn, axis=1) for turn in range(turns)])
    words = _words(names, objects, np.concatenate([np.roll(colors, -turn, axis=1) for turn in range(turns)]), style)
    return TemplateCaptions(style, objects, np.tile(np.arange(len(first)), turns), tuple(join_names(of, style) for of in words))


def join_names(words: Sequence[str], style: str = BARE) -> str:
    """One caption. The wording of long captions is our own; that of the paper is in its appendix.

    Example:
        >>> join_names(["dog", "owl", "kite"], "sentence")
        'a picture of a dog with an owl and a kite'
    """
    if style == SENTENCE:  # about half as many tokens as a long one, for models with a small context
        first, *others = (f"{'an' if word[:1] in 'aeiou' else 'a'} {word}" for word in words)
        return f"a picture of {first} with {' and '.join(others)}"
    if style != LONG:
        return " and ".join(words)
    return "The picture shows " + words[0] + "".join(_LINKS[k] + word for k, word in enumerate(words[1:])) + ", all in one room."


def _words(names: NameList, objects: Indices, colors: npt.NDArray[np.str_], style: str) -> list[list[str]]:
    if style != ATTRIBUTES:
        return [[names.names[i] for i in row] for row in objects.tolist()]
    rows = zip(objects.tolist(), colors.tolist(), strict=True)
    return [[f"{color} {names.names[i]}" for i, color in zip(row, of_row, strict=True)] for row, of_row in rows]


def _colors(names: NameList, shape: tuple[int, ...], rng: np.random.Generator) -> npt.NDArray[np.str_]:
    """A color for every name of every set, all different. Colors that are names of the list, such as orange, are left out."""
    free = np.array([color for color in COLORS if color not in names.names])
    sets, count = shape
    return free[rng.random((sets, max(len(free), count))).argsort(axis=1)[:, :count] % len(free)]


def _sets(names: int, count: int, wanted: int, rng: np.random.Generator) -> Indices:
    """[sets, count]: different sets of names in random order; all sets where there are no more than wanted.

    Names are drawn without replacement from random permutations, so that all occur about equally often.
    """
    if comb(names, count) <= wanted:
        every = np.array(list(combinations(range(names), count)), np.int64)
        return np.asarray(rng.permuted(every, axis=1))
    found: dict[tuple[int, ...], Indices] = {}
    while len(found) < wanted:
        drawn = rng.permutation(names)[: names // count * count].reshape(-1, count)
        for row in drawn[: wanted - len(found)]:
            found.setdefault(tuple(sorted(row.tolist())), row)
    return np.stack(list(found.values()))
