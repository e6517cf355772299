"""Second run of a finished plan on 10,000 pictures: nothing is encoded, and the page is written again.

python benchmarks/second_run.py
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
from PIL import Image

COUNT, CLASSES = 10_000, 20


def write_pictures(folder: Path) -> None:
    rng = np.random.default_rng(0)
    for c in range(CLASSES):
        (folder / f"class {c}").mkdir(parents=True)
    for i in range(COUNT):
        pixels = rng.integers(0, 256, (8, 8, 3), dtype=np.uint8)
        Image.fromarray(pixels).resize((96, 96)).save(folder / f"class {i % CLASSES}" / f"{i}.jpg")


def run(folder: Path) -> float:
    command = [sys.executable, "-m", "eyechart.cli.main", "examine", "--model", "demo:", "--data", str(folder / "pictures")]
    start = time.perf_counter()
    subprocess.run(
        [*command, "--prompts", "single", "--out", str(folder / "out"), "--quiet"],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "EYECHART_STORE": str(folder / "store")},
    )
    return time.perf_counter() - start


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pictures(folder / "pictures")
        first = run(folder)
        again = sorted(run(folder) for _ in range(3))[1]
    print(f"first run {first:.1f} s, second run {again:.2f} s with the page (limit 1 s), {first / again:.0f} times faster")


if __name__ == "__main__":
    main()
