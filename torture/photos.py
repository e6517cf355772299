"""Small labeled pictures for the commands of the campaign."""

from pathlib import Path

import numpy as np
from PIL import Image


def write_photos(folder: Path, each: int, side: int) -> Path:
    """Two classes with `each` random pictures of `side` pixels."""
    rng = np.random.default_rng(0)
    for name in ("circle", "square"):
        (folder / name).mkdir(parents=True, exist_ok=True)
        for number in range(each):
            Image.fromarray(rng.integers(0, 256, (side, side, 3), dtype=np.uint8)).save(folder / name / f"{number}.png")
    return folder
