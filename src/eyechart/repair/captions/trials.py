"""Captions put to the test in several ways to say them."""

from dataclasses import dataclass

from eyechart.arrays import Flags, Indices
from eyechart.repair.captions.settings import CaptionSettings
from eyechart.repair.captions.vectors import AS_IS


@dataclass(frozen=True, eq=False)
class Tried:
    """One kind of test. `hits[way][t]`: whether trial t is passed with captions said this way; `rows[t]`: the picture it is
    about. `counts`: whether the choice of a way looks at it."""

    purpose: str
    name: str
    hits: dict[str, Flags]
    rows: Indices
    counts: bool = True

    def subset(self, members: Flags) -> "Tried":
        """The trials about some of the pictures."""
        kept = members[self.rows]
        return Tried(self.purpose, self.name, {way: hits[kept] for way, hits in self.hits.items()}, self.rows[kept], self.counts)


def all_ways(settings: CaptionSettings) -> tuple[str, ...]:
    return (AS_IS, *settings.ways)
