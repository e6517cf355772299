"""Draw the pictures of docs/tutorials/ (needs `eyechart[charts]`).

python scripts/make_tutorial_pictures.py
"""

import tempfile
from pathlib import Path

from PIL import Image

from eyechart.cli.main import main

PICTURES = Path(__file__).parents[1] / "docs" / "pictures"
# The command of docs/tutorials/paper-figure.md that draws the figure.
FIGURE = "study trend --y imagenet-v2 --origin testbed --baseline testbed-standard --axis linear --fit ols"


def draw() -> None:
    with tempfile.TemporaryDirectory() as folder:
        main([*FIGURE.split(), "--out", f"{folder}/v2", "--charts", "png"])
        (chart,) = Path(folder, "v2", "charts").glob("*.png")
        with Image.open(chart) as picture:
            small = picture.convert("RGB").quantize(64)
            small.save(PICTURES / "tutorial-paper-figure.png", optimize=True)


if __name__ == "__main__":
    draw()
