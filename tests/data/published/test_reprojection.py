"""Spots that two views share, against a homography."""

import numpy as np
import pytest
from PIL import Image
from tests.data.published.plane import Wall, turned

from eyechart.data.published.reprojection import DepthView, angle_between, read_sixteen_bits, shared_points
from eyechart.errors import DataError

WALL = Wall(distance=2.0, focal=120.0, wide=160, high=120)


def view(camera, depth=None):
    focal, middle = (WALL.focal, WALL.focal), (WALL.wide / 2, WALL.high / 2)
    return DepthView(WALL.depth(camera) if depth is None else depth, focal, middle, camera)


@pytest.mark.parametrize("degrees", [0, 20, 50])
def test_spots_are_where_the_homography_says(degrees):
    camera = turned(degrees, WALL.distance)
    first, second = shared_points(view(np.eye(4)), view(camera), most=48, seed=0)
    assert len(first) == 48
    np.testing.assert_allclose(second, WALL.seen_at(first, camera), atol=1e-8)
    assert (second >= 0).all() and (second <= [160, 120]).all()


def test_what_stands_before_the_wall_hides_it():
    camera = turned(20, WALL.distance)
    depth = WALL.depth(camera)
    depth[:, :80] = 1.0
    _, second = shared_points(view(np.eye(4)), view(camera, depth), most=200, seed=0)
    assert len(second) and (second[:, 0] >= 80).all()


def test_pixels_without_depth_show_no_spot():
    depth = np.full((120, 160), 2.0)
    depth[:60] = 0
    first, second = shared_points(view(np.eye(4), depth), view(np.eye(4)), most=50, seed=0)
    assert (first[:, 1] > 60).all()
    np.testing.assert_allclose(first, second)
    assert len(shared_points(view(np.eye(4)), view(np.eye(4), np.zeros((120, 160))), most=5, seed=0)[0]) == 0


def test_views_that_look_away_share_nothing():
    assert len(shared_points(view(np.eye(4)), view(turned(180, 0.0)), most=5, seed=0)[0]) == 0


def test_angles_between_cameras():
    assert angle_between(np.eye(4), turned(75, 1.0)) == pytest.approx(75)
    assert angle_between(turned(-20, 1.0), turned(25, 1.0)) == pytest.approx(45)


def test_depth_maps_have_sixteen_bits(tmp_path):
    Image.fromarray(np.array([[1, 65535]], np.uint16)).save(tmp_path / "depth.png")
    assert read_sixteen_bits(tmp_path / "depth.png").tolist() == [[1.0, 65535.0]]
    Image.new("RGB", (2, 2)).save(tmp_path / "color.png")
    with pytest.raises(DataError, match="of mode RGB; a depth map has 16 bits"):
        read_sixteen_bits(tmp_path / "color.png")
    (tmp_path / "text.png").write_text("no")
    with pytest.raises(DataError, match="not readable as a depth map"):
        read_sixteen_bits(tmp_path / "text.png")
    with pytest.raises(DataError, match="unpack the depth maps next to the pictures"):
        read_sixteen_bits(tmp_path / "nothing.png")
