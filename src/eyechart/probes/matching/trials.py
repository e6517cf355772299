"""Trials of image–text matching: a true caption, and a false one that names an absent object."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Indices
from eyechart.data.caption_trials import CaptionTrial
from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.objects import object_scenes

LINK = " and "
# The two scenarios of the paper, then trials that make one change with the large object named first and named last.
FIRST, SECOND = "scenario 1", "scenario 2"
LARGE_LAST = "large replaced, named last"
SMALL_FIRST, SMALL_LAST = "small replaced, large named first", "small replaced, large named last"
KINDS = (FIRST, SECOND, LARGE_LAST, SMALL_FIRST, SMALL_LAST)
CONTROLLED = {"large": (FIRST, LARGE_LAST), "small": (SMALL_FIRST, SMALL_LAST)}
# How the small objects are ordered: at random, or as they stand in the row, with the large one exchanged for the first or last.
RANDOM, SWAP = "random", "swap"
ORDERS = (RANDOM, SWAP)


@dataclass(frozen=True)
class MatchTrials:
    """Trials of all kinds, in the same order, so that they are paired.

    rows: The row of the picture of each trial.
    counts: How many objects it shows.
    names: Numbers of the names of each trial [trials, width]: its objects, and the absent one; -1 fills shorter rows.
    right: The true captions by kind of trial.
    wrong: The false captions by kind of trial.
    """

    rows: Indices
    counts: Indices
    names: Indices
    right: dict[str, list[str]]
    wrong: dict[str, list[str]]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def texts(self) -> list[str]:
        return list(dict.fromkeys(text for side in (self.right, self.wrong) for texts in side.values() for text in texts))


def made_trials(dataset: Dataset, *, pictures: int, absent: int, seed: int, order: str = RANDOM) -> MatchTrials:
    """Trials with template captions.

    With `order` "random", smaller objects are named in one random order in all captions of a picture. With "swap", objects are
    named from left to right, and the large object changes places with the first, or with the last, as in the public code of
    Abbasi et al. (2025); there, the order of small objects depends on the scene. Scenario 1: the true caption names the large
    object first; the false one has the absent object in its place. Scenario 2: the true caption names the large object last; the
    false one names it first and has the absent object in place of the last. So they differ in replaced object and order.

    Args:
        dataset: The dataset.
        pictures: The number of scenes, drawn at random; 0 takes all.
        absent: The number of absent objects for each picture, drawn at random, one trial each; 0 takes all.
        seed: The seed of both.
        order: "random" or "swap".
    """
    scene_set = object_scenes(dataset)
    scenes = [
        (int(row), [int(i) for i in objects], [int(i) for i in places])
        for of_count in scene_set.scenes
        for row, objects, places in zip(of_count.rows, of_count.objects, of_count.by_size, strict=True)
    ]
    rng = np.random.default_rng(seed)
    chosen = np.sort(rng.permutation(len(scenes))[: pictures or None])
    rows, counts, names = [], [], list[list[int]]()
    right: dict[str, list[str]] = {kind: [] for kind in KINDS}
    wrong: dict[str, list[str]] = {kind: [] for kind in KINDS}
    for number in chosen:
        row, objects, by_size = scenes[number]
        first, last = _swapped(objects, by_size[0]) if order == SWAP else _shuffled([objects[i] for i in by_size], rng)
        missing = np.setdiff1d(np.arange(len(scene_set.names)), objects)
        for other in (int(i) for i in rng.permutation(missing)[: absent or None]):
            rows.append(row)
            counts.append(len(objects))
            names.append([*first, other])
            for kind, true, false in _captions(first, last, other):
                right[kind].append(LINK.join(scene_set.names[i] for i in true))
                wrong[kind].append(LINK.join(scene_set.names[i] for i in false))
    return MatchTrials(np.array(rows, np.int64), np.array(counts, np.int64), filled(names), right, wrong)


def filled(names: Sequence[Sequence[int]]) -> Indices:
    """Lists of numbers as one array, with -1 after the end of shorter ones."""
    made = np.full((len(names), max(map(len, names), default=0)), -1, np.int64)
    for row, numbers in enumerate(names):
        made[row, : len(numbers)] = numbers
    return made


def _shuffled(objects: Sequence[int], rng: np.random.Generator) -> tuple[list[int], list[int]]:
    """Small objects in one random order, with the large one, which is given first, before and after them."""
    large, *rest = objects
    small = [rest[int(i)] for i in rng.permutation(len(rest))]
    return [large, *small], [*small, large]


def _swapped(objects: Sequence[int], large: int) -> tuple[list[int], list[int]]:
    """The row with the object at the place `large` exchanged for the first one, and for the last one."""
    first, last = list(objects), list(objects)
    first[0], first[large] = first[large], first[0]
    last[-1], last[large] = last[large], last[-1]
    return first, last


def _captions(first: list[int], last: list[int], other: int) -> Iterator[tuple[str, list[int], list[int]]]:
    """Kind, true and false caption. The small object that is replaced is the one at the end of `first`."""
    large, small = first[0], first[-1]
    yield FIRST, first, [other, *first[1:]]
    yield SECOND, last, [*first[:-1], other]
    yield LARGE_LAST, last, [other if name == large else name for name in last]
    yield SMALL_FIRST, first, [*first[:-1], other]
    yield SMALL_LAST, last, [other if name == small else name for name in last]


@dataclass(frozen=True)
class FileTrials:
    """The trials of one scenario of a file, in the order of the file.

    scenario: The scenario's name in the file.
    rows: The row of the picture of each trial.
    right: The true captions.
    wrong: The false captions.
    """

    scenario: str
    rows: Indices
    right: list[str]
    wrong: list[str]


def file_trials(dataset: Dataset, trials: Sequence[CaptionTrial]) -> list[FileTrials]:
    """The trials whose pictures are in the dataset, by scenario."""
    row_of = {id: row for row, id in enumerate(dataset.ids())}
    found = []
    for scenario in dict.fromkeys(trial.scenario for trial in trials):
        mine = [trial for trial in trials if trial.scenario == scenario and trial.id in row_of]
        if mine:
            rows = np.array([row_of[trial.id] for trial in mine], np.int64)
            found.append(FileTrials(scenario, rows, [t.right for t in mine], [t.wrong for t in mine]))
    return found
