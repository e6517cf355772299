"""Rendering of a scene, with the ground truth of every pixel: the object it shows and its depth."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from eyechart.errors import UsageError
from eyechart.world.bank import SOLID_BANK, Bank
from eyechart.world.materials import COLORS, second_tone
from eyechart.world.scene import CAMERA_DISTANCE, Scene, Thing
from eyechart.world.sprites import REACH, SHADOW_REACH, Sprite

Canvas = npt.NDArray[np.float32]

LARGEST = 512
GROUND = -1  # the owner of a pixel without an object
_DARKNESS = 0.55
_HEAD = (196, 180, 165)


@dataclass(frozen=True)
class Rendering:
    picture: npt.NDArray[np.uint8]  # [side, side, 3]
    owner: npt.NDArray[np.int8]  # [side, side]: the number of the visible object, or GROUND
    depth: Canvas  # [side, side], in sides of the picture from the camera's plane


@dataclass(frozen=True)
class _Place:
    """The part of a sheet inside the picture, and its position."""

    rows: slice
    columns: slice
    sheet_rows: slice
    sheet_columns: slice


def render(scene: Scene, side: int, bank: Bank = SOLID_BANK) -> Rendering:
    """Render a scene with the objects of `bank`. The same scene gives the same pixels."""
    if not 8 <= side <= LARGEST:
        raise UsageError(f"a picture of {side} pixels; choose a side from 8 to {LARGEST}")
    canvas, depth = ground(scene, side), _ground_depth(scene, side)
    owner = np.full((side, side), GROUND, dtype=np.int8)
    order = scene.far_to_near()
    if scene.style == "solid":
        for number in order:
            _cast(canvas, scene, scene.things[number], side, bank)
    for number in order:
        _paste(canvas, owner, depth, scene, number, side, bank)
    if scene.style == "sketch":
        canvas = _sketch(canvas)
    canvas *= scene.level
    if scene.noise:
        rng = np.random.default_rng((scene.grain, 7))
        canvas += scene.noise * rng.standard_normal(canvas.shape, dtype=np.float32)
    np.clip(canvas, 0, 255, out=canvas)
    return Rendering((canvas + 0.5).astype(np.uint8), owner, depth)


def silhouette(scene: Scene, number: int, side: int, bank: Bank = SOLID_BANK) -> npt.NDArray[np.bool_]:
    """The mask of an object without occlusion."""
    alone = np.zeros((side, side), dtype=np.bool_)
    found = _on_canvas(scene, scene.things[number], side, bank)
    if found is not None:
        look, place = found
        alone[place.rows, place.columns] = look.alpha[place.sheet_rows, place.sheet_columns] > 0.5
    return alone


def ground(scene: Scene, side: int) -> Canvas:
    """[side, side, 3]: the background without objects."""
    canvas = np.empty((side, side, 3), dtype=np.float32)
    canvas[:] = scene.tone
    if scene.background == "plain":
        return canvas
    rng = np.random.default_rng((scene.grain, 5))
    line = (np.arange(side, dtype=np.float32) + 0.5) / side
    if scene.background == "cloudy":
        from scipy.ndimage import zoom  # takes a while to load

        pattern = zoom(rng.standard_normal((6, 6)), side / 6, order=1, grid_mode=True, mode="nearest").astype(np.float32)
        strength = 16.0
    else:
        angle = rng.uniform(0, np.pi)
        along = line[None, :] * np.float32(np.cos(angle)) + line[:, None] * np.float32(np.sin(angle))
        if scene.background == "shaded":
            pattern, strength = 2 * (along - along.mean()), 40.0
        elif scene.background == "striped":
            pattern, strength = np.sign(np.sin(along * np.float32(2 * np.pi * rng.uniform(3, 5)))), 22.0
        elif scene.background == "tiled":
            cells = np.floor(line * rng.integers(3, 6))
            pattern, strength = ((cells[:, None] + cells[None, :]) % 2 * 2 - 1).astype(np.float32), 18.0
        else:
            raise UsageError(f"there is no background called {scene.background!r}")
    canvas += strength * pattern[..., None]
    return canvas


def _ground_depth(scene: Scene, side: int) -> Canvas:
    line = (np.arange(side, dtype=np.float32) + 0.5) / side
    away = CAMERA_DISTANCE + (0.5 - line) / np.float32(np.tan(np.deg2rad(scene.camera.elevation)))
    return np.asarray(np.broadcast_to(away[:, None], (side, side)).astype(np.float32))


def _placed(x: float, y: float, width: int, height: int, side: int) -> _Place | None:
    left, top = round(x * side - width / 2), round(y * side - height / 2)
    rows, columns = slice(max(top, 0), min(top + height, side)), slice(max(left, 0), min(left + width, side))
    if rows.start >= rows.stop or columns.start >= columns.stop:
        return None
    return _Place(rows, columns, slice(rows.start - top, rows.stop - top), slice(columns.start - left, columns.stop - left))


def _pixels(thing: Thing, reach: float, side: int) -> tuple[int, int]:
    """Width and height of a sheet of `reach` radii to each side; a stretched object keeps its area."""
    length = thing.size * reach * side
    return max(2, round(length * thing.stretch**0.5)), max(2, round(length / thing.stretch**0.5))


def _on_canvas(scene: Scene, thing: Thing, side: int, bank: Bank) -> tuple[Sprite, _Place] | None:
    width, height = _pixels(thing, REACH, side)
    place = _placed(thing.x, thing.y, width, height, side)
    if place is None:
        return None
    return bank.sprite(thing, scene.camera, scene.light, width, height), place


def _cast(canvas: Canvas, scene: Scene, thing: Thing, side: int, bank: Bank) -> None:
    width, height = _pixels(thing, SHADOW_REACH, side)
    place = _placed(thing.x, thing.y, width, height, side)
    if place is not None:
        dark = bank.shadow(thing, scene.camera, scene.light, width, height)
        canvas[place.rows, place.columns] *= (1 - _DARKNESS * dark[place.sheet_rows, place.sheet_columns])[..., None]


def _paste(canvas: Canvas, owner: npt.NDArray[np.int8], depth: Canvas, scene: Scene, number: int, side: int, bank: Bank) -> None:
    thing = scene.things[number]
    found = _on_canvas(scene, thing, side, bank)
    if found is None:
        return
    look, place = found
    part = place.sheet_rows, place.sheet_columns
    alpha = look.alpha[part]
    color = _painted(thing, look, part)
    if scene.style != "flat":
        color = color * look.shade[part][..., None] + (255 * look.gloss[part])[..., None]
    there = canvas[place.rows, place.columns]
    there += alpha[..., None] * (color - there)
    shown = alpha > 0.5
    owner[place.rows, place.columns][shown] = number
    away = thing.distance(scene.camera) - look.height[part] * np.float32(thing.size / 2)
    depth[place.rows, place.columns][shown] = away[shown]


def _painted(thing: Thing, look: Sprite, part: tuple[slice, slice]) -> Canvas:
    if look.colors is not None:
        return look.colors[part]
    base = np.asarray(COLORS[thing.color], dtype=np.float32)
    if thing.paints:
        color = np.broadcast_to(base, (*look.alpha[part].shape, 3)).astype(np.float32)
        for name, paint in (("head", None), *thing.paints):
            tone = np.asarray(_HEAD if paint is None else COLORS[paint], dtype=np.float32)
            color += look.patterns[name][part][..., None] * (tone - color)
        return color
    if thing.texture == "plain":
        return base
    other = np.asarray(second_tone(thing.color), dtype=np.float32)
    return np.asarray(base + look.patterns[thing.texture][part][..., None] * (other - base))


def _sketch(canvas: Canvas) -> Canvas:
    """Dark lines on paper where the picture changes."""
    gray = canvas.mean(axis=2)
    from scipy.ndimage import gaussian_filter  # takes a while to load

    smooth = gaussian_filter(gray, 0.5)
    edge = np.hypot(np.gradient(smooth, axis=0), np.gradient(smooth, axis=1))
    line = np.clip(238 - 9.0 * edge, 20, 238)
    return np.asarray(0.8 * line[..., None] + 0.2 * canvas, dtype=np.float32)
