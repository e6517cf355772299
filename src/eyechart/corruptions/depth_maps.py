"""Depth maps of a user's pictures: one file per picture, .npy or 16-bit PNG, with the same relative path."""

from pathlib import Path

import numpy as np
from PIL import Image, UnidentifiedImageError

from eyechart.corruptions import Depth
from eyechart.data.file_pictures import printable
from eyechart.errors import DataError, UsageError

KINDS = (".npy", ".png")
_LARGEST = 178_956_970  # pixels, as for pictures
_SHAPE_APART = 0.02  # tolerance of the aspect ratio


class DepthMaps:
    """A folder of depth maps. The depth of `cats/1.jpg` is `cats/1.npy` or `cats/1.png` (or `cats/1.jpg.npy`, `cats/1.jpg.png`).

    Values increase with distance, in any unit: corruptions use ratios only."""

    def __init__(self, folder: Path) -> None:
        if not folder.is_dir():
            raise UsageError(f"{folder}: there is no such folder of depth maps")
        self.folder = folder

    def find(self, picture: Path) -> Path | None:
        """The depth map's file for a picture, given by its path relative to the folder of pictures."""
        places = [self.folder / picture.with_suffix(kind) for kind in KINDS]
        places += [self.folder / picture.with_name(picture.name + kind) for kind in KINDS]
        inside = self.folder.resolve()
        return next((place for place in places if place.is_file() and place.resolve().is_relative_to(inside)), None)

    def read(self, picture: Path, size: tuple[int, int]) -> Depth:
        """[height, width] depth at this size (width, height), resized by nearest neighbor where necessary.

        DataError where there is no valid map."""
        path = self.find(picture)
        if path is None:
            raise DataError(f"no depth map in {self.folder} (looked for {picture.with_suffix('')}{' and '.join(KINDS)})")
        return _fitted(_load(path), size, path)


def _load(path: Path) -> Depth:
    try:
        depth = _array(path) if path.suffix == ".npy" else _picture(path)
    except (OSError, ValueError, EOFError, UnidentifiedImageError, Image.DecompressionBombError) as error:
        raise DataError(f"{printable(str(path))}: not readable as a depth map ({error})") from error
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
            raise ValueError(f"it has mode {picture.mode}, and 256 levels are too coarse for depth; save it with 16 bits")
        if picture.width * picture.height > _LARGEST:
            raise ValueError(f"{picture.width} x {picture.height} pixels are too many")
        return np.asarray(picture)


def _fitted(depth: Depth, size: tuple[int, int], path: Path) -> Depth:
    (height, width), (wide, high) = depth.shape, size
    if (width, height) == size:
        return np.asarray(depth, np.float64)
    if abs(width * high / (height * wide) - 1) > _SHAPE_APART:
        raise DataError(
            f"{printable(str(path))}: {width} x {height} pixels, the picture {wide} x {high}; a depth map must show the same part"
            " of the scene, upright"
        )
    rows = np.minimum(((np.arange(high) + 0.5) * height / high).astype(int), height - 1)
    columns = np.minimum(((np.arange(wide) + 0.5) * width / wide).astype(int), width - 1)
    return np.asarray(depth[rows[:, None], columns[None, :]], np.float64)
