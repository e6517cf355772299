"""Attention maps over pictures: colors, outlines and tiles by their formulas."""

import io

import numpy as np
import pytest
from PIL import Image
from scipy.ndimage import binary_erosion
from tests.probes.attention.test_attention import GRID, NINE, SIDE, inputs, shown_scenes, squares

from eyechart.probes.attention.maps import _COLD, _HOT, _edge, _jpeg, _tiles, _View, _view, map_exhibits
from eyechart.probes.attention.object_attention import object_attention

GRAY = Image.new("RGB", (SIDE, SIDE), (90, 60, 30))
WHOLE = (0.0, 0.0, float(SIDE), float(SIDE))


def view(outline=0):
    return _View(GRAY, Image.new("L", (SIDE, SIDE), outline), WHOLE)


@pytest.mark.parametrize("outline", [0, 255])
def test_a_pixel_mixes_the_gray_picture_the_heat_and_the_outline(outline):
    """Heat is relative to the hottest patch: 1/4 on the left half, 1 on the right."""
    weights = np.repeat([[0.5, 2.0]], 2, axis=0).repeat(8, axis=0).repeat(8, axis=1)
    drawn = view(outline).under(weights, 16)
    alpha = 0.9 * outline / 255
    for column, heat in ((1, 0.25), (14, 1.0)):
        plain = 0.45 * 60 + 0.55 * (_COLD + heat * (_HOT - _COLD))
        assert drawn[8, column] == pytest.approx(plain * (1 - alpha) + alpha * 255, abs=1e-3)


def test_the_edge_of_a_mask_is_what_erosion_takes_away():
    rng = np.random.default_rng(0)
    for mask in (np.ones((4, 5), bool), rng.random((12, 9)) < 0.7, np.zeros((3, 3), bool)):
        assert np.array_equal(_edge(mask), mask & ~binary_erosion(mask))


def test_tiles_are_in_rows_of_five_with_the_picture_first():
    drawn = _tiles(view(), np.ones((6, GRID, GRID)))
    assert drawn.shape == (320, 800, 3)
    assert drawn[80, 80] == pytest.approx([90, 60, 30])
    hot = np.floor(0.45 * 60 + 0.55 * _HOT)
    assert drawn[80, 240] == pytest.approx(hot, abs=1) and drawn[240, 240] == pytest.approx(hot, abs=1)
    assert (drawn[160:, 320:] == 255).all()  # seven tiles: three places are empty
    assert _tiles(view(), np.ones((2, GRID, GRID))).shape == (160, 480, 3)
    numbers = [drawn[:30, 160 * k : 160 * k + 30] for k in range(1, 4)]
    assert not np.array_equal(numbers[0], numbers[1]) and not np.array_equal(numbers[1], numbers[2])


def test_the_crop_is_within_the_picture_and_masks_have_its_size():
    masks, names = squares(np.random.default_rng(0), 2)
    ones = np.ones((2, 1, GRID, GRID))
    for window, box in (
        ((-1e-9, 2.0, 30.0, SIDE + 1e-9), (0.0, 2.0, 30.0, 32.0)),
        ((3.0, -1e-9, SIDE + 1e-9, 20.0), (3.0, 0.0, 32.0, 20.0)),
    ):
        assert _view(inputs(masks, names, ones, window=window), 0, names[0]).box == box
    found = _view(inputs(masks, names, ones), 1, names[1])
    edges = np.any([mask & ~binary_erosion(mask) for mask in masks[1]], axis=0)
    assert np.array_equal(np.asarray(found.outline) == 255, edges) and set(np.unique(found.outline)) == {0, 255}


def test_rows_say_what_is_attended_most_and_what_is_largest():
    masks = np.zeros((3, 2, SIDE, SIDE), bool)
    masks[:, 0, :8, :8], masks[:, 1, 16:28, 16:28] = True, True
    maps = np.zeros((3, 1, GRID, GRID))
    maps[:, 0, :2, :2], maps[:, 0, 4, 4] = 1, 1  # four patches of the small object, one of the large one
    names = [[NINE[0], NINE[1]], [NINE[2], NINE[3]], [NINE[4], NINE[5]]]
    asked = inputs(masks, names, maps)
    seen = object_attention(asked, shown_scenes(masks, names), NINE)
    (shown,) = map_exhibits(asked, seen, NINE, shown=2, every_block=False, every_head=False)
    rows = shown.table.to_pylist()
    assert [(r["id"], r["attends most to"], r["attention"], r["largest"]) for r in rows] == [
        ("0", NINE[0], "80.0%", NINE[1]), ("1", NINE[2], "80.0%", NINE[3]),
    ]  # fmt: skip
    pixels = np.asarray(Image.open(io.BytesIO(rows[0]["drawn"])).convert("RGB"), float)
    assert np.abs(pixels[24, 24] - (0.45 * 90 + 0.55 * _HOT)).max() < 25  # where it attends
    assert np.abs(pixels[128, 60] - (0.45 * 90 + 0.55 * _COLD)).max() < 25
    assert len(map_exhibits(asked, seen, NINE, shown=9, every_block=False, every_head=False)[0].table) == 3
    assert map_exhibits(asked, seen, NINE, shown=0, every_block=False, every_head=False) == []


@pytest.mark.parametrize(("value", "shown"), [(-40.0, 0), (0.0, 0), (255.0, 255), (300.0, 255), (254.0, 254), (1.0, 1)])
def test_colors_end_at_black_and_white(value, shown):
    assert np.unique(Image.open(io.BytesIO(_jpeg(np.full((16, 16, 3), value))))).tolist() == [shown]
