"""Captions that were rewritten so that the large thing is named first, or last: whether they do so, and trials of them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.data.caption_trials import RewrittenCaption
from eyechart.data.dataset import Dataset
from eyechart.probes.matching.trials import FIRST, KINDS, LARGE_LAST, SECOND, SMALL_FIRST, SMALL_LAST, MatchTrials
from eyechart.probes.tasks.caption_names import wordings
from eyechart.probes.tasks.named_in_text import NameFinder
from eyechart.probes.tasks.objects import areas_by_name, plain_name


class Vocabulary:
    """The names of all things in a dataset's pictures, what each picture shows of them, and how to find them in a text."""

    def __init__(self, dataset: Dataset) -> None:
        areas = areas_by_name(dataset)
        self.names = tuple(sorted({name for seen in areas for name in seen}))
        number = {name: place for place, name in enumerate(self.names)}
        self.areas = [{number[name]: area for name, area in seen.items()} for seen in areas]
        known = {wording: plain_name(name) for wording, name in wordings(dataset, self.names).items()}
        meant = {wording: number[name] for wording, name in known.items() if name in number}
        self.find = NameFinder(meant) if meant else None

    def named(self, text: str) -> list[int]:
        return self.find(text) if self.find else []


def large_of(named: Sequence[int], areas: Mapping[int, float]) -> int | None:
    """The largest thing that is both named and seen; None where fewer than two are, or where two are equally large."""
    there = [number for number in named if number in areas]
    if len(there) < 2:
        return None
    ordered = sorted(there, key=lambda number: -areas[number])
    return ordered[0] if areas[ordered[0]] > areas[ordered[1]] else None


@dataclass(frozen=True)
class Retold:
    """A picture's caption in both orders. `large`: the thing that moves; `small`: the one named last where that is first."""

    row: int
    count: int
    large: int
    small: int
    first: str
    last: str


def fault_of(vocabulary: Vocabulary, row: int, first: str, last: str) -> str | None:
    """Why two wordings are not one caption with its large thing first and last; None where they are."""
    in_first, in_last = vocabulary.named(first), vocabulary.named(last)
    if set(in_first) != set(in_last):
        return "they do not name the same things"
    large = large_of(in_first, vocabulary.areas[row])
    if large is None:
        return "they do not name two things of the picture, one of them the larger"
    if in_first[0] != large:
        return "the large thing is not named first"
    return None if in_last[-1] == large else "the large thing is not named last"


def retold(
    dataset: Dataset, vocabulary: Vocabulary, rewritten: Sequence[RewrittenCaption]
) -> tuple[list[Retold], int, dict[str, int]]:
    """Captions to ask with; how many are of pictures that are not there; and how many were left out, by reason."""
    row_of = {id: row for row, id in enumerate(dataset.ids())}
    kept, unknown, faults = list[Retold](), 0, dict[str, int]()
    for caption in rewritten:
        row = row_of.get(caption.id)
        if row is None:
            unknown += 1
        elif fault := fault_of(vocabulary, row, caption.large_first, caption.large_last):
            faults[fault] = faults.get(fault, 0) + 1
        else:
            there = [number for number in vocabulary.named(caption.large_first) if number in vocabulary.areas[row]]
            kept.append(Retold(row, len(there), there[0], there[-1], caption.large_first, caption.large_last))
    return kept, unknown, faults


def retold_trials(vocabulary: Vocabulary, told: Sequence[Retold], *, absent: int, seed: int) -> MatchTrials:
    """The same trials as of made captions, one for each of `absent` things (0: all) that are neither seen nor named."""
    rng = np.random.default_rng(seed)
    rows, counts = list[int](), list[int]()
    right: dict[str, list[str]] = {kind: [] for kind in KINDS}
    wrong: dict[str, list[str]] = {kind: [] for kind in KINDS}
    find = vocabulary.find
    for one in told:
        known = {*vocabulary.areas[one.row], *vocabulary.named(one.first)}
        missing = [number for number in range(len(vocabulary.names)) if number not in known]
        for place in rng.permutation(len(missing))[: absent or None]:
            if find is None:
                continue
            other = vocabulary.names[missing[int(place)]]
            without = {
                FIRST: (one.first, find.renamed(one.first, one.large, other)),
                SECOND: (one.last, find.renamed(one.first, one.small, other)),
                LARGE_LAST: (one.last, find.renamed(one.last, one.large, other)),
                SMALL_FIRST: (one.first, find.renamed(one.first, one.small, other)),
                SMALL_LAST: (one.last, find.renamed(one.last, one.small, other)),
            }
            rows.append(one.row)
            counts.append(one.count)
            for kind, (true, false) in without.items():
                right[kind].append(true)
                wrong[kind].append(false)
    return MatchTrials(np.array(rows, np.int64), np.array(counts, np.int64), right, wrong)
