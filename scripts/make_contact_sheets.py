"""Contact sheets of the embedded world's datasets for the documentation: docs/pictures/world-NAME.png.

    python scripts/make_contact_sheets.py [NAME ...]

Pictures are shown at twice their size, in few colors, which keeps a sheet below 150 kB."""

import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from eyechart.data.dataset import Dataset
from eyechart.data.masks import decode_mask
from eyechart.world.datasets.open import open_world
from eyechart.world.drawing import NAMES
from eyechart.world.frequencies import FROM_COMMON_TO_RARE
from eyechart.world.materials import COLORS
from eyechart.world.scene_pictures import ScenePictures

PICTURES = Path(__file__).resolve().parent.parent / "docs" / "pictures"
LIMIT = 150_000
_ZOOM, _GAP, _LINE = 2, 6, 14
_PAPER, _INK = (255, 255, 255), (40, 40, 40)

Pixels = npt.NDArray[np.uint8]


@dataclass(frozen=True)
class Cell:
    pixels: Pixels
    label: str


def sheet(cells: Sequence[Cell], columns: int) -> Image.Image:
    """Cells in reading order, each with its label below; a line break in a label is kept."""
    lines = max(cell.label.count("\n") + 1 for cell in cells)
    side = cells[0].pixels.shape[1] * _ZOOM
    tall = cells[0].pixels.shape[0] * _ZOOM + lines * _LINE + 2
    rows = -(-len(cells) // columns)
    page = Image.new("RGB", (columns * (side + _GAP) + _GAP, rows * (tall + _GAP) + _GAP), _PAPER)
    pen, font = ImageDraw.Draw(page), ImageFont.load_default(size=12)
    for number, cell in enumerate(cells):
        left, top = _GAP + number % columns * (side + _GAP), _GAP + number // columns * (tall + _GAP)
        height, width = cell.pixels.shape[:2]
        page.paste(Image.fromarray(cell.pixels).resize((width * _ZOOM, height * _ZOOM), Image.Resampling.NEAREST), (left, top))
        for line, text in enumerate(cell.label.split("\n")):
            pen.text((left + 1, top + height * _ZOOM + 1 + line * _LINE), text, _INK, font)
    return page


def save(page: Image.Image, path: Path) -> None:
    for colors in (256, 160, 96, 64, 40, 24):
        # Of the ways to choose colors, this one keeps hues that are rare on the page.
        page.quantize(colors, Image.Quantize.FASTOCTREE, dither=Image.Dither.NONE).save(path, optimize=True)
        if path.stat().st_size < LIMIT:
            print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB, {colors} colors, {page.width} x {page.height}")
            return
    raise SystemExit(f"{path}: more than {LIMIT} bytes even in few colors; show fewer pictures")


def of(dataset: Dataset, row: int, label: str) -> Cell:
    assert isinstance(dataset.pictures, ScenePictures)
    return Cell(dataset.pictures.render(row).picture, label)


def objects() -> Image.Image:
    dataset = open_world("world-objects", n=36)
    return sheet([of(dataset, row, label) for row, label in enumerate(dataset.table["label"].to_pylist())], 9)


def factors() -> Image.Image:
    dataset = open_world("world-factors", n=284)
    rows = [
        (row["attr.scene"], list(row).index(f"factor.{row['attr.factor']}") if row["attr.factor"] != "none" else 0, number)
        for number, row in enumerate(dataset.table.to_pylist())
        if row["label"] in ("mug", "star")
    ]
    names = dataset.table["attr.factor"].to_pylist()
    return sheet([of(dataset, row, names[row]) for _, _, row in sorted(rows)], 8)


def cue_conflict() -> Image.Image:
    dataset = open_world("world-cue-conflict", n=25)
    rows = sorted(range(25), key=lambda row: [dataset.table[f"attr.{key}"][row].as_py() for key in ("texture", "shape")])
    return sheet([of(dataset, row, dataset.ids()[row][6:].replace("-", " ")) for row in rows], 5)


def ood() -> Image.Image:
    dataset = open_world("world-ood", n=32)
    rows = sorted(range(32), key=lambda row: row % 4)
    kinds, shows = (dataset.table[f"attr.{key}"].to_pylist() for key in ("kind", "shows"))
    return sheet([of(dataset, row, kinds[row] if shows[row] == "nothing" else f"{kinds[row]}:\n{shows[row]}") for row in rows], 8)


def shifts() -> Image.Image:
    dataset = open_world("world-shifts", n=18 * 90)
    table = dataset.table.to_pylist()
    shown = [row for row in range(len(dataset)) if table[row]["label"] == "pot"]
    several = [row for row in shown if table[row]["attr.severity"] in (0, 4)]
    fog = sorted((row for row in shown if table[row]["attr.shift"] == "fog_3d"), key=lambda row: table[row]["attr.severity"])

    def label(row: int) -> str:
        return table[row]["attr.shift"] + (f"\n{table[row]['attr.severity']}" if table[row]["attr.severity"] else "")

    return sheet([of(dataset, row, label(row)) for row in (*several, *fog)], 9)


def retrieval() -> Image.Image:
    dataset = open_world("world-retrieval", n=20)
    captions = [words[0].replace(" and ", "\n") for words in dataset.table["captions"].to_pylist()]
    return sheet([of(dataset, row, caption) for row, caption in enumerate(captions)], 7)


def scenes() -> Image.Image:
    dataset = open_world("world-scenes", n=28)
    places, counts = (dataset.table[f"attr.{key}"].to_pylist() for key in ("large_place", "count"))
    return sheet([of(dataset, row, f"{counts[row]}, large: {places[row]}") for row in range(28)], 7)


def size_ratios() -> Image.Image:
    dataset = open_world("world-size-ratios", n=18)
    ratios = dataset.table["attr.ratio"].to_pylist()
    return sheet([of(dataset, row, f"{ratios[row]:g} times") for row in range(18)], 9)


def foils() -> Image.Image:
    dataset = open_world("world-foils", n=12)
    told = zip(dataset.table["captions"].to_pylist(), dataset.table["foils"].to_pylist(), strict=True)
    labels = [f"{caption[0]}\nnot: {foil[0]}".replace(" and ", "\n  and ") for caption, foil in told]
    return sheet([of(dataset, row, label) for row, label in enumerate(labels)], 6)


def views() -> Image.Image:
    """Both views side by side, with some corresponding points in the same color."""
    dataset = open_world("world-views", n=24)
    assert isinstance(dataset.pictures, ScenePictures) and dataset.pairs is not None
    cells = []
    for number, pair in enumerate(dataset.pairs.to_pylist()):
        first, second = (dataset.pictures.render(2 * number + view).picture for view in (0, 1))
        both = np.hstack([first, np.full((64, 2, 3), 255, dtype=np.uint8), second])
        chosen = np.linspace(0, len(pair["points_a"]) - 1, 6).astype(int) if pair["points_a"] else []
        for color, point in zip(COLORS.values(), chosen, strict=False):
            for (x, y), shift in ((pair["points_a"][point], 0), (pair["points_b"][point], 66)):
                column, row = int(x) + shift, int(y)
                both[max(0, row - 2) : row + 3, max(0, column - 2) : column + 3] = 255
                both[max(0, row - 1) : row + 2, max(0, column - 1) : column + 2] = color
        cells.append(Cell(both, f"{dataset.table['attr.turn'][2 * number].as_py():.0f} degrees"))
    return sheet(cells, 4)


def people() -> Image.Image:
    dataset = open_world("world-people", n=28)
    table = dataset.table.to_pylist()
    return sheet([of(dataset, i, f"{r['label']}\n{r['attr.hat']}, {r['attr.badge']}") for i, r in enumerate(table)], 7)


def long_tail() -> Image.Image:
    dataset = open_world("world-long-tail", n=18)
    shares = dataset.table["attr.frequency"].to_pylist()
    rows = [NAMES.index(name) for name in FROM_COMMON_TO_RARE]
    return sheet([of(dataset, row, f"{NAMES[row]}\n{shares[row]:.1%}") for row in rows], 9)


def prompts() -> Image.Image:
    """One set of things in its three turns, then another: both generators."""
    dataset = open_world("world-prompts", n=12)
    table = dataset.table.to_pylist()
    return sheet(
        [of(dataset, i, f"{r['attr.prompt'].replace(' and ', chr(10))}\n{r['attr.generator']}") for i, r in enumerate(table)], 6
    )


def truth() -> Image.Image:
    """What is known of a picture: which pixels show which object, and how far away everything is."""
    dataset = open_world("world-scenes", n=14)
    assert isinstance(dataset.pictures, ScenePictures)
    cells = []
    for row in (1, 5, 9):
        rendering = dataset.pictures.render(row)
        masks = np.full((64, 64, 3), 235, dtype=np.uint8)
        for color, seen in zip(COLORS.values(), dataset.table["objects"][row].as_py(), strict=False):
            masks[decode_mask(seen["mask"], 64, 64)] = color
        near = rendering.depth - rendering.depth.min()
        depth = (255 - 235 * near / near.max()).astype(np.uint8)
        cells += [Cell(rendering.picture, "picture"), Cell(masks, "masks"), Cell(np.stack([depth] * 3, axis=-1), "depth")]
    return sheet(cells, 9)


SHEETS: dict[str, Callable[[], Image.Image]] = {
    f"world-{made.__name__.replace('_', '-')}": made
    for made in (
        objects,
        factors,
        cue_conflict,
        ood,
        shifts,
        retrieval,
        scenes,
        size_ratios,
        foils,
        views,
        people,
        long_tail,
        prompts,
        truth,
    )
}

if __name__ == "__main__":
    for name in sys.argv[1:] or SHEETS:
        save(SHEETS[name](), PICTURES / f"{name}.png")
