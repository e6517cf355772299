"""Scenes of the embedded world a second, beside Pillow's bare pasting of as many sprites: one core, 64 × 64 pixels.

    python benchmarks/world_scenes.py [SCENES] [ROUNDS]

Scenes are those a model is trained on, one to four things each. Ours gives the picture with light, shadows, texture, background
and noise, which thing every pixel shows, and the depth; Pillow's `alpha_composite` lays ready RGBA sprites of the same sizes on
the same places of a plain ground and gives the picture alone. Both have made their sprites before, and take turns.
"""

import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from PIL import Image

from eyechart.world.bank import SOLID_BANK
from eyechart.world.composer import render
from eyechart.world.drawing import Habits, draw_several, draw_single
from eyechart.world.scene import Scene
from eyechart.world.sprites import REACH

SIDE = 64
Pasted = tuple[Image.Image, tuple[int, int]]


def scenes(count: int) -> list[Scene]:
    rng, habits = np.random.default_rng(0), Habits()
    return [draw_single(rng, habits) if i % 2 else draw_several(rng, habits, int(rng.integers(2, 5))) for i in range(count)]


def sprites(scene: Scene) -> list[Pasted]:
    """The things of a scene as Pillow would have them: cut-out pictures and their corners, within the picture."""
    found = []
    for number in scene.far_to_near():
        thing = scene.things[number]
        side = max(2, round(thing.size * REACH * SIDE))
        alpha = SOLID_BANK.sprite(thing, scene.camera, scene.light, side, side).alpha
        pixels = np.full((side, side, 4), 128, dtype=np.uint8)
        pixels[..., 3] = 255 * alpha
        left, top = (max(0, min(SIDE - 2, round(center * SIDE - side / 2))) for center in (thing.x, thing.y))
        found.append((Image.fromarray(pixels), (left, top)))
    return found


def paste(cutouts: list[Pasted]) -> np.ndarray:
    canvas = Image.new("RGBA", (SIDE, SIDE), (178, 178, 178, 255))
    for picture, corner in cutouts:
        canvas.alpha_composite(picture, corner)
    return np.asarray(canvas.convert("RGB"))


def rate(work: Callable[[], object], count: int) -> float:
    start = time.perf_counter()
    work()
    return count / (time.perf_counter() - start)


def main(count: int = 2000, rounds: int = 5) -> None:
    drawn = scenes(count)
    ready = [sprites(scene) for scene in drawn]
    for scene in drawn:
        render(scene, SIDE)
    ours, pillow = [], []
    for _ in range(rounds):
        ours.append(rate(lambda: [render(scene, SIDE) for scene in drawn], count))
        pillow.append(rate(lambda: [paste(cutouts) for cutouts in ready], count))
    ratios = [a / b for a, b in zip(ours, pillow, strict=True)]
    objects = sum(len(scene.things) for scene in drawn) / count
    print(f"{count:,} scenes of {objects:.1f} things on average, {SIDE} x {SIDE}, median of {rounds} rounds")
    print(f"  world, with masks, depth, light and shadow  {statistics.median(ours):8,.0f} scenes/s")
    print(f"  Pillow, pasting sprites only                {statistics.median(pillow):8,.0f} scenes/s")
    print(f"  ratio {statistics.median(ratios):.2f} ({', '.join(f'{r:.2f}' for r in ratios)})")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
