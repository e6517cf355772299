"""Depth maps that a user has of the own pictures: a file beside each, .npy or 16-bit PNG, under the picture's path."""

from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from eyechart.corruptions import Depth
from eyechart.data.file_pictures import printable
from eyechart.errors import DataError, UsageError

KINDS = (".npy", ".png")
_LARGEST = 178_956_970  # pixels, as of pictures
_SHAPE_APART = 0.02  # how much the ratio of sides may differ from the picture's


class DepthMaps:
    """The depth of `cats/1.jpg` is `cats/1.npy` or `cats/1.png` in the folder (or `cats/1.jpg.npy`, `cats/1.jpg.png`). Any unit
    will do, for corruptions look at ratios only; values grow with the distance."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"{folder}: there is no such folder of depth maps")
        self.folder = folder

    def find(self, picture: Path) -> Path | None:
        """The file for a picture, whose path is relative to the folder of pictures."""
        places = [self.folder / picture.with_suffix(kind) for kind in KINDS]
        places += [self.folder / picture.with_name(picture.name + kind) for kind in KINDS]
        inside = self.folder.resolve()
        return next((place for place in places if place.is_file() and place.resolve().is_relative_to(inside)), None)

    def read(self, picture: Path, size: tuple[int, int]) -> Depth:
        """[height, width] of this size (width, height), taken from the nearest pixel where the map's own size is another.
        DataError where there is no map or none that can be used."""
        path = self.find(picture)
        if path is None:
            raise DataError(f"no depth map in {self.folder} (looked for {picture.with_suffix('')}{' and '.join(KINDS)})")
        return _fitted(_load(path), size, path)


def _load(path: Path) -> Depth:
    try:
        depth = _array(path) if path.suffix == ".npy" else _picture(path)
    except (OSError, ValueError, EOFError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise DataError(f"{printable(str(path))}: no depth map that can be read ({error})") from error
    if depth.ndim == 3 and 1 in (depth.shape[0], depth.shape[2]):
        depth = depth.squeeze(axis=0 if depth.shape[0] == 1 else 2)
    if depth.ndim != 2 or depth.dtype.kind not in "fiu" or not depth.size:
        raise DataError(f"{printable(str(path))}: an array of {depth.dtype} and shape {list(depth.shape)}; give numbers, [h, w]")
    return depth


def _array(path: Path) -> Depth:
    mapped: Depth = np.load(path, mmap_mode="r", allow_pickle=False)
    if mapped.size > _LARGEST:
        raise ValueError(f"{mapped.size:,} pixels are too many")
    return mapped


def _picture(path: Path) -> Depth:
    with Image.open(path, formats=("PNG",)) as picture:
        if not picture.mode.startswith("I"):
            raise ValueError(f"it has mode {picture.mode}, and 256 steps do not tell depths apart; save it with 16 bits")
        if picture.width * picture.height > _LARGEST:
            raise ValueError(f"{picture.width} x {picture.height} pixels are too many")
        return np.asarray(picture)


def _fitted(depth: Depth, size: tuple[int, int], path: Path) -> Depth:
    (height, width), (wide, high) = depth.shape, size
    if (width, height) == size:
        return np.asarray(depth, np.float64)
    if abs(width * high / (height * wide) - 1) > _SHAPE_APART:
        raise DataError(
            f"{printable(str(path))}: {width} x {height} pixels, the picture {wide} x {high}; a depth map shows the same part"
            " of the scene, upright"
        )
    rows = np.minimum(((np.arange(high) + 0.5) * height / high).astype(int), height - 1)
    columns = np.minimum(((np.arange(wide) + 0.5) * width / wide).astype(int), width - 1)
    return np.asarray(depth[rows[:, None], columns[None, :]], np.float64)
