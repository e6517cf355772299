"""Preprocessing by hand-computed cases; tests/backends compares whole tensors with the libraries' own."""

import numpy as np
import pytest
from PIL import Image

from eyechart.errors import ModelError
from eyechart.models import preprocessing
from eyechart.models.preprocessing import CLIP_MEAN, CLIP_STD, Preprocessing

PLAIN = {"mean": (0.0, 0.0, 0.0), "std": (1.0, 1.0, 1.0)}


def columns(width: int, height: int) -> Image.Image:
    """Every pixel's red says its column, its green its row."""
    pixels = np.zeros((height, width, 3), dtype=np.uint8)
    pixels[..., 0], pixels[..., 1] = np.arange(width)[None], np.arange(height)[:, None]
    return Image.fromarray(pixels)


def test_levels_are_divided_shifted_and_scaled_in_float32():
    picture = Image.new("RGB", (2, 2), (10, 200, 255))
    made = Preprocessing(2)(picture)
    expected = (np.array([10, 200, 255], np.float32) / np.float32(255) - np.array(CLIP_MEAN, np.float32)) / np.array(
        CLIP_STD, np.float32
    )
    assert made.dtype == np.float32
    assert made.shape == (3, 2, 2)
    assert np.array_equal(made[:, 0, 0], expected)


@pytest.mark.parametrize("size, resize, expected", [
    ((640, 427), "shortest", (335, 224)),  # int(224 · 640 / 427) = int(335.7)
    ((427, 640), "shortest", (224, 335)),
    ((640, 427), "longest", (224, 149)),  # round(427 · 224 / 640) = round(149.45)
    ((640, 427), "squash", (224, 224)),
    ((1, 500), "shortest", (224, 112000)),
    ((5000, 1), "longest", (224, 1)),
])  # fmt: skip
def test_resized_sizes(size, resize, expected):
    assert Preprocessing(224, resize=resize).resized_size(*size) == expected


# torchvision rounds half to even: an overhang of 3 begins at 2, of 1 at 0; transformers rounds down.
@pytest.mark.parametrize("width, offset, begins", [(11, "nearest", 2), (9, "nearest", 0), (10, "nearest", 1), (11, "down", 1)])
def test_where_an_odd_center_crop_begins(width, offset, begins):
    truncated = Preprocessing(8, resize="squash", resize_size=(8, width), offset=offset, **PLAIN)(columns(width, 8))
    assert round(float(truncated[0, 0, 0]) * 255) == begins


def test_a_picture_smaller_than_the_crop_is_padded_more_on_the_right():
    truncated = Preprocessing(4, resize="squash", resize_size=(4, 1), fill=255, **PLAIN)(Image.new("RGB", (1, 4)))
    assert truncated[0, 0].tolist() == [1.0, 0.0, 1.0, 1.0]


def test_longest_pads_with_the_fill_of_each_channel():
    made = Preprocessing(4, resize="longest", fill=(255, 0, 51), **PLAIN)(Image.new("RGB", (4, 2), (0, 0, 0)))
    np.testing.assert_allclose(made[:, 0, 0], [1.0, 0.0, 0.2], rtol=1e-6)
    assert made[:, 1, 0].tolist() == [0, 0, 0]


def test_a_gray_picture_has_three_equal_channels():
    made = Preprocessing(3, **PLAIN)(Image.new("L", (3, 3), 51))
    np.testing.assert_allclose(made, 0.2, rtol=1e-6)


def test_a_very_long_strip_is_cut_without_being_blown_up_first(monkeypatch):
    strip = columns(200, 4)
    whole = Preprocessing(32, **PLAIN)(strip)
    monkeypatch.setattr(preprocessing, "_MOST_PIXELS", 1000)
    np.testing.assert_allclose(Preprocessing(32, **PLAIN)(strip), whole, atol=1.01 / 255)


def test_a_very_long_strip_that_is_lower_than_the_crop_is_padded_all_the_same(monkeypatch):
    strip = columns(200, 4)
    whole = Preprocessing(40, resize_size=32, **PLAIN)(strip)
    monkeypatch.setattr(preprocessing, "_MOST_PIXELS", 1000)
    made = Preprocessing(40, resize_size=32, **PLAIN)(strip)
    assert made[:, :4].tolist() == whole[:, :4].tolist() == np.zeros((3, 4, 40)).tolist()
    np.testing.assert_allclose(made, whole, atol=1.01 / 255)


def test_a_strip_of_one_by_fifty_thousand_is_prepared():
    assert Preprocessing(224)(Image.new("RGB", (50_000, 1), (9, 9, 9))).shape == (3, 224, 224)


def test_settings_survive_being_written_down():
    settings = Preprocessing(
        (160, 224), resize="longest", interpolation="lanczos", fill=(1, 2, 3), resize_size=(170, 230), rescale="fused"
    )
    assert Preprocessing.from_dict(settings.describe()) == settings


@pytest.mark.parametrize(
    "given, message",
    [
        ({"size": 224, "intrepolation": "bicubic"}, "no field 'intrepolation'; did you mean 'interpolation'"),
        ({}, "'size' is missing"),
        ({"size": "224"}, "size is '224'; it must be a whole number or 2 of them"),
        ({"size": 0}, "size is 0"),
        ({"size": True}, "size is True"),
        ({"size": 8, "resize": "shorter"}, "resize is 'shorter'; did you mean 'shortest'"),
        ({"size": 8, "std": [0, 1, 1]}, "std is .* each above 0"),
        ({"size": 8, "mean": [0.5]}, "mean is .* three numbers"),
        ({"size": 8, "crop": "none"}, "without a crop"),
    ],
)
def test_wrong_settings_are_refused_by_name(given, message):
    with pytest.raises(ModelError, match=message):
        Preprocessing.from_dict(given)


@pytest.mark.parametrize(
    "settings",
    [
        {"size": 60},
        {"size": 60, "resize": "squash"},
        {"size": 60, "resize_size": 80},
        {"size": (40, 60), "resize_size": (50, 70)},
        {"size": 60, "resize": "longest"},
        {"size": 60, "resize_size": 40},
    ],
)
@pytest.mark.parametrize("size", [(240, 120), (97, 201), (60, 60)])
def test_the_window_says_what_every_prepared_pixel_shows(settings, size):
    given = Preprocessing(**settings, **PLAIN, interpolation="bilinear", fill=255)
    left, top, right, bottom = given.window(*size)
    red, green, _ = given(columns(*size)) * 255
    for shown, start, end, length in ((red[red.shape[0] // 2], left, right, size[0]), (green.T[30], top, bottom, size[1])):
        places = start + (np.arange(len(shown)) + 0.5) * (end - start) / len(shown)
        step = (end - start) / len(shown)
        inside = (places > 2 * step) & (places < length - 2 * step)  # next to an edge, the filter has half of its pixels only
        assert inside.any()
        np.testing.assert_allclose(shown[inside], places[inside] - 0.5, atol=0.75)
