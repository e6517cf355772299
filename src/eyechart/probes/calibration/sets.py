"""The pictures of the probe `calibration`: all, a half to fit the temperature, the held-out half, and every shifted set."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.metrics.calibration.logits import LogitBlocks
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.corrupted_rows import CorruptedSet, corrupted_sets
from eyechart.probes.tasks.originals import originals, refers_to_source
from eyechart.probes.tasks.scorers import Scorer
from eyechart.probes.tasks.shift_pairs import ShiftPair, shift_pairs, unshifted

HELD_OUT = "held-out"  # how findings name the half on which the temperature was not fitted


@dataclass(frozen=True)
class CalibrationPart:
    """Some pictures of a set.

    slice: How findings name them.
    places: Their positions within the rows of the set.
    """

    slice: dict[str, object]
    places: Indices


@dataclass(frozen=True)
class PictureSet:
    """Pictures that are scored together and reported in parts.

    of: The dataset they are from.
    rows: Their rows.
    columns: The classes of the examined dataset that can be predicted.
    truth: The correct column of each row, or flags of all correct columns.
    units: Rows of one number show one scene.
    parts: The parts that are reported.
    """

    of: ProbeInput[Any]
    rows: Indices
    columns: Indices
    truth: Indices | Flags
    units: Indices
    parts: tuple[CalibrationPart, ...]

    def __len__(self) -> int:
        return len(self.rows)

    def logits(self, scorer: Scorer) -> LogitBlocks:
        if scorer.logits is None:
            raise TypeError("a scorer without logits cannot be calibrated")
        return scorer.logits(self.of, self.rows).choose(self.columns)

    def correct(self, predicted: Indices) -> Flags:
        """Which predictions, given as columns, are correct."""
        if self.truth.ndim == 1:
            return np.equal(self.truth, predicted)
        return np.asarray(self.truth[np.arange(len(predicted)), predicted], bool)


@dataclass(frozen=True)
class Halves:
    """The unshifted labeled pictures.

    whole: All of them.
    fit: A stratified half, on which the temperature is fitted.
    held_out: The other half.
    """

    whole: PictureSet
    fit: PictureSet
    held_out: PictureSet


def split_halves(inputs: ProbeInput[Any], seed: int) -> Halves:
    truth = inputs.dataset.label_indices()
    rows = np.flatnonzero((truth >= 0) & unshifted(inputs.dataset))
    first = stratified_split(truth[rows], seed=seed, clusters=inputs.units[rows])
    columns = np.arange(len(inputs.dataset.classes or ()))

    def pictures(rows: Indices, of: dict[str, object]) -> PictureSet:
        part = CalibrationPart(of, np.arange(len(rows)))
        return PictureSet(inputs, rows, columns, truth[rows], inputs.units[rows], (part,))

    return Halves(pictures(rows, {}), pictures(rows[first], {"half": "fitting"}), pictures(rows[~first], {"half": HELD_OUT}))


def shifted_sets(inputs: ProbeInput[Any], fit: PictureSet) -> list[PictureSet]:
    """Every shift, every corruption over its severities, and every severity over all corruptions.

    Versions of pictures that the temperature was fitted on are left out, and so are sets with a single class.
    """
    ids = inputs.dataset.ids()
    fitted_on = {ids[row] for row in fit.rows}
    found = [
        _picture_set(c, c.shifted.units[c.rows], (CalibrationPart({"shift": c.name}, np.arange(len(c.rows))),))
        for c in shift_pairs(inputs)
    ]
    found += [_picture_set(c.pair, c.units, _corruptions(c, inputs)) for c in corrupted_sets(inputs)]
    kept = [_without(s, fitted_on, inputs) for s in found if len(s.columns) > 1]
    return [s for s in kept if s.parts]


def _corruptions(found: CorruptedSet, inputs: ProbeInput[Any]) -> tuple[CalibrationPart, ...]:
    of_set = {} if found.pair.shifted is inputs else {"shift": found.name}
    by_name = [
        CalibrationPart({**of_set, "corruption": name}, np.flatnonzero(found.corruption == c))
        for c, name in enumerate(found.names)
    ]
    by_severity = [
        CalibrationPart({**of_set, "severity": int(s)}, np.flatnonzero(found.severity == s)) for s in np.unique(found.severity)
    ]
    return (*by_name, *by_severity)


def _picture_set(pair: ShiftPair, units: Indices, parts: tuple[CalibrationPart, ...]) -> PictureSet:
    """Correct classes as indices where there is one for each picture, which takes less memory than flags."""
    accepted, kind = pair.accepted[:, pair.columns], pair.kind
    single = bool((accepted[np.unique(kind)].sum(axis=1) == 1).all())
    truth: Indices | Flags = accepted.argmax(axis=1)[kind] if single else accepted[kind]
    return PictureSet(pair.shifted, pair.rows, pair.columns, truth, units, parts)


def _without(found: PictureSet, fitted_on: set[str], inputs: ProbeInput[Any]) -> PictureSet:
    named = originals(found.of)
    if named is None or not refers_to_source(found.of, inputs):
        return found
    kept = np.array([named[row] not in fitted_on for row in found.rows], bool)
    parts = [replace(part, places=part.places[kept[part.places]]) for part in found.parts]
    return replace(found, parts=tuple(part for part in parts if len(part.places)))
