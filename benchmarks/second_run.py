"""Second run of a finished plan on 10,000 pictures: nothing is encoded, and the page is as it was.

Bytecode is compiled once, as an installation does, in a folder of its own, whatever the environment says of it.

python benchmarks/second_run.py
"""

import os
import resource
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


def run(folder: Path) -> tuple[float, float]:
    """Seconds, and processor seconds, of the command."""
    command = [sys.executable, "-m", "eyechart.cli.main", "examine", "--model", "demo:", "--data", str(folder / "pictures")]
    compiled = {"PYTHONDONTWRITEBYTECODE": "", "PYTHONPYCACHEPREFIX": str(folder / "bytecode")}
    start, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [*command, "--prompts", "single", "--out", str(folder / "out"), "--quiet"],
        check=True,
        stdout=subprocess.DEVNULL,
        env={**os.environ, **compiled, "EYECHART_STORE": str(folder / "store")},
    )
    seconds, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return seconds, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_pictures(folder / "pictures")
        first, _ = run(folder)
        again, processor = np.median([run(folder) for _ in range(5)], axis=0)
    print(
        f"first run {first:.1f} s, second run {again:.2f} s with the page (limit 1 s), {processor:.2f} processor seconds, "
        f"{first / again:.0f} times faster"
    )


if __name__ == "__main__":
    main()
