"""Correct and incorrect predictions on both sides of a shift pair, and which of them vary together."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from eyechart.arrays import Flags, Indices
from eyechart.metrics.intervals.clustered_shares import ClusteredShare, clustered_share
from eyechart.probes.contract import ProbeInput
from eyechart.probes.shift.video_frames import Frames, frames
from eyechart.probes.tasks.originals import paired_rows, refers_to_source, shift_units
from eyechart.probes.tasks.predictors import Predictor, is_among
from eyechart.probes.tasks.shift_pairs import ShiftPair

PAIRED_SHARE = 0.5  # of the shifted pictures must have an original in the source, or all rows are compared instead of pairs


@dataclass(frozen=True)
class ShiftOutcome:
    """Correct predictions on the source and on the shifted set.

    pair: The shift pair.
    source: Whether each source row is classified correctly; source classes that stand for one shifted class are equivalent.
    source_strict: The same, where only the row's own class counts.
    source_truth: The true class of each source row, in the source list.
    source_units: Rows with one number here and in `shifted_units` show one scene.
    shifted: Whether each shifted row is classified correctly.
    shifted_truth: The true class of each shifted row, in the source list.
    shifted_units: See `source_units`.
    pairs: Ids of (source, shifted), row by row, where rows are paired.
    unmatched: Shifted pictures whose original is not in the source.
    k: For videos, the distance in frames up to which all predictions must be correct (pm-k).
    video: For videos, `shifted` for k = 0, 1, ….
    """

    pair: ShiftPair
    source: Flags
    source_strict: Flags
    source_truth: Indices
    source_units: Indices
    shifted: Flags
    shifted_truth: Indices
    shifted_units: Indices
    pairs: tuple[tuple[str, str], ...] = ()
    unmatched: int = 0
    k: int | None = None
    video: tuple[Flags, ...] = ()

    @cached_property
    def on_source(self) -> ClusteredShare:
        return clustered_share(self.source, self.source_units)

    @cached_property
    def on_source_strict(self) -> ClusteredShare:
        return clustered_share(self.source_strict, self.source_units)

    @cached_property
    def on_shifted(self) -> ClusteredShare:
        return clustered_share(self.shifted, self.shifted_units)

    @property
    def drop(self) -> float:
        return self.on_source.value - self.on_shifted.value

    @property
    def slice(self) -> dict[str, object]:
        return {"shift": self.pair.name} | ({} if self.k is None else {"k": self.k})

    @property
    def title(self) -> str:
        return self.pair.name + ("" if self.k is None else f", pm-{self.k}")

    @property
    def lost(self) -> list[tuple[str, str]]:
        """Ids of (source, shifted) pictures that are misclassified only under the shift."""
        return [pair for pair, before, after in zip(self.pairs, self.source, self.shifted, strict=False) if before and not after]


def shift_outcomes(inputs: ProbeInput[Any], found: Sequence[ShiftPair], predictor: Predictor) -> list[ShiftOutcome]:
    """One outcome for each pair; two for videos: for the anchor frames, and with all frames around them."""
    outcomes: list[ShiftOutcome] = []
    offset = int(inputs.units.max()) + 1
    on_source: dict[bytes, Indices] = {}  # shifts with the same classes share the predictions on the source
    for pair in found:
        key = pair.columns.tobytes() + pair.source_rows.tobytes()
        if key not in on_source:
            on_source[key] = predictor.predict(inputs, pair.source_rows, pair.columns)
        outcomes += list(_outcomes(inputs, pair, on_source[key], predictor, offset))
        offset = max(offset, *(int(o.shifted_units.max()) + 1 for o in outcomes))
    return outcomes


def _outcomes(
    inputs: ProbeInput[Any], pair: ShiftPair, on_source: Indices, predictor: Predictor, offset: int
) -> Iterator[ShiftOutcome]:
    truth = inputs.dataset.label_indices()[pair.source_rows]
    on_shifted = predictor.predict(pair.shifted, pair.rows, pair.columns)
    outcome = ShiftOutcome(
        pair,
        source=is_among(pair.equivalent, truth, on_source),
        source_strict=truth == on_source,
        source_truth=truth,
        source_units=inputs.units[pair.source_rows],
        shifted=is_among(pair.accepted, pair.kind, on_shifted),
        shifted_truth=pair.accepted.argmax(axis=1)[pair.kind],
        shifted_units=shift_units(pair, inputs, offset),
    )
    video = frames(pair.shifted, pair.rows)
    if video is None:
        yield _paired(outcome, inputs)
    else:
        yield from _pm_k(outcome, video, offset)


def _paired(outcome: ShiftOutcome, inputs: ProbeInput[Any]) -> ShiftOutcome:
    """The paired rows of both sides, where at least half of the shifted rows have an original; else all rows."""
    if not refers_to_source(outcome.pair.shifted, inputs):
        return outcome
    pairs = paired_rows(outcome.pair, inputs)
    matched = 0 if pairs is None else len(pairs[0])
    outcome = replace(outcome, unmatched=len(outcome.shifted) - matched)
    if pairs is None or matched < PAIRED_SHARE * len(outcome.shifted):
        return outcome
    i, j = pairs
    ids, shifted_ids = inputs.dataset.ids(), outcome.pair.shifted.dataset.ids()
    rows, source_rows = outcome.pair.rows[i], outcome.pair.source_rows[j]
    return replace(
        outcome,
        source=outcome.source[j],
        source_strict=outcome.source_strict[j],
        source_truth=outcome.source_truth[j],
        source_units=outcome.source_units[j],
        shifted=outcome.shifted[i],
        shifted_truth=outcome.shifted_truth[i],
        shifted_units=outcome.source_units[j],
        pairs=tuple((ids[b], shifted_ids[a]) for a, b in zip(rows, source_rows, strict=True)),
    )


def _pm_k(outcome: ShiftOutcome, video: Frames, offset: int) -> Iterator[ShiftOutcome]:
    pm_k = tuple(video.pm_k(outcome.shifted, k) for k in range(video.widest + 1))
    for k in (0, video.widest):
        yield replace(
            outcome,
            shifted=pm_k[k],
            shifted_truth=outcome.shifted_truth[video.anchors],
            shifted_units=offset + video.videos,
            k=k,
            video=pm_k,
        )
