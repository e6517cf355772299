"""Spots of one picture looked for in another by the tokens of their patches: how far off each one is found."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices
from eyechart.metrics.scenes.patch_matching import Places, directions, match, middles, sample
from eyechart.probes.probe import NotApplicable, ProbeInput

_PAIRS = 16  # looked at together, so that the network gets batches
_BYTES = 1 << 28  # of patches that are kept for later pairs


@dataclass(frozen=True)
class Search:
    """`keep`: so many spots of a pair, the clearest matches. `side`: errors are in pixels of a picture whose shorter side, as the
    network sees it, has so many. `within_box`: only patches in the box of the thing are searched, where it is known. `pixels`:
    at which tolerances chance and the best possible are computed."""

    keep: int
    side: int
    within_box: bool
    pixels: tuple[int, ...]


@dataclass(frozen=True)
class Keypoints:
    """One row for each spot that was looked for. `off`: how far from its place it was found, in pixels; `off_box`: in longer
    sides of the thing's box, NaN where none is known. `guessed`, `best` [n, tolerances]: the share of patches near enough, and
    whether any is. `unseen`: spots that lie outside of what the network sees of either picture."""

    pair: Indices
    off: npt.NDArray[np.float64]
    off_box: npt.NDArray[np.float64]
    guessed: npt.NDArray[np.float64]
    best: npt.NDArray[np.bool_]
    unseen: int
    patch: float  # the width of a patch, in the same pixels, of the last picture


@dataclass(frozen=True)
class _Picture:
    """`tokens` [h, w, d] at unit length, over the `window` of the picture's pixels."""

    tokens: Floats
    window: npt.NDArray[np.float64]

    @property
    def size(self) -> npt.NDArray[np.float64]:
        return self.window[2:] - self.window[:2]

    @property
    def patch(self) -> npt.NDArray[np.float64]:
        high, wide = self.tokens.shape[:2]
        return self.size / [wide, high]

    def sees(self, places: Places) -> npt.NDArray[np.bool_]:
        return _inside(places, self.window)


class _Pictures:
    """The patches of pictures, the last used of them at hand: in SPair-71k a picture stands in a dozen pairs."""

    def __init__(self, inputs: ProbeInput[Any]) -> None:
        if inputs.patches is None or inputs.windows is None:
            raise NotApplicable("the model does not say which part of a picture it sees, so its patches have no place in it")
        self._patches, self._windows = inputs.patches, inputs.windows
        self._held: dict[int, _Picture] = {}

    def load(self, rows: Sequence[int]) -> None:
        """Look at those that are not at hand, all at once; of the others, the longest unused make room for them."""
        for row in rows:
            if row in self._held:
                self._held[row] = self._held.pop(row)
        missing = [row for row in dict.fromkeys(rows) if row not in self._held]
        if not missing:
            return
        tokens, windows = directions(self._patches(missing)), self._windows(missing)
        most = max(len(rows), _BYTES // max(tokens[0].nbytes, 1))
        self._held |= {row: _Picture(tokens[i], windows[i]) for i, row in enumerate(missing)}
        for row in list(self._held)[: max(0, len(self._held) - most)]:
            del self._held[row]

    def __getitem__(self, row: int) -> _Picture:
        return self._held[row]


def find_keypoints(inputs: ProbeInput[Any], pairs: Sequence[dict[str, Any]], search: Search) -> Keypoints:
    """`pairs` are rows of the dataset's pairs."""
    row_of = {id: row for row, id in enumerate(inputs.dataset.ids())}
    ends = [(row_of[pair["id_a"]], row_of[pair["id_b"]]) for pair in pairs]
    pictures, parts, unseen, patch = _Pictures(inputs), [], 0, 0.0
    for start in range(0, len(pairs), _PAIRS):
        together = range(start, min(start + _PAIRS, len(pairs)))
        pictures.load([row for number in together for row in ends[number]])
        for number in together:
            a, b = (pictures[row] for row in ends[number])
            found = _in_pair(a, b, pairs[number], search)
            unseen += len(pairs[number]["points_a"]) - len(found[0])
            parts.append((np.full(len(found[0]), number), *(part[: search.keep] for part in found)))
            patch = float(b.patch.max() * search.side / b.size.min())
    if not parts:
        raise NotApplicable("the dataset has no pair of which both pictures could be used")
    pair, off, off_box, guessed, best = (np.concatenate(columns) for columns in zip(*parts, strict=True))
    if not len(pair):
        raise NotApplicable("not one point of the pairs lies in the part of its pictures that the network sees")
    return Keypoints(pair, off, off_box, guessed, best, unseen, patch)


def _in_pair(a: _Picture, b: _Picture, pair: dict[str, Any], search: Search) -> tuple[npt.NDArray[Any], ...]:
    """`off`, `off_box`, `guessed` and `best` of the spots that both pictures show, the clearest matches first."""
    first, second = (np.asarray(pair[points], np.float64).reshape(-1, 2) for points in ("points_a", "points_b"))
    seen = a.sees(first) & b.sees(second)
    first, second = first[seen], second[seen]
    places = middles(*b.tokens.shape[:2]) * b.patch + b.window[:2]
    box = None if pair.get("box_b") is None else np.asarray(pair["box_b"], np.float64)
    searched = _searched(places, box if search.within_box else None)
    queries = sample(a.tokens, (first - a.window[:2]) / a.patch)
    matches = match(queries, b.tokens.reshape(-1, b.tokens.shape[2])[searched])
    off = np.linalg.norm(places[searched][matches.nearest] - second, axis=1)
    longer = np.nan if box is None else float((box[2:] - box[:2]).max())
    scale = search.side / b.size.min()
    apart = np.linalg.norm(places[searched][None] - second[:, None], axis=2) * scale
    guessed = np.column_stack([(apart <= tolerance).mean(axis=1) for tolerance in search.pixels])
    order = np.argsort(-matches.weight, kind="stable")
    return off[order] * scale, off[order] / longer, guessed[order], guessed[order] > 0


def _searched(places: Places, box: npt.NDArray[np.float64] | None) -> Indices:
    """The patches among which a spot is looked for: those with their middle in the box, or all of them."""
    if box is not None:
        inside = np.flatnonzero(_inside(places, box))
        if len(inside) > 1:
            return inside
    return np.arange(len(places))


def _inside(places: Places, box: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    left, top, right, bottom = box
    x, y = places.T
    inside: npt.NDArray[np.bool_] = (x >= left) & (x <= right) & (y >= top) & (y <= bottom)
    return inside
