"""Results of trials with several ways of encoding captions."""

from dataclasses import dataclass

from eyechart.arrays import Flags, Indices
from eyechart.repair.captions.settings import CaptionSettings
from eyechart.repair.captions.vectors import AS_IS


@dataclass(frozen=True, eq=False)
class TrialResults:
    """One kind of trial.

    purpose: "matching" or "retrieval".
    name: The kind of trial.
    hits: Way → whether each trial is passed with captions encoded this way.
    rows: The picture of each trial.
    counts: Whether the choice of a way depends on it.
    """

    purpose: str
    name: str
    hits: dict[str, Flags]
    rows: Indices
    counts: bool = True

    def subset(self, members: Flags) -> "TrialResults":
        """The trials about some of the pictures."""
        kept = members[self.rows]
        hits = {way: hits[kept] for way, hits in self.hits.items()}
        return TrialResults(self.purpose, self.name, hits, self.rows[kept], self.counts)


def all_ways(settings: CaptionSettings) -> tuple[str, ...]:
    return (AS_IS, *settings.ways)
