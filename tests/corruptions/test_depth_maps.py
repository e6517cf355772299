"""Depth maps of a user's own pictures: where they are found, what they hold, and what is refused."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from eyechart.corruptions.depth_maps import DepthMaps
from eyechart.errors import DataError, UsageError
from eyechart.world.depth_file import encode_depth

RAMP = np.linspace(1, 4, 12, dtype=np.float32).reshape(3, 4)
SIZE = (4, 3)  # of a picture: width and height


def test_an_array_is_read_as_it_is(tmp_path):
    (tmp_path / "cats").mkdir()
    np.save(tmp_path / "cats" / "1.npy", RAMP)
    assert np.array_equal(DepthMaps(tmp_path).read(Path("cats/1.jpg"), SIZE), RAMP)


def test_sixteen_bits_are_read_as_whole_numbers(tmp_path):
    """One of the world's own files: 1/8192 of a side for a step."""
    (tmp_path / "1.png").write_bytes(encode_depth(RAMP))
    assert DepthMaps(tmp_path).read(Path("1.png"), SIZE) / 8192 == pytest.approx(RAMP, abs=1e-4)


@pytest.mark.parametrize("name", ["a.npy", "a.jpg.npy", "a.png", "a.jpg.png"])
def test_a_map_is_found_with_or_without_the_pictures_ending(tmp_path, name):
    if name.endswith("npy"):
        np.save(tmp_path / name, RAMP)
    else:
        (tmp_path / name).write_bytes(encode_depth(RAMP))
    assert DepthMaps(tmp_path).find(Path("a.jpg")) == tmp_path / name


def test_a_map_of_another_size_is_taken_pixel_by_pixel(tmp_path):
    """Doubled, every pixel becomes four; halved, one of four is left, and no depth in between is made up."""
    np.save(tmp_path / "a.npy", np.array([[1.0, 2.0], [3.0, 4.0]]))
    larger = DepthMaps(tmp_path).read(Path("a.jpg"), (4, 4))
    assert np.array_equal(larger, np.kron([[1.0, 2.0], [3.0, 4.0]], np.ones((2, 2))))
    np.save(tmp_path / "a.npy", larger)
    assert np.array_equal(DepthMaps(tmp_path).read(Path("a.jpg"), (2, 2)), [[1, 2], [3, 4]])


def test_a_single_channel_is_no_matter(tmp_path):
    np.save(tmp_path / "a.npy", RAMP[None])
    assert DepthMaps(tmp_path).read(Path("a.jpg"), SIZE).shape == (3, 4)


def broken(tmp_path, kind):
    if kind == "pickle":
        np.save(tmp_path / "a.npy", np.array([{}]), allow_pickle=True)
    elif kind == "cut off":
        np.save(tmp_path / "a.npy", RAMP)
        (tmp_path / "a.npy").write_bytes((tmp_path / "a.npy").read_bytes()[:-8])
    elif kind == "empty":
        (tmp_path / "a.npy").write_bytes(b"")
    elif kind == "eight bits":
        Image.new("L", SIZE).save(tmp_path / "a.png")
    elif kind == "colors":
        np.save(tmp_path / "a.npy", np.ones((3, 4, 3)))
    elif kind == "words":
        np.save(tmp_path / "a.npy", np.full((3, 4), "near"))
    elif kind == "upright":
        np.save(tmp_path / "a.npy", RAMP.T)


@pytest.mark.parametrize(
    ("kind", "message"),
    [
        ("pickle", "not readable as a depth map"),
        ("cut off", "not readable as a depth map"),
        ("empty", "not readable as a depth map"),
        ("eight bits", "save it with 16 bits"),
        ("colors", r"shape \[3, 4, 3\]"),
        ("words", "give numbers"),
        ("upright", "3 x 4 pixels, the picture 4 x 3"),
        ("none", r"looked for a.npy and .png"),
    ],
)
def test_what_is_no_depth_map_is_said(tmp_path, kind, message):
    broken(tmp_path, kind)
    with pytest.raises(DataError, match=message):
        DepthMaps(tmp_path).read(Path("a.jpg"), SIZE)


def test_a_link_out_of_the_folder_is_not_followed(tmp_path):
    (tmp_path / "maps").mkdir()
    np.save(tmp_path / "secret.npy", RAMP)
    (tmp_path / "maps" / "a.npy").symlink_to(tmp_path / "secret.npy")
    assert DepthMaps(tmp_path / "maps").find(Path("a.jpg")) is None


def test_a_missing_folder_is_named(tmp_path):
    with pytest.raises(UsageError, match="no such folder of depth maps"):
        DepthMaps(tmp_path / "none")
