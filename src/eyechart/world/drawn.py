"""Drawn pictures: one coloured shape before a background, every choice known. They stand in until there is a larger world."""

import io
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from PIL import Image

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.errors import UsageError
from eyechart.hashing import Identity
from eyechart.world.shapes import SHAPES

DRAWING_VERSION = 1  # goes up with every change that moves a pixel: remembered hashes of drawn pictures rest on it

COLORS = {
    "red": (206, 44, 40),
    "green": (42, 150, 66),
    "blue": (38, 88, 200),
    "yellow": (232, 200, 40),
    "purple": (134, 60, 170),
    "orange": (232, 128, 30),
}
SIZES = {"small": 0.19, "medium": 0.27, "large": 0.36}
BACKGROUNDS = {"plain": "plain", "gradient": "shaded", "stripes": "striped", "noise": "grainy"}
SYNONYMS = {"circle": ("disc",), "ring": ("hoop",), "crescent": ("moon",), "diamond": ("rhombus",), "cross": ("plus sign",)}

_SUBPIXELS = 3
_COLOR_JITTER, _GRAIN = 14.0, 5.0
_PATTERN = 22.0


@dataclass(frozen=True)
class Drawing:
    """Everything that decides one picture."""

    shape: str
    color: str
    size: str
    background: str
    seed: tuple[int, int, int]

    @property
    def captions(self) -> tuple[str, str]:
        article = "an" if self.color[0] in "aeiou" else "a"
        return (
            f"a {self.size} {self.color} {self.shape} on a {BACKGROUNDS[self.background]} background",
            f"{article} {self.color} {self.shape}",
        )

    def pixels(self, side: int) -> npt.NDArray[np.uint8]:
        """[side, side, 3]. Edges are smooth: every pixel is the mean of nine points."""
        rng = np.random.default_rng((*self.seed, 1))
        radius = SIZES[self.size] * rng.uniform(0.92, 1.08)
        slack = max(0.0, 0.47 - radius) * 0.7
        turn = np.deg2rad(rng.uniform(-22, 22))
        points = (np.arange(side * _SUBPIXELS) + 0.5) / (side * _SUBPIXELS)
        across, down = ((points - 0.5 - rng.uniform(-slack, slack)) / radius for _ in range(2))
        inside = np.zeros((len(points), len(points)), dtype=np.bool_)
        # No shape leaves the unit circle: only the square around it is asked.
        rows, columns = (np.flatnonzero(np.abs(place) <= 1) for place in (down, across))
        y, x = np.meshgrid(down[rows], across[columns], indexing="ij")
        turned = x * np.cos(turn) + y * np.sin(turn), y * np.cos(turn) - x * np.sin(turn)
        inside[np.ix_(rows, columns)] = SHAPES[self.shape](*turned)
        cover = inside.reshape(side, _SUBPIXELS, side, _SUBPIXELS).mean(axis=(1, 3))[..., None]
        ink = np.array(COLORS[self.color]) + rng.normal(0, _COLOR_JITTER, 3)
        picture = cover * ink + (1 - cover) * self._ground(rng, side) + rng.normal(0, _GRAIN, (side, side, 3))
        return np.asarray(np.clip(np.rint(picture), 0, 255), dtype=np.uint8)

    def _ground(self, rng: np.random.Generator, side: int) -> npt.NDArray[np.float64]:
        tone = rng.uniform(150, 235) + rng.uniform(-18, 18, 3)
        y, x = np.meshgrid(np.arange(side) / side, np.arange(side) / side, indexing="ij")
        angle = rng.uniform(0, np.pi)
        along = x * np.cos(angle) + y * np.sin(angle)
        if self.background == "gradient":
            pattern = 2 * (along - along.mean())
        elif self.background == "stripes":
            pattern = np.sign(np.sin(2 * np.pi * along * rng.uniform(5, 8)))
        elif self.background == "noise":
            pattern = rng.normal(0, 1, (side, side))
        else:
            pattern = np.zeros((side, side))
        return np.asarray(tone + _PATTERN * pattern[..., None])


@dataclass(frozen=True)
class DrawnPictures:
    """Pictures that are drawn when read. The same drawing always gives the same bytes, so its identity is known beforehand."""

    drawings: tuple[Drawing, ...]
    side: int

    def __len__(self) -> int:
        return len(self.drawings)

    def read(self, row: int) -> bytes:
        file = io.BytesIO()
        Image.fromarray(self.drawings[row].pixels(self.side)).save(file, "PNG", compress_level=1)
        return file.getvalue()

    def identity(self, row: int) -> Identity | None:
        return Identity(self.place(row), self.side, DRAWING_VERSION, 0)

    def place(self, row: int) -> str:
        return f"drawn:{self.drawings[row]}"

    def take(self, rows: Sequence[int]) -> "DrawnPictures":
        return DrawnPictures(tuple(self.drawings[row] for row in rows), self.side)


def drawn_pictures(n_per_class: int, seed: int, size: int = 64) -> Dataset:
    """`n_per_class` pictures of each of the twelve shapes. Picture i of a shape is the same however many there are."""
    if n_per_class < 1 or size < 8:
        raise UsageError(f"drawn pictures: {n_per_class} per class of {size} pixels; give at least 1 of at least 8")
    drawings = [_drawing(seed, number, shape, index) for number, shape in enumerate(SHAPES) for index in range(n_per_class)]
    table = pa.table(
        {
            "id": [f"{d.shape}-{d.seed[2]:04d}" for d in drawings],
            "label": [d.shape for d in drawings],
            "captions": pa.array([list(d.captions) for d in drawings], pa.list_(pa.string())),
            "attr.color": [d.color for d in drawings],
            "attr.size": [d.size for d in drawings],
            "attr.background": [d.background for d in drawings],
        }
    )
    classes = ClassList(
        "drawn-12", tuple(PictureClass(shape, shape, SYNONYMS.get(shape, ())) for shape in SHAPES), "drawn by Eyechart"
    )
    reader = {"kind": "drawn", "n_per_class": n_per_class, "seed": seed, "size": size, "version": DRAWING_VERSION}
    return Dataset("drawn", table, DrawnPictures(tuple(drawings), size), classes, (), reader)


def _drawing(seed: int, number: int, shape: str, index: int) -> Drawing:
    rng = np.random.default_rng((seed, number, index, 0))
    color, size, background = (str(rng.choice(list(choices))) for choices in (COLORS, SIZES, BACKGROUNDS))
    return Drawing(shape, color, size, background, (seed, number, index))
