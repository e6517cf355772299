"""The pictures that calibration is asked about: one half to fit a temperature on, the other to see whether it holds, and every
shifted set."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eyechart.metrics.halves import stratified_half
from eyechart.metrics.logits import LogitBlocks
from eyechart.probes._contrasts import Contrast, contrasts, unshifted
from eyechart.probes._corrupted_rows import Corrupted, corrupted_sets
from eyechart.probes._originals import means_the_source, originals, scenes
from eyechart.probes._scorers import Scorer
from eyechart.probes.probe import Given

Indices = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Part:
    """Pictures that findings name by `slice`: `places` in the rows of a set."""

    slice: dict[str, object]
    places: Indices


@dataclass(frozen=True)
class PictureSet:
    """`rows` of `of`, which are read at once and reported in `parts`. `columns`: the classes of the examined dataset that can be
    answered. `truth`: which of these columns is right (an index), or which are. Rows of one number in `units` show one scene."""

    of: Given
    rows: Indices
    columns: Indices
    truth: Indices | Flags
    units: Indices
    parts: tuple[Part, ...]

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


def halves(given: Given, seed: int) -> tuple[PictureSet, PictureSet]:
    """The labelled pictures as they are, in two halves with every class in both: to fit on, and to report."""
    truth = given.dataset.label_indices()
    rows = np.flatnonzero((truth >= 0) & unshifted(given.dataset))
    first = stratified_half(truth[rows], seed=seed, clusters=given.clusters[rows])
    columns = np.arange(len(given.dataset.classes or ()))
    fit, held_out = (
        PictureSet(given, half, columns, truth[half], given.clusters[half], (Part({}, np.arange(len(half))),))
        for half in (rows[first], rows[~first])
    )
    return fit, held_out


def shifted_sets(given: Given, fit: PictureSet) -> list[PictureSet]:
    """Every shift; of corruptions each over its severities, and each severity over all of them. Versions of pictures that the
    temperature was fitted on are left out, and so are sets with a single class, of which everybody is certain."""
    ids = given.dataset.ids()
    fitted_on = {ids[row] for row in fit.rows}
    found = [_picture_set(c, _scenes(c), (Part({"shift": c.name}, np.arange(len(c.rows))),)) for c in contrasts(given)]
    found += [_picture_set(c.contrast, c.units, _corruptions(c, given)) for c in corrupted_sets(given)]
    kept = [_without(s, fitted_on, given) for s in found if len(s.columns) > 1]
    return [s for s in kept if s.parts]


def _corruptions(found: Corrupted, given: Given) -> tuple[Part, ...]:
    beside = {} if found.contrast.shifted is given else {"shift": found.name}
    by_name = [Part({**beside, "corruption": name}, np.flatnonzero(found.corruption == c)) for c, name in enumerate(found.names)]
    by_severity = [Part({**beside, "severity": int(s)}, np.flatnonzero(found.severity == s)) for s in np.unique(found.severity)]
    return (*by_name, *by_severity)


def _picture_set(contrast: Contrast, units: Indices, parts: tuple[Part, ...]) -> PictureSet:
    """One right class a picture is told by its number, which takes less room."""
    means, kind = contrast.meaning[:, contrast.columns], contrast.kind
    single = bool((means[np.unique(kind)].sum(axis=1) == 1).all())
    truth: Indices | Flags = means.argmax(axis=1)[kind] if single else means[kind]
    return PictureSet(contrast.shifted, contrast.rows, contrast.columns, truth, units, parts)


def _scenes(contrast: Contrast) -> Indices:
    """What rows of a shifted set vary together: those that are versions of one picture, else copies."""
    shown = scenes(contrast.shifted)
    number: dict[str | int, int] = {}
    return np.array([number.setdefault(shown[row], len(number)) for row in contrast.rows], np.int64)


def _without(found: PictureSet, fitted_on: set[str], given: Given) -> PictureSet:
    named = originals(found.of)
    if named is None or not means_the_source(found.of, given):
        return found
    kept = np.array([named[row] not in fitted_on for row in found.rows], bool)
    parts = [replace(part, places=part.places[kept[part.places]]) for part in found.parts]
    return replace(found, parts=tuple(part for part in parts if len(part.places)))
