"""Pictures with captions and foils: which of them is nearer."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.data.dataset import Dataset
from eyechart.probes.contract import ProbeInput

TIE = 1e-6  # the rounding error of float32: a smaller margin is a tie
KIND, GROUP = "attr.kind", "attr.group"


@dataclass(frozen=True)
class FoilTrials:
    """Pictures that have both captions and foils.

    rows: Rows of the dataset.
    captions: The captions of each picture.
    foils: The foils of each picture.
    kinds: The kind of the foils, "" where unknown.
    """

    rows: Indices
    captions: list[list[str]]
    foils: list[list[str]]
    kinds: list[str]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def equal_texts(self) -> int:
        """The number of pictures with a foil equal to a caption."""
        return sum(not set(c).isdisjoint(f) for c, f in zip(self.captions, self.foils, strict=True))

    def chance(self) -> Doubles:
        """The chance level: with c captions and f foils in random order, all captions come first in 1 of C(c + f, c) cases."""
        return np.array([1 / comb(len(c) + len(f), len(c)) for c, f in zip(self.captions, self.foils, strict=True)])


def foil_trials(dataset: Dataset) -> FoilTrials:
    """Read the columns `captions`, `foils` and `attr.kind`."""
    captions, foils = (_lists(dataset, column) for column in ("captions", "foils"))
    rows = [i for i, (c, f) in enumerate(zip(captions, foils, strict=True)) if c and f]
    kinds = dataset.table.column(KIND).to_pylist() if dataset.has(KIND) else [""] * len(dataset)
    return FoilTrials(
        np.array(rows, np.int64), [captions[i] for i in rows], [foils[i] for i in rows], [str(kinds[i] or "") for i in rows]
    )


def _lists(dataset: Dataset, column: str) -> list[list[str]]:
    return [[text for text in texts or () if text] for texts in dataset.table.column(column).to_pylist()]


@dataclass(frozen=True)
class FoilOutcomes:
    """The margin of every trial.

    margin: The lowest cosine of a caption with the picture minus the highest of a foil.
    text_margin: The lowest cosine between captions minus the highest between a caption and a foil; NaN with one caption.
    caption: The caption with the lowest cosine.
    foil: The foil with the highest cosine.
    """

    margin: Doubles
    text_margin: Doubles
    caption: Indices
    foil: Indices

    @property
    def correct(self) -> Flags:
        return np.asarray(self.margin > TIE)

    @property
    def text_correct(self) -> Flags:
        return np.asarray(self.text_margin > TIE)


def foil_outcomes(inputs: ProbeInput[Any], trials: FoilTrials) -> FoilOutcomes:
    """Compare every picture with its captions and foils."""
    texts = list(dict.fromkeys(text for of in (*trials.captions, *trials.foils) for text in of))
    place = {text: i for i, text in enumerate(texts)}
    vectors = inputs.texts(texts)
    margin, text_margin = np.empty(len(trials)), np.full(len(trials), np.nan)
    worst, best = np.empty(len(trials), np.int64), np.empty(len(trials), np.int64)
    for i, row in enumerate(trials.rows):
        true = vectors[[place[t] for t in trials.captions[i]]].astype(np.float64)
        false = vectors[[place[t] for t in trials.foils[i]]].astype(np.float64)
        picture = inputs.images[row].astype(np.float64)
        of_true, of_false = true @ picture, false @ picture
        worst[i], best[i] = of_true.argmin(), of_false.argmax()
        margin[i] = of_true[worst[i]] - of_false[best[i]]
        if len(true) > 1:
            between = (true @ true.T)[np.triu_indices(len(true), 1)].min()
            text_margin[i] = between - (true @ false.T).max()
    return FoilOutcomes(margin, text_margin, worst, best)


@dataclass(frozen=True)
class CrossedGroups:
    """Groups of pictures in which each caption is the foil of the others.

    names: The groups.
    text: Whether every picture prefers its own caption.
    picture: Whether every caption prefers its own picture.
    sizes: The number of pictures in each group.
    """

    names: list[str]
    text: Flags
    picture: Flags
    sizes: Indices

    @property
    def both(self) -> Flags:
        return self.text & self.picture


def crossed_groups(inputs: ProbeInput[Any], trials: FoilTrials) -> CrossedGroups | None:
    """The crossed groups (column `attr.group`); None where there are none."""
    if not inputs.dataset.has(GROUP):
        return None
    group = inputs.dataset.table.column(GROUP).to_pylist()
    members: dict[str, list[int]] = {}
    for i, row in enumerate(trials.rows):
        if group[row] is not None and len(trials.captions[i]) == 1:
            members.setdefault(str(group[row]), []).append(i)
    kept = {name: mine for name, mine in members.items() if len(mine) > 1 and _crossed(trials, mine)}
    if not kept:
        return None
    right = [_directions(inputs, trials, mine) for mine in kept.values()]
    text, picture = (np.array(flags, np.bool_) for flags in zip(*right, strict=True))
    return CrossedGroups(list(kept), text, picture, np.array([len(mine) for mine in kept.values()], np.int64))


def _crossed(trials: FoilTrials, mine: Sequence[int]) -> bool:
    texts = {trials.captions[i][0] for i in mine}
    return len(texts) == len(mine) and all(set(trials.foils[i]) == texts - {trials.captions[i][0]} for i in mine)


def _directions(inputs: ProbeInput[Any], trials: FoilTrials, mine: Sequence[int]) -> tuple[bool, bool]:
    texts = inputs.texts([trials.captions[i][0] for i in mine]).astype(np.float64)
    scores = inputs.images[trials.rows[list(mine)]].astype(np.float64) @ texts.T
    own = np.diag(scores)
    others = np.where(np.eye(len(mine), dtype=bool), -np.inf, scores)
    return bool((own - others.max(axis=1) > TIE).all()), bool((own - others.max(axis=0) > TIE).all())
