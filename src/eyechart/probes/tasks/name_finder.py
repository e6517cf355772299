"""Find object names in text: whole words only, the longest name first, each at its first occurrence."""

import re
from collections.abc import Iterable, Mapping


class NameFinder:
    """Finds names in texts, regardless of case.

    Only whole words match: "car" is not found in "carrot", and "dog" not in "hot dog" where "hot dog" is a name too.

    Args:
        numbers: The number of the name that each wording stands for. Several wordings may stand for one name.
    """

    def __init__(self, numbers: Mapping[str, int]) -> None:
        self._numbers = {_folded(wording): number for wording, number in numbers.items()}
        longest_first = sorted(self._numbers, key=lambda wording: (-len(wording), wording))
        self._any = re.compile(r"(?<!\w)(?:" + "|".join(map(re.escape, longest_first)) + r")(?!\w)")
        spaced = (r"\s+".join(map(re.escape, wording.split())) for wording in longest_first)
        self._articled = re.compile(rf"(?<!\w)(?:(an?)(\s+))?(?<!\w)({'|'.join(spaced)})(?!\w)", re.IGNORECASE)

    def __call__(self, text: str) -> list[int]:
        """Numbers of the names in a text, in the order of their first occurrence."""
        return list(dict.fromkeys(self._numbers[found.group()] for found in self._any.finditer(_folded(text))))

    def renamed(self, text: str, number: int, other: str) -> str:
        """The text with one name replaced by another, including its article: "an arrow" → "a cube"."""

        def replacement(found: re.Match[str]) -> str:
            article, gap, wording = found.groups()
            if self._numbers.get(_folded(wording)) != number:
                return found.group()
            name = other[:1].upper() + other[1:] if wording[0].isupper() else other
            if article is None:
                return name
            new_article = "an" if name[0].lower() in "aeiou" else "a"
            return (new_article.capitalize() if article[0].isupper() else new_article) + gap + name

        return self._articled.sub(replacement, text)


def name_finder(names: Iterable[str]) -> NameFinder:
    """A finder of these names, numbered in their order."""
    return NameFinder({name: number for number, name in enumerate(names)})


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())
