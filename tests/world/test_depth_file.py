import numpy as np
import pytest
from PIL import Image

from eyechart.world.depth_file import STEPS_PER_SIDE, encode_depth, read_depth


def test_what_is_read_is_what_was_written_to_half_a_step(tmp_path):
    depth = np.random.default_rng(0).uniform(0, 7.9, (40, 30)).astype(np.float32)
    (tmp_path / "depth.png").write_bytes(encode_depth(depth))
    assert np.abs(read_depth(tmp_path / "depth.png") - depth).max() <= 0.5 / STEPS_PER_SIDE + 1e-6


def test_any_reader_of_png_can_read_it_and_is_told_how(tmp_path):
    (tmp_path / "depth.png").write_bytes(encode_depth(np.full((4, 4), 2.5, dtype=np.float32)))
    with Image.open(tmp_path / "depth.png") as picture:
        assert picture.mode == "I;16"
        assert np.asarray(picture)[0, 0] == 2.5 * 8192
        assert picture.text["eyechart.depth"] == "value / 8192 = distance from the camera's plane, in sides of the picture"


@pytest.mark.parametrize(("far", "value"), [(100.0, 65535), (-1.0, 0)])
def test_what_it_cannot_say_it_says_as_nearly_as_it_can(tmp_path, far, value):
    (tmp_path / "depth.png").write_bytes(encode_depth(np.full((2, 2), far, dtype=np.float32)))
    with Image.open(tmp_path / "depth.png") as picture:
        assert np.asarray(picture)[0, 0] == value
