"""Match keypoints of one picture in another by patch features, and measure the error."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices
from eyechart.metrics.scenes.patch_matching import Places, directions, match, middles, sample
from eyechart.probes.contract import NotApplicable, ProbeInput

PAIRS_AT_ONCE = 16  # in one batch of the network
_BYTES = 1 << 28  # of patch features that are kept for later pairs


@dataclass(frozen=True)
class Search:
    """How keypoints are matched.

    keep: Keypoints of a pair that are used, the clearest matches first.
    side: Errors are in pixels of a picture whose shorter side, after the model's crop, has this length.
    within_box: Search only patches in the object box, where it is known.
    pixels: The tolerances at which chance and upper bound are computed.
    """

    keep: int
    side: int
    within_box: bool
    pixels: tuple[int, ...]


@dataclass(frozen=True)
class KeypointMatches:
    """The match of every keypoint.

    pair: The pair of each keypoint.
    error: The distance of the match from the true position, in pixels.
    box_error: The same relative to the longer side of the object box; NaN without a box.
    chance: The share of patches within each tolerance [n, tolerances].
    reachable: Whether any patch is within each tolerance [n, tolerances].
    outside: How many keypoints are outside the model's crop of either picture.
    patch: The width of a patch in the same pixels, in the last picture.
    start: The keypoint in the first picture, in that picture's own pixels [n, 2].
    goal: Its true position in the second picture [n, 2].
    guess: Its predicted position in the second picture [n, 2].
    """

    pair: Indices
    error: npt.NDArray[np.float64]
    box_error: npt.NDArray[np.float64]
    chance: npt.NDArray[np.float64]
    reachable: npt.NDArray[np.bool_]
    outside: int
    patch: float
    start: npt.NDArray[np.float64]
    goal: npt.NDArray[np.float64]
    guess: npt.NDArray[np.float64]


@dataclass(frozen=True)
class PatchPicture:
    """The patch features of a picture.

    tokens: Unit vectors [h, w, d].
    window: The crop they cover, in the picture's pixels.
    """

    tokens: Floats
    window: npt.NDArray[np.float64]

    @property
    def size(self) -> npt.NDArray[np.float64]:
        return self.window[2:] - self.window[:2]

    @property
    def patch(self) -> npt.NDArray[np.float64]:
        high, wide = self.tokens.shape[:2]
        return self.size / [wide, high]

    def contains(self, places: Places) -> npt.NDArray[np.bool_]:
        return _inside(places, self.window)


class PatchCache:
    """A cache of the most recently used patch features: in SPair-71k a picture is in a dozen pairs."""

    def __init__(self, inputs: ProbeInput[Any]) -> None:
        if inputs.patches is None or inputs.windows is None:
            raise NotApplicable("the crop that the model sees is unknown, so its patches have no position in the picture")
        self._patches, self._windows = inputs.patches, inputs.windows
        self._held: dict[int, PatchPicture] = {}

    def load(self, rows: Sequence[int]) -> None:
        """Compute the features that are missing, in one batch, and drop the least recently used."""
        for row in rows:
            if row in self._held:
                self._held[row] = self._held.pop(row)
        missing = [row for row in dict.fromkeys(rows) if row not in self._held]
        if not missing:
            return
        tokens, windows = directions(self._patches(missing)), self._windows(missing)
        most = max(len(rows), _BYTES // max(tokens[0].nbytes, 1))
        self._held |= {row: PatchPicture(tokens[i], windows[i]) for i, row in enumerate(missing)}
        for row in list(self._held)[: max(0, len(self._held) - most)]:
            del self._held[row]

    def __getitem__(self, row: int) -> PatchPicture:
        return self._held[row]


def match_keypoints(inputs: ProbeInput[Any], pairs: Sequence[dict[str, Any]], search: Search) -> KeypointMatches:
    """Match all keypoints of all pairs. `pairs` are rows of the dataset's pairs."""
    row_of = {id: row for row, id in enumerate(inputs.dataset.ids())}
    ends = [(row_of[pair["id_a"]], row_of[pair["id_b"]]) for pair in pairs]
    pictures, parts, outside, patch = PatchCache(inputs), [], 0, 0.0
    for start in range(0, len(pairs), PAIRS_AT_ONCE):
        together = range(start, min(start + PAIRS_AT_ONCE, len(pairs)))
        pictures.load([row for number in together for row in ends[number]])
        for number in together:
            a, b = (pictures[row] for row in ends[number])
            found = _in_pair(a, b, pairs[number], search)
            outside += len(pairs[number]["points_a"]) - len(found[0])
            kept = [part[: search.keep] for part in found]
            parts.append((np.full(len(kept[0]), number), *kept))
            patch = float(b.patch.max() * search.side / b.size.min())
    if not parts:
        raise NotApplicable("the dataset has no pair of two readable pictures")
    columns = (np.concatenate(column) for column in zip(*parts, strict=True))
    pair, error, box_error, chance, reachable, start_at, goal, guess = columns
    if not len(pair):
        raise NotApplicable("no keypoint is within the model's crop of both pictures")
    return KeypointMatches(pair, error, box_error, chance, reachable, outside, patch, start_at, goal, guess)


def _in_pair(a: PatchPicture, b: PatchPicture, pair: dict[str, Any], search: Search) -> tuple[npt.NDArray[Any], ...]:
    """What `KeypointMatches` has of the keypoints within both crops, the clearest matches first."""
    first, second = (np.asarray(pair[points], np.float64).reshape(-1, 2) for points in ("points_a", "points_b"))
    visible = a.contains(first) & b.contains(second)
    first, second = first[visible], second[visible]
    places = middles(*b.tokens.shape[:2]) * b.patch + b.window[:2]
    box = None if pair.get("box_b") is None else np.asarray(pair["box_b"], np.float64)
    searched = _searched(places, box if search.within_box else None)
    queries = sample(a.tokens, (first - a.window[:2]) / a.patch)
    matches = match(queries, b.tokens.reshape(-1, b.tokens.shape[2])[searched])
    guess = places[searched][matches.nearest]
    error = np.linalg.norm(guess - second, axis=1)
    longer = np.nan if box is None else float((box[2:] - box[:2]).max())
    scale = search.side / b.size.min()
    apart = np.linalg.norm(places[searched][None] - second[:, None], axis=2) * scale
    chance = np.column_stack([(apart <= tolerance).mean(axis=1) for tolerance in search.pixels])
    order = np.argsort(-matches.weight, kind="stable")
    positions = (first[order], second[order], guess[order])
    return error[order] * scale, error[order] / longer, chance[order], chance[order] > 0, *positions


def _searched(places: Places, box: npt.NDArray[np.float64] | None) -> Indices:
    """The patches that are searched: those with their center in the box, or all of them."""
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
