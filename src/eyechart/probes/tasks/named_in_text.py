"""Names in a running text: whole words only, the longest name first, each where it first occurs."""

import re
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.captions import captions_of
from eyechart.probes.tasks.template_captions import REAL, TemplateCaptions


class NameFinder:
    """`numbers`: which name each wording stands for; several wordings may mean one name. A wording is found as whole words,
    whatever its case: neither "car" in "carrot" nor "dog" in "hot dog", where "hot dog" is a name too."""

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = {_folded(wording): number for wording, number in numbers.items()}
        longest_first = sorted(self._numbers, key=lambda wording: (-len(wording), wording))
        self._any = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)")
        spaced = (r"\s+".join(map(re.escape, wording.split())) for wording in longest_first)
        self._articled = re.compile(rf"(?<!\w)(?:(an?)(\s+))?(?<!\w)({'|'.join(spaced)})(?!\w)", re.IGNORECASE)

    def __call__(self, text: str) -> list[int]:
        """The names in `text`, in the order in which each first occurs."""
        return list(dict.fromkeys(self._numbers[found.group()] for found in self._any.finditer(_folded(text))))

    def renamed(self, text: str, number: int, other: str) -> str:
        """The text with another name wherever this one stands, and with the article that goes with it: "an arrow" → "a cube"."""

        def instead(found: re.Match[str]) -> str:
            article, gap, wording = found.groups()
            if self._numbers.get(_folded(wording)) != number:
                return found.group()
            said = other[:1].upper() + other[1:] if wording[0].isupper() else other
            if article is None:
                return said
            fitting = "an" if said[0].lower() in "aeiou" else "a"
            return (fitting.capitalize() if article[0].isupper() else fitting) + gap + said

        return self._articled.sub(instead, text)


def name_finder(names: Iterable[str]) -> NameFinder:
    return NameFinder({name: number for number, name in enumerate(names)})


def real_captions(dataset: Dataset, names: Sequence[str], count: int, *, most: int, seed: int) -> TemplateCaptions:
    """The dataset's captions that say exactly `count` of the names, at most so many; captions of one picture vary together."""
    captions, find = captions_of(dataset), name_finder(names)
    found = [
        (text, row, named) for text, row in zip(captions.said, captions.rows, strict=True) if len(named := find(text)) == count
    ]
    kept = np.sort(np.random.default_rng([seed, count]).permutation(len(found))[:most])
    rows = [found[i] for i in kept]
    objects = np.array([named for _, _, named in rows], np.int64).reshape(-1, count)
    return TemplateCaptions(REAL, objects, np.array([row for _, row, _ in rows], np.int64), tuple(text for text, _, _ in rows))


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
