"""The class token's attention on every object of a scene, by the objects' masks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles
from eyechart.data.masks import Mask, decode_mask
from eyechart.metrics.scenes.mask_attention import covered, patch_maps
from eyechart.probes.contract import NotApplicable, ProbeInput
from eyechart.probes.tasks.objects import Scenes, plain_name

Box = tuple[float, float, float, float]

_BATCH = 32  # pictures whose attention is in memory at once


@dataclass(frozen=True)
class ObjectAttention:
    """Attention on the objects of scenes with equally many objects.

    scenes: The scenes.
    shares: The share of each head's attention to patches that is on each object [N, blocks, heads, n], the last block last.
    areas: The share of the model's crop that each object covers [N, n].
    clusters: Scenes of one number show one picture.
    cropped: Scenes left out because an object is outside the model's crop.
    """

    scenes: Scenes
    shares: Doubles
    areas: Doubles
    clusters: npt.NDArray[np.int64]
    cropped: int

    @property
    def blocks(self) -> int:
        return int(self.shares.shape[1])

    @property
    def heads(self) -> int:
        return int(self.shares.shape[2])

    def of(self, block: int | None = None, head: int | None = None) -> Doubles:
        """[N, n]: the shares of a block and head, numbered from 1; by default the last block, averaged over heads."""
        shares = self.shares[:, -1 if block is None else block - 1]
        return np.asarray(shares.mean(axis=1) if head is None else shares[:, head - 1])

    def by_size(self, values: Doubles) -> Doubles:
        """The same values, with the largest object first."""
        return np.take_along_axis(values, self.scenes.by_size, axis=1)


def has_masks(inputs: ProbeInput[Any]) -> bool:
    kind = inputs.dataset.table.schema.field("objects").type
    return getattr(kind, "value_type", None) is not None and kind.value_type.get_field_index("mask") >= 0


def class_maps(inputs: ProbeInput[Any], rows: Sequence[int], *, every_block: bool) -> tuple[Doubles, tuple[int, int]]:
    """Attention from the class token [n, blocks, heads, patches], and the grid of patches. All blocks only where available."""
    if every_block and inputs.block_attention is not None:
        weights = inputs.block_attention(rows)
    else:
        assert inputs.attention is not None
        weights = inputs.attention(rows)[:, None, :, 0]
    try:
        return patch_maps(weights)
    except ValueError as error:
        raise NotApplicable(f"the attention does not form a grid of patches: {error}") from None


def object_attention(
    inputs: ProbeInput[Any], scenes: Scenes, names: tuple[str, ...], *, every_block: bool = False
) -> ObjectAttention:
    """Sum the attention within the masks of all objects, in batches."""
    assert inputs.windows is not None
    parts: list[tuple[Doubles, Doubles]] = []
    for start in range(0, len(scenes), _BATCH):
        rows = [int(row) for row in scenes.rows[start : start + _BATCH]]
        maps, grid = class_maps(inputs, rows, every_block=every_block)
        for row, weights, window in zip(rows, maps, inputs.windows(rows), strict=True):
            wanted = [names[number] for number in scenes.objects[len(parts)]]
            cells = np.stack([covered(mask, window, grid).ravel() for mask in masks_of(inputs, row, wanted)])
            parts.append((weights @ cells.T, cells.mean(axis=1)))
    shares, areas = (np.stack(of) for of in zip(*parts, strict=True))
    whole = np.asarray((areas > 0).all(axis=1))
    kept = scenes.subset(whole)
    return ObjectAttention(kept, shares[whole], areas[whole], inputs.units[kept.rows], int((~whole).sum()))


def masks_of(inputs: ProbeInput[Any], row: int, names: list[str]) -> list[Mask]:
    """For each name, the union of the masks of its objects in a picture."""
    objects: list[dict[str, Any]] = inputs.dataset.table.column("objects")[row].as_py()
    height, width = picture_size(inputs, row)
    masks = {name: np.zeros((height, width), np.bool_) for name in names}
    for one in objects:
        name = plain_name(one["name"] or "")
        if name in masks and one["mask"]:
            masks[name] |= decode_mask(one["mask"], height, width)
    return [masks[name] for name in names]


def picture_size(inputs: ProbeInput[Any], row: int) -> tuple[int, int]:
    """Height and width of the masks, from the column `camera`."""
    camera = inputs.dataset.table.column("camera")[row].as_py() if inputs.dataset.has("camera") else None
    if not camera or not camera.get("height") or not camera.get("width"):
        raise NotApplicable("the dataset has no column camera with the height and width of its masks")
    return int(camera["height"]), int(camera["width"])
