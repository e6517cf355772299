"""What a model makes of both sides of a contrast: right and wrong answers, and which of them vary together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from eyechart.arrays import Flags, Indices
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share
from eyechart.probes.probe import ProbeInput
from eyechart.probes.shift.video_frames import Frames, frames
from eyechart.probes.tasks.originals import means_the_source, partners, units_beside
from eyechart.probes.tasks.predictors import Predictor
from eyechart.probes.tasks.shift_pairs import ShiftPair

MOST = 0.5  # of the shifted pictures: where fewer have a partner, pairs would speak for too few of them


@dataclass(frozen=True)
class ShiftOutcome:
    """Right answers on the source (`own`: where only a picture's very own class counts, and none that means the same in the
    shifted set) and on the shifted set. Rows with one number in `source_units` and `shifted_units` show one scene.

    source_truth, shifted_truth: classes of the source list. k: of videos, how many frames away all answers have to be right."""

    contrast: ShiftPair
    source: Flags
    own: Flags
    source_truth: Indices
    source_units: Indices
    shifted: Flags
    shifted_truth: Indices
    shifted_units: Indices
    pairs: tuple[tuple[str, str], ...] = ()  # ids of (source, shifted), row by row, where rows are paired
    unmatched: int = 0  # shifted pictures whose original is not there, though others of their set or they name one
    k: int | None = None
    film: tuple[Flags, ...] = ()  # of videos: the shifted answers for k = 0, 1, …

    @cached_property
    def on_source(self) -> ClusteredShare:
        return clustered_share(self.source, self.source_units)

    @cached_property
    def on_source_by_own(self) -> ClusteredShare:
        return clustered_share(self.own, self.source_units)

    @cached_property
    def on_shifted(self) -> ClusteredShare:
        return clustered_share(self.shifted, self.shifted_units)

    @property
    def drop(self) -> float:
        return self.on_source.value - self.on_shifted.value

    @property
    def slice(self) -> dict[str, object]:
        return {"shift": self.contrast.name} | ({} if self.k is None else {"k": self.k})

    @property
    def title(self) -> str:
        return self.contrast.name + ("" if self.k is None else f", pm-{self.k}")

    @property
    def lost(self) -> list[tuple[str, str]]:
        """Ids of (source, shifted) pictures that only the shift turned wrong."""
        return [pair for pair, before, after in zip(self.pairs, self.source, self.shifted, strict=False) if before and not after]


def judge(inputs: ProbeInput[Any], found: Sequence[ShiftPair], answerer: Predictor) -> list[ShiftOutcome]:
    """One outcome a contrast; of a set of videos two, for the anchors alone and with all the frames around them."""
    outcomes: list[ShiftOutcome] = []
    offset = int(inputs.clusters.max()) + 1
    answered: dict[bytes, Indices] = {}  # on the source: shifts with the same classes share the answers
    for contrast in found:
        key = contrast.columns.tobytes() + contrast.source_rows.tobytes()
        if key not in answered:
            answered[key] = answerer.best(inputs, contrast.source_rows, contrast.columns)
        outcomes += list(_judged(inputs, contrast, answered[key], answerer, offset))
        offset = max(offset, *(int(o.shifted_units.max()) + 1 for o in outcomes))
    return outcomes


def _judged(
    inputs: ProbeInput[Any], contrast: ShiftPair, answered: Indices, answerer: Predictor, offset: int
) -> Iterator[ShiftOutcome]:
    truth = inputs.dataset.label_indices()[contrast.source_rows]
    shifted = answerer.best(contrast.shifted, contrast.rows, contrast.columns)
    outcome = ShiftOutcome(
        contrast,
        source=contrast.alike[truth, answered],
        own=truth == answered,
        source_truth=truth,
        source_units=inputs.clusters[contrast.source_rows],
        shifted=contrast.meaning[contrast.kind, shifted],
        shifted_truth=contrast.meaning.argmax(axis=1)[contrast.kind],
        shifted_units=units_beside(contrast, inputs, offset),
    )
    film = frames(contrast.shifted, contrast.rows)
    if film is None:
        yield _paired(outcome, inputs)
    else:
        yield from _filmed(outcome, film, offset)


def _paired(outcome: ShiftOutcome, inputs: ProbeInput[Any]) -> ShiftOutcome:
    """The rows of either side that have a partner on the other, side by side, where most of the shifted ones have. Else all rows:
    those few that have a partner still vary with it."""
    if not means_the_source(outcome.contrast.shifted, inputs):
        return outcome
    pairs = partners(outcome.contrast, inputs)
    matched = 0 if pairs is None else len(pairs[0])
    outcome = replace(outcome, unmatched=len(outcome.shifted) - matched)
    if pairs is None or matched < MOST * len(outcome.shifted):
        return outcome
    i, j = pairs
    ids, shifted_ids = inputs.dataset.ids(), outcome.contrast.shifted.dataset.ids()
    rows, source_rows = outcome.contrast.rows[i], outcome.contrast.source_rows[j]
    return replace(
        outcome,
        source=outcome.source[j],
        own=outcome.own[j],
        source_truth=outcome.source_truth[j],
        source_units=outcome.source_units[j],
        shifted=outcome.shifted[i],
        shifted_truth=outcome.shifted_truth[i],
        shifted_units=outcome.source_units[j],
        pairs=tuple((ids[b], shifted_ids[a]) for a, b in zip(rows, source_rows, strict=True)),
    )


def _filmed(outcome: ShiftOutcome, film: Frames, offset: int) -> Iterator[ShiftOutcome]:
    pm_k = tuple(film.pm_k(outcome.shifted, k) for k in range(film.widest + 1))
    for k in (0, film.widest):
        yield replace(
            outcome,
            shifted=pm_k[k],
            shifted_truth=outcome.shifted_truth[film.anchors],
            shifted_units=offset + film.videos,
            k=k,
            film=pm_k,
        )
