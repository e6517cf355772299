"""Pictures between their captions and foils: what is nearer to what."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import comb
from typing import Any

import numpy as np

from eyechart.arrays import Doubles, Flags, Indices
from eyechart.data.dataset import Dataset
from eyechart.probes.probe import ProbeInput

TIE = 1e-6  # what float32 rounds away: who is no farther ahead than this has not won
KIND, GROUP = "attr.kind", "attr.group"


@dataclass(frozen=True)
class FoilTrials:
    """Of every picture that has both: its row, captions and foils, and what they get wrong."""

    rows: Indices
    captions: list[list[str]]
    foils: list[list[str]]
    kinds: list[str]

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def unwinnable(self) -> int:
        """Pictures of which a foil says the same as a caption."""
        return sum(not set(c).isdisjoint(f) for c, f in zip(self.captions, self.foils, strict=True))

    def chance(self) -> Doubles:
        """With all captions and foils in a random order, no foil stands before a caption in one of C(c + f, c) cases."""
        return np.array([1 / comb(len(c) + len(f), len(c)) for c, f in zip(self.captions, self.foils, strict=True)])


def trials_of(dataset: Dataset) -> FoilTrials:
    captions, foils = (_lists(dataset, column) for column in ("captions", "foils"))
    rows = [i for i, (c, f) in enumerate(zip(captions, foils, strict=True)) if c and f]
    kinds = dataset.table.column(KIND).to_pylist() if dataset.has(KIND) else [""] * len(dataset)
    return FoilTrials(
        np.array(rows, np.int64), [captions[i] for i in rows], [foils[i] for i in rows], [str(kinds[i] or "") for i in rows]
    )


def _lists(dataset: Dataset, column: str) -> list[list[str]]:
    return [[text for text in texts or () if text] for texts in dataset.table.column(column).to_pylist()]


@dataclass(frozen=True)
class Outcomes:
    """Of every trial: how far the worst caption stands before the best foil, by the picture and by the text alone; NaN for the
    text where there is one caption. `caption` and `foil`: which of the trial's they are, by the picture."""

    lead: Doubles
    text_lead: Doubles
    caption: Indices
    foil: Indices

    @property
    def right(self) -> Flags:
        return np.asarray(self.lead > TIE)

    @property
    def text_right(self) -> Flags:
        return np.asarray(self.text_lead > TIE)


def outcomes(inputs: ProbeInput[Any], trials: FoilTrials) -> Outcomes:
    said = list(dict.fromkeys(text for texts in (*trials.captions, *trials.foils) for text in texts))
    place = {text: i for i, text in enumerate(said)}
    vectors = inputs.texts(said)
    lead, text_lead = np.empty(len(trials)), np.full(len(trials), np.nan)
    worst, best = np.empty(len(trials), np.int64), np.empty(len(trials), np.int64)
    for i, row in enumerate(trials.rows):
        true = vectors[[place[t] for t in trials.captions[i]]].astype(np.float64)
        false = vectors[[place[t] for t in trials.foils[i]]].astype(np.float64)
        picture = inputs.images[row].astype(np.float64)
        of_true, of_false = true @ picture, false @ picture
        worst[i], best[i] = of_true.argmin(), of_false.argmax()
        lead[i] = of_true[worst[i]] - of_false[best[i]]
        if len(true) > 1:
            between = (true @ true.T)[np.triu_indices(len(true), 1)].min()
            text_lead[i] = between - (true @ false.T).max()
    return Outcomes(lead, text_lead, worst, best)


@dataclass(frozen=True)
class Crossed:
    """Groups of pictures of which each caption is the foil of the others: which are right from picture to text, and from text
    to picture."""

    names: list[str]
    text: Flags
    picture: Flags
    sizes: Indices

    @property
    def both(self) -> Flags:
        return self.text & self.picture


def crossed_groups(inputs: ProbeInput[Any], trials: FoilTrials) -> Crossed | None:
    """None where there are no such groups."""
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
    return Crossed(list(kept), text, picture, np.array([len(mine) for mine in kept.values()], np.int64))


def _crossed(trials: FoilTrials, mine: Sequence[int]) -> bool:
    said = {trials.captions[i][0] for i in mine}
    return len(said) == len(mine) and all(set(trials.foils[i]) == said - {trials.captions[i][0]} for i in mine)


def _directions(inputs: ProbeInput[Any], trials: FoilTrials, mine: Sequence[int]) -> tuple[bool, bool]:
    texts = inputs.texts([trials.captions[i][0] for i in mine]).astype(np.float64)
    scores = inputs.images[trials.rows[list(mine)]].astype(np.float64) @ texts.T
    own = np.diag(scores)
    others = np.where(np.eye(len(mine), dtype=bool), -np.inf, scores)
    return bool((own - others.max(axis=1) > TIE).all()), bool((own - others.max(axis=0) > TIE).all())
