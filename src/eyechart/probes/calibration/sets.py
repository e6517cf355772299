"""The pictures that calibration is asked about: one half to fit a temperature on, the other to see whether it holds, and every
shifted set."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.metrics.calibration.logits import LogitBlocks
from eyechart.metrics.intervals.stratified_split import stratified_split
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.corrupted_rows import Corrupted, corrupted_sets
from eyechart.probes.tasks.originals import means_the_source, originals, scenes
from eyechart.probes.tasks.scorers import Scorer
from eyechart.probes.tasks.shift_pairs import ShiftPair, shift_pairs, unshifted


@dataclass(frozen=True)
class CalibrationPart:
    """Pictures that findings name by `slice`: `places` in the rows of a set."""

    slice: dict[str, object]
    places: Indices


@dataclass(frozen=True)
class PictureSet:
    """`rows` of `of`, which are read at once and reported in `parts`. `columns`: the classes of the examined dataset that can be
    answered. `truth`: which of these columns is right (an index), or which are. Rows of one number in `units` show one scene."""

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
            raise TypeError("a way of scoring without probabilities cannot be calibrated")
        return scorer.logits(self.of, self.rows).choose(self.columns)

    def right(self, predicted: Indices) -> Flags:
        """Which answers, given as columns, are right."""
        if self.truth.ndim == 1:
            return np.equal(self.truth, predicted)
        return np.asarray(self.truth[np.arange(len(predicted)), predicted], bool)


def halves(inputs: ProbeInput[Any], seed: int) -> tuple[PictureSet, PictureSet]:
    """The labelled pictures as they are, in two halves with every class in both: to fit on, and to report."""
    truth = inputs.dataset.label_indices()
    rows = np.flatnonzero((truth >= 0) & unshifted(inputs.dataset))
    first = stratified_split(truth[rows], seed=seed, clusters=inputs.clusters[rows])
    columns = np.arange(len(inputs.dataset.classes or ()))
    fit, held_out = (
        PictureSet(inputs, half, columns, truth[half], inputs.clusters[half], (CalibrationPart({}, np.arange(len(half))),))
        for half in (rows[first], rows[~first])
    )
    return fit, held_out


def shifted_sets(inputs: ProbeInput[Any], fit: PictureSet) -> list[PictureSet]:
    """Every shift; of corruptions each over its severities, and each severity over all of them. Versions of pictures that the
    temperature was fitted on are left out, and so are sets with a single class, of which everybody is certain."""
    ids = inputs.dataset.ids()
    fitted_on = {ids[row] for row in fit.rows}
    found = [
        _picture_set(c, _scenes(c), (CalibrationPart({"shift": c.name}, np.arange(len(c.rows))),)) for c in shift_pairs(inputs)
    ]
    found += [_picture_set(c.contrast, c.units, _corruptions(c, inputs)) for c in corrupted_sets(inputs)]
    kept = [_without(s, fitted_on, inputs) for s in found if len(s.columns) > 1]
    return [s for s in kept if s.parts]


def _corruptions(found: Corrupted, inputs: ProbeInput[Any]) -> tuple[CalibrationPart, ...]:
    beside = {} if found.contrast.shifted is inputs else {"shift": found.name}
    by_name = [
        CalibrationPart({**beside, "corruption": name}, np.flatnonzero(found.corruption == c))
        for c, name in enumerate(found.names)
    ]
    by_severity = [
        CalibrationPart({**beside, "severity": int(s)}, np.flatnonzero(found.severity == s)) for s in np.unique(found.severity)
    ]
    return (*by_name, *by_severity)


def _picture_set(contrast: ShiftPair, units: Indices, parts: tuple[CalibrationPart, ...]) -> PictureSet:
    """One right class a picture is told by its number, which takes less room."""
    means, kind = contrast.meaning[:, contrast.columns], contrast.kind
    single = bool((means[np.unique(kind)].sum(axis=1) == 1).all())
    truth: Indices | Flags = means.argmax(axis=1)[kind] if single else means[kind]
    return PictureSet(contrast.shifted, contrast.rows, contrast.columns, truth, units, parts)


def _scenes(contrast: ShiftPair) -> Indices:
    """What rows of a shifted set vary together: those that are versions of one picture, else copies."""
    shown = scenes(contrast.shifted)
    number: dict[str | int, int] = {}
    return np.array([number.setdefault(shown[row], len(number)) for row in contrast.rows], np.int64)


def _without(found: PictureSet, fitted_on: set[str], inputs: ProbeInput[Any]) -> PictureSet:
    named = originals(found.of)
    if named is None or not means_the_source(found.of, inputs):
        return found
    kept = np.array([named[row] not in fitted_on for row in found.rows], bool)
    parts = [replace(part, places=part.places[kept[part.places]]) for part in found.parts]
    return replace(found, parts=tuple(part for part in parts if len(part.places)))
