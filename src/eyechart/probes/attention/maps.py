"""Attention maps over pictures, for the last block and, where requested, for every block and head."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from PIL import Image, ImageDraw, ImageFont

from eyechart.arrays import Doubles
from eyechart.data.picture import BrokenPicture, Decoding
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.numbers import percent
from eyechart.probes.attention.object_attention import ObjectAttention, class_maps, masks_of
from eyechart.probes.contract import ProbeInput

_SIDE = 256  # pixels of a single map
_TILE = 160  # pixels of one map in a grid
_ACROSS = 5  # maps in a row of the grid
_COLD, _HOT = np.array([20.0, 30.0, 90.0]), np.array([255.0, 210.0, 60.0])
_LINE = np.array([255.0, 255.0, 255.0])


def map_exhibits(
    inputs: ProbeInput[Any], attended: ObjectAttention, names: Sequence[str], *, shown: int, every_block: bool, every_head: bool
) -> list[Exhibit]:
    """The first scenes, bright where the class token attends, with the outlines of the objects."""
    places = range(min(shown, len(attended.scenes)))
    rows = [int(row) for row in attended.scenes.rows[: len(places)]]
    if not rows:
        return []
    maps, grid = class_maps(inputs, rows, every_block=every_block)
    maps = maps.reshape(*maps.shape[:3], *grid)  # [shown, blocks, heads, h, w]
    usual: list[dict[str, object]] = []
    by_block: list[dict[str, object]] = []
    by_head: list[dict[str, object]] = []
    shares, ids = attended.of(), inputs.dataset.ids()
    for place, row in enumerate(rows):
        wanted = [names[number] for number in attended.scenes.objects[place]]
        view = _view(inputs, row, wanted)
        if view is None:
            continue
        most, largest = int(shares[place].argmax()), {"largest": wanted[attended.scenes.by_size[place, 0]]}
        attends = {"attends most to": wanted[most], "attention": f"{percent(shares[place, most])}"}
        usual.append({"id": ids[row], "drawn": _jpeg(view.under(maps[place, -1].mean(axis=0), _SIDE)), **attends, **largest})
        by_block.append({"drawn": _jpeg(_tiles(view, maps[place].mean(axis=1))), **largest})
        by_head.append({"drawn": _jpeg(_tiles(view, maps[place, -1])), **largest})
    sentence = "Left: the picture. Right: its attention map, bright where the class token attends, with objects outlined."
    exhibits = [("attention-maps", "Attention maps", sentence, usual)]
    if every_block:
        sentence = (
            "The picture, then one map for each block from first to last: bright where the class token attends, mean of heads."
        )
        exhibits.append(("attention-maps-by-block", "Attention maps by block", sentence, by_block))
    if every_head:
        sentence = "The picture, then one map for each head of the last block: bright where the class token attends."
        exhibits.append(("attention-maps-by-head", "Attention maps by head", sentence, by_head))
    return [Exhibit(name, title, text, pa.Table.from_pylist(rows), "pictures") for name, title, text, rows in exhibits if rows]


@dataclass(frozen=True)
class _View:
    """The part of a picture that the model sees.

    picture: The whole picture.
    outline: The outlines of its objects.
    box: The model's crop.
    """

    picture: Image.Image
    outline: Image.Image
    box: tuple[float, float, float, float]

    def plain(self, side: int) -> Doubles:
        return np.asarray(self.picture.resize((side, side), Image.Resampling.BICUBIC, box=self.box), np.float64)

    def under(self, weights: Doubles, side: int) -> Doubles:
        """[side, side, 3]: the picture in gray, colored by a map, with outlines."""
        gray = self.plain(side).mean(axis=2, keepdims=True)
        heat = Image.fromarray((weights / weights.max()).astype(np.float32)).resize((side, side), Image.Resampling.BILINEAR)
        color = _COLD + np.asarray(heat, np.float64)[..., None] * (_HOT - _COLD)
        lines = self.outline.resize((side, side), Image.Resampling.BICUBIC, box=self.box)
        alpha = 0.9 * np.asarray(lines, np.float64)[..., None] / 255
        return np.asarray((0.45 * gray + 0.55 * color) * (1 - alpha) + alpha * _LINE)


def _view(inputs: ProbeInput[Any], row: int, names: list[str]) -> _View | None:
    """None where the picture cannot be read or has another size than its masks."""
    assert inputs.windows is not None
    try:
        picture = Decoding().decode(inputs.dataset.pictures.read(row)).convert("RGB")
    except (OSError, BrokenPicture):
        return None
    outline = np.any([_edge(mask) for mask in masks_of(inputs, row, names)], axis=0)
    if picture.size != outline.shape[::-1]:
        return None
    left, top, right, bottom = (float(edge) for edge in inputs.windows([row])[0])
    # A window may reach an ulp beyond the picture; Pillow's box may not.
    box = (max(0.0, left), max(0.0, top), min(float(picture.width), right), min(float(picture.height), bottom))
    return _View(picture, Image.fromarray((outline * 255).astype(np.uint8)), box)


def _tiles(view: _View, maps: Doubles) -> Doubles:
    """The picture and a numbered map for each of `maps` [k, h, w], row by row."""
    drawn = [view.plain(_TILE), *(_numbered(view.under(weights, _TILE), k) for k, weights in enumerate(maps, start=1))]
    across = min(_ACROSS, len(drawn))
    blank = np.full((_TILE, _TILE, 3), 255.0)
    drawn += [blank] * (-len(drawn) % across)
    return np.concatenate([np.concatenate(drawn[i : i + across], axis=1) for i in range(0, len(drawn), across)])


def _numbered(tile: Doubles, number: int) -> Doubles:
    image = Image.fromarray(np.clip(tile, 0, 255).astype(np.uint8))
    draw, font = ImageDraw.Draw(image), ImageFont.load_default(16)
    draw.text((6, 3), str(number), fill=(255, 255, 255), font=font, stroke_width=2, stroke_fill=(0, 0, 0))
    return np.asarray(image, np.float64)


def _jpeg(canvas: Doubles) -> bytes:
    out = io.BytesIO()
    Image.fromarray(np.clip(canvas, 0, 255).astype(np.uint8)).save(out, "JPEG", quality=85)
    return out.getvalue()


def _edge(mask: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Pixels inside that have a neighbor outside."""
    padded = np.pad(mask, 1)
    inner = padded[:-2, 1:-1] & padded[2:, 1:-1] & padded[1:-1, :-2] & padded[1:-1, 2:]
    return np.asarray(mask & ~inner)
