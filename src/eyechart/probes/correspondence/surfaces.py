"""Dense correspondence: every patch on the object is matched, and the error is a distance in space (El Banani et al., 2024).

The protocol of Probe3D for NAVI: patches of the first view that show the object are matched with those of the second by cosine;
the `keep` clearest matches of a pair count. The error is the distance of the two surface points, in centimeters.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from eyechart.arrays import Indices
from eyechart.data.pairs import SURFACES
from eyechart.metrics.scenes.patch_matching import match, middles
from eyechart.probes.contract import ProbeInput
from eyechart.probes.correspondence.keypoints import PAIRS_AT_ONCE, PatchCache, PatchPicture

Space = npt.NDArray[np.float64]  # [n, 3]: X, Y, Z in centimeters
Surface = npt.NDArray[np.float64]  # [n, 5]: x, y, X, Y, Z


@dataclass(frozen=True)
class SurfaceMatches:
    """The matches of all patches on the object.

    pair: The pair of each patch.
    error: The distance of the match from the patch in space, in centimeters.
    chance: The share of patches within each tolerance [n, tolerances].
    reachable: Whether any patch is within each tolerance [n, tolerances].
    """

    pair: Indices
    error: npt.NDArray[np.float64]
    chance: npt.NDArray[np.float64]
    reachable: npt.NDArray[np.bool_]


def match_surfaces(inputs: ProbeInput[Any], pairs: pa.Table, keep: int, centimeters: Sequence[int]) -> SurfaceMatches | None:
    """Match the patches of all pairs with surfaces; None where no pair has two patches on the object in both views."""
    if not set(SURFACES) <= set(pairs.column_names) or not centimeters:
        return None
    row_of = {id: row for row, id in enumerate(inputs.dataset.ids())}
    ends = [
        (row_of[a], row_of[b]) for a, b in zip(pairs.column("id_a").to_pylist(), pairs.column("id_b").to_pylist(), strict=True)
    ]
    pictures, parts = PatchCache(inputs), []
    for start in range(0, len(ends), PAIRS_AT_ONCE):
        together = range(start, min(start + PAIRS_AT_ONCE, len(ends)))
        pictures.load([row for number in together for row in ends[number]])
        for number in together:
            views = [(pictures[row], _surface(pairs, name, number)) for row, name in zip(ends[number], SURFACES, strict=True)]
            found = _in_pair(*views[0], *views[1], keep, centimeters)
            if found is not None:
                parts.append((np.full(len(found[0]), number), *found))
    if not parts:
        return None
    return SurfaceMatches(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _surface(pairs: pa.Table, name: str, row: int) -> Surface:
    points = pairs.column(name)[row].values
    if points is None:
        return np.empty((0, 5))
    return np.asarray(points.flatten(), np.float64).reshape(-1, 5)


def _in_pair(
    a: PatchPicture, on_a: Surface, b: PatchPicture, on_b: Surface, keep: int, centimeters: Sequence[int]
) -> tuple[npt.NDArray[Any], ...] | None:
    """Error, chance and reach of the clearest matches of a pair; None with fewer than two patches on the object."""
    (cells_a, space_a), (cells_b, space_b) = on_patches(a, on_a), on_patches(b, on_b)
    if not len(cells_a) or len(cells_b) < 2:
        return None
    tokens = [picture.tokens.reshape(-1, picture.tokens.shape[2]) for picture in (a, b)]
    matches = match(tokens[0][cells_a], tokens[1][cells_b])
    kept = np.argsort(-matches.weight, kind="stable")[:keep]
    apart = np.linalg.norm(space_a[kept, None] - space_b[None], axis=2)
    error = apart[np.arange(len(kept)), matches.nearest[kept]]
    chance = np.column_stack([(apart <= tolerance).mean(axis=1) for tolerance in centimeters])
    return error, chance, chance > 0


def on_patches(picture: PatchPicture, surface: Surface) -> tuple[Indices, Space]:
    """The patches that show the surface, and of each the surface point that is nearest to its center."""
    high, wide = picture.tokens.shape[:2]
    places = (surface[:, :2] - picture.window[:2]) / picture.patch
    column, row = np.floor(places).astype(np.int64).T
    inside = (column >= 0) & (row >= 0) & (column < wide) & (row < high)
    cell = row[inside] * wide + column[inside]
    off_center = np.linalg.norm(places[inside] - middles(high, wide)[cell], axis=1)
    order = np.lexsort((off_center, cell))
    cells, first = np.unique(cell[order], return_index=True)
    return cells, surface[inside][order][first, 2:]
