"""Where the class token looks: how much of its attention lies on every thing of a scene, by the things' exact masks."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.data.masks import Mask, decode_mask
from eyechart.metrics.mask_attention import class_to_patches, covered
from eyechart.probes._scene_objects import Scenes, plain_name
from eyechart.probes.probe import Given, NotApplicable

Doubles = npt.NDArray[np.float64]
Box = tuple[float, float, float, float]

_BATCH = 32  # pictures whose attention is held at once


@dataclass(frozen=True)
class Attended:
    """`shares` [N, heads, n]: the part of each head's attention to patches that lies on the thing in each place; `areas` [N, n]:
    the part of what the network sees that the thing covers; `maps` [N, h, w]: the mean of the heads' attention. `cropped`: scenes
    left out, since the network sees nothing of some thing in them."""

    scenes: Scenes
    shares: Doubles
    areas: Doubles
    maps: Doubles
    clusters: npt.NDArray[np.int64]
    cropped: int

    @property
    def mean_shares(self) -> Doubles:
        """[N, n]: heads averaged, as in the paper."""
        return np.asarray(self.shares.mean(axis=1))

    def by_size(self, values: Doubles) -> Doubles:
        """The same with the largest thing first."""
        return np.take_along_axis(values, self.scenes.by_size, axis=1)


def has_masks(given: Given) -> bool:
    kind = given.dataset.table.schema.field("objects").type
    return getattr(kind, "value_type", None) is not None and kind.value_type.get_field_index("mask") >= 0


def attend(given: Given, scenes: Scenes, names: tuple[str, ...]) -> Attended:
    """Look at the scenes, a batch at a time."""
    assert given.attention is not None and given.windows is not None
    parts: list[tuple[Doubles, Doubles, Doubles]] = []
    for start in range(0, len(scenes), _BATCH):
        rows = [int(row) for row in scenes.rows[start : start + _BATCH]]
        try:
            maps, grid = class_to_patches(given.attention(rows))
        except ValueError as error:
            raise NotApplicable(f"its attention cannot be laid over a picture: {error}") from None
        for row, weights, window in zip(rows, maps, given.windows(rows), strict=True):
            wanted = [names[number] for number in scenes.objects[len(parts)]]
            cells = np.stack([covered(mask, window, grid).ravel() for mask in masks_of(given, row, wanted)])
            parts.append((weights @ cells.T, cells.mean(axis=1), weights.mean(axis=0).reshape(grid)))
    shares, areas, maps = (np.stack(of) for of in zip(*parts, strict=True))
    whole = np.asarray((areas > 0).all(axis=1))
    kept = scenes.among(whole)
    return Attended(kept, shares[whole], areas[whole], maps[whole], given.clusters[kept.rows], int((~whole).sum()))


def masks_of(given: Given, row: int, names: list[str]) -> list[Mask]:
    """Of each name in a picture, where its things are seen."""
    things: list[dict[str, Any]] = given.dataset.table.column("objects")[row].as_py()
    height, width = picture_size(given, row)
    masks = {name: np.zeros((height, width), np.bool_) for name in names}
    for thing in things:
        name = plain_name(thing["name"] or "")
        if name in masks and thing["mask"]:
            masks[name] |= decode_mask(thing["mask"], height, width)
    return [masks[name] for name in names]


def picture_size(given: Given, row: int) -> tuple[int, int]:
    """Height and width: of the camera, which masks are made for."""
    camera = given.dataset.table.column("camera")[row].as_py() if given.dataset.has("camera") else None
    if not camera or not camera.get("height") or not camera.get("width"):
        raise NotApplicable("the dataset has no column camera with the height and width that its masks are made for")
    return int(camera["height"]), int(camera["width"])
