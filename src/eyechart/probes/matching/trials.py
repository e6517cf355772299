"""Trials of image–text matching: two captions for a picture, of which one names a thing that is not there."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Indices
from eyechart.data.caption_trials import CaptionTrial
from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.objects import shown

LINK = " and "
# The paper's two scenarios; then the same change made where the large thing is named first and where it is named last.
FIRST, SECOND = "scenario 1", "scenario 2"
LARGE_LAST = "large replaced, named last"
SMALL_FIRST, SMALL_LAST = "small replaced, large named first", "small replaced, large named last"
KINDS = (FIRST, SECOND, LARGE_LAST, SMALL_FIRST, SMALL_LAST)
CONTROLLED = {"large": (FIRST, LARGE_LAST), "small": (SMALL_FIRST, SMALL_LAST)}


@dataclass(frozen=True)
class MatchTrials:
    """Trial t is about picture `rows[t]`, which shows `counts[t]` things; `right[kind][t]` and `wrong[kind][t]` are its captions.
    Trials of all kinds are in the same order, so that they can be compared one by one."""

    rows: Indices
    counts: Indices
    right: dict[str, list[str]]
    wrong: dict[str, list[str]]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def texts(self) -> list[str]:
        return list(dict.fromkeys(text for side in (self.right, self.wrong) for said in side.values() for text in said))


def made_trials(dataset: Dataset, *, pictures: int, absent: int, seed: int) -> MatchTrials:
    """One trial for each of `absent` things that a picture does not show (0: all), over `pictures` of the scenes (0: all), both
    drawn at random. Smaller things are named in one random order in all captions of a picture.

    Scenario 1: right names the large thing first; wrong has the absent one in its place. Scenario 2: right names the large thing
    last; wrong names it first and has the absent one in place of the last. They differ in what is replaced as well as in order.
    """
    there = shown(dataset)
    scenes = [
        (int(row), [int(objects[place]) for place in order])
        for of_count in there.scenes
        for row, objects, order in zip(of_count.rows, of_count.objects, of_count.by_size, strict=True)
    ]
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.permutation(len(scenes))[: pictures or None])
    rows, counts = [], []
    right: dict[str, list[str]] = {kind: [] for kind in KINDS}
    wrong: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for number in chosen:
        row, (large, *rest) = scenes[number]
        small = [rest[int(i)] for i in rng.permutation(len(rest))]
        missing = np.setdiff1d(np.arange(len(there.names)), [large, *small])
        for other in (int(i) for i in rng.permutation(missing)[: absent or None]):
            rows.append(row)
            counts.append(1 + len(small))
            for kind, said, instead in _captions(large, small, other):
                right[kind].append(LINK.join(there.names[i] for i in said))
                wrong[kind].append(LINK.join(there.names[i] for i in instead))
    return MatchTrials(np.array(rows, np.int64), np.array(counts, np.int64), right, wrong)


def _captions(large: int, small: list[int], other: int) -> Iterator[tuple[str, list[int], list[int]]]:
    """Kind, right and wrong caption. The small thing that is replaced is the one named last of them."""
    first, last, kept = [large, *small], [*small, large], small[:-1]
    yield FIRST, first, [other, *small]
    yield SECOND, last, [large, *kept, other]
    yield LARGE_LAST, last, [*small, other]
    yield SMALL_FIRST, first, [large, *kept, other]
    yield SMALL_LAST, last, [*kept, other, large]


@dataclass(frozen=True)
class FileTrials:
    """Trials of a file, for the pictures that are in the dataset: those of one `scenario`, in the order of the file."""

    scenario: str
    rows: Indices
    right: list[str]
    wrong: list[str]


def file_trials(dataset: Dataset, trials: Sequence[CaptionTrial]) -> list[FileTrials]:
    row_of = {id: row for row, id in enumerate(dataset.ids())}
    found = []
    for scenario in dict.fromkeys(trial.scenario for trial in trials):
        mine = [trial for trial in trials if trial.scenario == scenario and trial.id in row_of]
        if mine:
            rows = np.array([row_of[trial.id] for trial in mine], np.int64)
            found.append(FileTrials(scenario, rows, [t.right for t in mine], [t.wrong for t in mine]))
    return found
