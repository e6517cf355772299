"""Two pictures side by side with their keypoints: a line from each keypoint to the position that the model predicts."""

import io
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from eyechart.data.picture import BrokenPicture, Decoding
from eyechart.probes.contract import ProbeInput
from eyechart.probes.correspondence.keypoint_recall import KeypointRecall
from eyechart.probes.correspondence.keypoints import KeypointMatches

HEIGHT = 240  # pixels of the drawing
LINES = 14  # keypoints of a pair that are drawn
RIGHT, WRONG = (86, 180, 233), (240, 120, 20)
_GAP, _RADIUS = 8, 4


def draw_pair(inputs: ProbeInput[Any], found: KeypointRecall[KeypointMatches], number: int, pixels: int) -> bytes | None:
    """A pair as a JPEG; None where a picture cannot be read.

    Args:
        inputs: The pictures.
        found: The matches.
        number: Which pair.
        pixels: A match within this distance is right.
    """
    row_of = {id: row for row, id in enumerate(inputs.dataset.ids())}
    pair = found.pairs[number]
    try:
        pictures = [Decoding().decode(inputs.dataset.pictures.read(row_of[pair[end]])).convert("RGB") for end in ("id_a", "id_b")]
    except (OSError, BrokenPicture):
        return None
    scales = [HEIGHT / picture.height for picture in pictures]
    small = [
        p.resize((max(1, round(p.width * s)), HEIGHT), Image.Resampling.BICUBIC) for p, s in zip(pictures, scales, strict=True)
    ]
    left = small[0].width + _GAP
    canvas = Image.new("RGB", (left + small[1].width, HEIGHT), (255, 255, 255))
    canvas.paste(small[0], (0, 0))
    canvas.paste(small[1], (left, 0))
    pen = ImageDraw.Draw(canvas)
    matches = found.matches
    # Evenly through the list, so that clear and unclear matches are both seen.
    mine = np.flatnonzero(matches.pair == number)
    shown = mine[np.unique(np.linspace(0, len(mine) - 1, min(LINES, len(mine))).round().astype(int))]
    for keypoint in shown:
        color = RIGHT if matches.error[keypoint] <= pixels else WRONG
        start = tuple(float(v) for v in matches.start[keypoint] * scales[0])
        guess, goal = (
            (left + float(x) * scales[1], float(y) * scales[1]) for x, y in (matches.guess[keypoint], matches.goal[keypoint])
        )
        pen.line((start, guess), fill=color, width=2)
        for x, y in (start, guess):
            pen.ellipse((x - _RADIUS, y - _RADIUS, x + _RADIUS, y + _RADIUS), fill=color, outline=(0, 0, 0))
        x, y = goal
        pen.ellipse((x - _RADIUS - 2, y - _RADIUS - 2, x + _RADIUS + 2, y + _RADIUS + 2), outline=(255, 255, 255), width=2)
    out = io.BytesIO()
    canvas.save(out, "JPEG", quality=85)
    return out.getvalue()
