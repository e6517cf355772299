"""Captions in two orders, with the large object named first and last: checks, and trials made from them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.data.caption_trials import RewrittenCaption
from eyechart.data.dataset import Dataset
from eyechart.probes.matching.trials import FIRST, KINDS, LARGE_LAST, SECOND, SMALL_FIRST, SMALL_LAST, MatchTrials, filled
from eyechart.probes.tasks.caption_names import wordings
from eyechart.probes.tasks.name_finder import NameFinder
from eyechart.probes.tasks.objects import plain_name, total_areas


class Vocabulary:
    """The object names of a dataset.

    names: The names, sorted.
    areas: For each picture, the areas of its objects by the number of the name.
    find: Finds names in a text; None where there are no names.
    """

    def __init__(self, dataset: Dataset) -> None:
        areas = total_areas(dataset)
        self.names = tuple(sorted({name for by_name in areas for name in by_name}))
        number = {name: place for place, name in enumerate(self.names)}
        self.areas = [{number[name]: area for name, area in by_name.items()} for by_name in areas]
        known = {wording: plain_name(name) for wording, name in wordings(dataset, self.names).items()}
        meant = {wording: number[name] for wording, name in known.items() if name in number}
        self.find = NameFinder(meant) if meant else None

    def named(self, text: str) -> list[int]:
        """Numbers of the names in a text, in their order."""
        return self.find(text) if self.find else []


def large_of(named: Sequence[int], areas: Mapping[int, float]) -> int | None:
    """The largest object that is named and visible; None where fewer than two are, or where the two largest are equal."""
    there = [number for number in named if number in areas]
    if len(there) < 2:
        return None
    ordered = sorted(there, key=lambda number: -areas[number])
    return ordered[0] if areas[ordered[0]] > areas[ordered[1]] else None


@dataclass(frozen=True)
class TwoOrderCaption:
    """A caption in both orders.

    row: The row of the picture.
    count: How many of its objects the caption names.
    large: The large object, which changes its place.
    small: The object that is named last where the large one is first.
    first: The caption with the large object first.
    last: The caption with the large object last.
    """

    row: int
    count: int
    large: int
    small: int
    first: str
    last: str


def fault_of(vocabulary: Vocabulary, row: int, first: str, last: str) -> str | None:
    """Why two texts are not one caption with its large object first and last; None where they are."""
    in_first, in_last = vocabulary.named(first), vocabulary.named(last)
    if set(in_first) != set(in_last):
        return "the two orders do not name the same objects"
    large = large_of(in_first, vocabulary.areas[row])
    if large is None:
        return "the caption does not name two objects of the picture of different size"
    if in_first[0] != large:
        return "the large object is not named first"
    return None if in_last[-1] == large else "the large object is not named last"


def two_order_captions(
    dataset: Dataset, vocabulary: Vocabulary, rewritten: Sequence[RewrittenCaption]
) -> tuple[list[TwoOrderCaption], int, dict[str, int]]:
    """The usable captions; how many belong to pictures that are not in the dataset; and how many were left out, by reason."""
    row_of = {id: row for row, id in enumerate(dataset.ids())}
    kept, unknown, faults = list[TwoOrderCaption](), 0, dict[str, int]()
    for caption in rewritten:
        row = row_of.get(caption.id)
        if row is None:
            unknown += 1
        elif fault := fault_of(vocabulary, row, caption.large_first, caption.large_last):
            faults[fault] = faults.get(fault, 0) + 1
        else:
            there = [number for number in vocabulary.named(caption.large_first) if number in vocabulary.areas[row]]
            kept.append(TwoOrderCaption(row, len(there), there[0], there[-1], caption.large_first, caption.large_last))
    return kept, unknown, faults


def two_order_trials(vocabulary: Vocabulary, captions: Sequence[TwoOrderCaption], *, absent: int, seed: int) -> MatchTrials:
    """The same kinds of trials as with template captions, one for each of `absent` objects (0: all) that are absent."""
    rng = np.random.default_rng(seed)
    rows, counts, names = list[int](), list[int](), list[list[int]]()
    right: dict[str, list[str]] = {kind: [] for kind in KINDS}
    wrong: dict[str, list[str]] = {kind: [] for kind in KINDS}
    find = vocabulary.find
    for one in captions:
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
            names.append([*(n for n in vocabulary.named(one.first) if n in vocabulary.areas[one.row]), missing[int(place)]])
            for kind, (true, false) in without.items():
                right[kind].append(true)
                wrong[kind].append(false)
    return MatchTrials(np.array(rows, np.int64), np.array(counts, np.int64), filled(names), right, wrong)
