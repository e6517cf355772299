"""A contact sheet of scenes of a bank for the documentation: docs/pictures/bank-scenes.png.

    python scripts/make_bank_sheet.py BANK

BANK is a folder of pictures with transparency; the sheet in the documentation shows the one that `eyechart world bank
fluent-emoji-3d` makes. Eighteen scenes, then two of them with their masks and depth."""

import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image

from eyechart.data.masks import decode_mask
from eyechart.world.bank_dataset import scenes_of
from eyechart.world.bank_scenes import Staging
from eyechart.world.datasets.open import follow
from eyechart.world.folder_bank import open_bank
from eyechart.world.materials import COLORS
from eyechart.world.scene_pictures import ScenePictures

_SHEET = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "bank-scenes.png"
_SIDE, _SHOWN, _GAP, _COLUMNS, _SCENES = 224, 168, 6, 6, 18

Pixels = npt.NDArray[np.uint8]


def main(bank: Path) -> None:
    dataset = follow(scenes_of(open_bank(bank), "bank", Staging()), n=_SCENES, side=_SIDE)
    assert isinstance(dataset.pictures, ScenePictures)
    cells = [dataset.pictures.render(row).picture for row in range(_SCENES)]
    for row in (_SCENES - 8, _SCENES - 7):
        rendering = dataset.pictures.render(row)
        masks = np.full((_SIDE, _SIDE, 3), 235, dtype=np.uint8)
        for color, seen in zip(COLORS.values(), dataset.table["objects"][row].as_py(), strict=False):
            masks[decode_mask(seen["mask"], _SIDE, _SIDE)] = color
        near = rendering.depth - rendering.depth.min()
        depth = (255 - 235 * near / near.max()).astype(np.uint8)
        cells += [rendering.picture, masks, np.stack([depth] * 3, axis=-1)]
    _sheet(cells).save(_SHEET, optimize=True)
    print(f"{_SHEET}: {_SHEET.stat().st_size / 1000:.0f} kB")


def _sheet(cells: list[Pixels]) -> Image.Image:
    step = _SHOWN + _GAP
    page = Image.new("RGB", (_COLUMNS * step + _GAP, -(-len(cells) // _COLUMNS) * step + _GAP), "white")
    for number, cell in enumerate(cells):
        small = Image.fromarray(cell).resize((_SHOWN, _SHOWN), Image.Resampling.LANCZOS)
        page.paste(small, (_GAP + number % _COLUMNS * step, _GAP + number // _COLUMNS * step))
    return page


if __name__ == "__main__":
    main(Path(sys.argv[1]))
