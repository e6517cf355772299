"""A tiny bank of pictures drawn for the tests: shapes whose area and outline are known."""

from pathlib import Path

import numpy as np
from PIL import Image

COLORS = {"square": (200, 40, 40), "disc": (40, 160, 60), "bar": (50, 70, 200), "post": (220, 180, 40), "wedge": (150, 60, 170)}


def outline(name: str, side: int = 64) -> np.ndarray:
    """[side, side] alpha, 0 or 255, with an empty border."""
    y, x = np.mgrid[:side, :side]
    middle, radius = side // 2, side // 4
    inside = {
        "square": (abs(x - middle) < radius) & (abs(y - middle) < radius),
        "disc": (x - middle) ** 2 + (y - middle) ** 2 < radius**2,
        "bar": (abs(x - middle) < radius) & (abs(y - middle) < radius // 4),
        "post": (abs(x - middle) < radius // 4) & (abs(y - middle) < radius),
        "wedge": (abs(x - middle) < radius) & (abs(y - middle) < radius) & (x - middle < y - middle),
    }[name]
    return np.where(inside, 255, 0).astype(np.uint8)


def picture(name: str, side: int = 64) -> Image.Image:
    alpha = outline(name, side)
    pixels = np.empty((side, side, 4), dtype=np.uint8)
    pixels[..., :3] = COLORS[name]
    pixels[..., 3] = alpha
    return Image.fromarray(pixels)


def draw_bank(folder: Path, names: tuple[str, ...] = tuple(COLORS)) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        picture(name).save(folder / f"{name}.png")
    return folder
