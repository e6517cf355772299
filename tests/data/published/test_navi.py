"""NAVI in its own layout, on a wall whose correspondences are a homography."""

import json

import numpy as np
import pytest
from PIL import Image
from tests.data.published.plane import Wall, turned

from eyechart.data.open import open_dataset
from eyechart.errors import DataError

WALL = Wall(distance=500.0, focal=200.0, wide=160, high=120)
LIST = "custom_splits/pairwise_pixel_correspondences/pairs-wild_set.txt"
TURNS = {"000.jpg": 0.0, "001.jpg": 20.0, "002.jpg": 45.0}


def quaternion(degrees):
    return [float(np.cos(np.radians(degrees) / 2)), 0.0, float(np.sin(np.radians(degrees) / 2)), 0.0]


@pytest.fixture
def navi(tmp_path, picture_bytes):
    """One object in one scene, from three sides. A depth map holds 655,350 over the millimetres, as NAVI's own reader has it."""
    scene = tmp_path / "navi" / "wall_of_bricks" / "wild_set"
    for part in ("images", "depth"):
        (scene / part).mkdir(parents=True)
    said = []
    for name, degrees in TURNS.items():
        camera = turned(degrees, WALL.distance)
        (scene / "images" / name).write_bytes(picture_bytes(len(said), "JPEG", (160, 120)))
        disparity = np.round(655350 / WALL.depth(camera)).astype(np.uint16)
        Image.fromarray(disparity).save(scene / "depth" / name.replace("jpg", "png"))
        pose = {"q": quaternion(degrees), "t": camera[:3, 3].tolist(), "focal_length": 200.0, "camera_model": "pixel_5"}
        about = {"object_id": "wall_of_bricks", "camera": pose, "filename": name, "image_size": [120, 160]}
        said.append(about | {"scene_name": "wild_set", "split": "val", "occluded": False})
    (scene / "annotations.json").write_text(json.dumps(said))
    path = "wall_of_bricks/wild_set/images"
    lines = [f"{path}/000.jpg {path}/001.jpg 20.0", f"{path}/000.jpg {path}/002.jpg 45.0", f"{path}/001.jpg {path}/002.jpg 170.0"]
    (tmp_path / "navi" / LIST).parent.mkdir(parents=True)
    (tmp_path / "navi" / LIST).write_text("\n".join(lines) + "\n")
    return tmp_path / "navi"


def test_pairs_have_the_points_of_the_homography(navi):
    dataset = open_dataset(f"navi:{navi}")
    assert dataset.ids() == [f"wall_of_bricks/wild_set/images/{name}" for name in TURNS]
    assert dataset.table.column("attr.object").to_pylist() == ["wall_of_bricks"] * 3
    pairs = dataset.pairs.to_pylist()
    assert [pair["turn"] for pair in pairs] == [20.0, 45.0]  # beyond 120 degrees none is taken
    for pair in pairs:
        assert len(pair["points_a"]) == len(pair["points_b"]) == 48
        expected = WALL.seen_at(np.array(pair["points_a"]), turned(pair["turn"], WALL.distance))
        np.testing.assert_allclose(pair["points_b"], expected, atol=0.2)  # disparity is rounded
        assert pair["box_b"] == [0, 0, 160, 120]
    assert dataset.pictures.read(0)


def test_surfaces_are_points_of_the_wall_in_centimeters(navi):
    """The wall is 50 cm from the first camera, in whose frame both surfaces are: (x − 80) / 200 · 50 cm, and 50 cm deep."""
    for pair in open_dataset(f"navi:{navi}").pairs.to_pylist():
        first, second = (np.array(pair[name]) for name in ("surface_a", "surface_b"))
        assert 500 < len(first) <= 1024
        np.testing.assert_allclose(first[:, 2:4], (first[:, :2] - [80, 60]) / 200 * 50, rtol=2e-3, atol=1e-3)
        for surface in (first, second):
            np.testing.assert_allclose(surface[:, 4], 50.0, rtol=5e-3)
        # A spot of the wall has the same coordinates in both views.
        seen = WALL.seen_at(first[:, :2], turned(pair["turn"], WALL.distance))
        near = np.linalg.norm(seen[:, None] - second[None, :, :2], axis=2)
        close = near.min(axis=1) < 0.75
        assert close.any()
        apart = np.linalg.norm(first[close, 2:] - second[near.argmin(axis=1)[close], 2:], axis=1)
        assert np.median(apart) < 0.5


def test_the_draw_of_pairs_does_not_depend_on_the_order_of_the_list(navi):
    before = open_dataset(f"navi:{navi}").pairs
    (navi / LIST).write_text("\n".join(reversed((navi / LIST).read_text().splitlines())))
    assert open_dataset(f"navi:{navi}").pairs.equals(before)


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda navi: (navi / LIST).unlink(), "pairs-wild_set.txt: there is no list of pairs here.*custom_splits"),
        (lambda navi: (navi / LIST).write_text("a b\n"), "line 1: 'a b' is not two pictures and an angle"),
        (lambda navi: (navi / LIST).write_text("a/b.jpg c/d.jpg 3\n"), "line 1: 'a/b.jpg' is not OBJECT/SCENE/images/FILE"),
        (lambda navi: (navi / LIST).write_text("../b/images/c.jpg a/b/images/c.jpg 3\n"), "is not OBJECT/SCENE/images/FILE"),
        (lambda navi: next(navi.rglob("000.png")).unlink(), "000.png: there is no such file; unpack the depth maps"),
        (lambda navi: next(navi.rglob("annotations.json")).write_text("{"), "not an annotation file of NAVI|not valid JSON"),
        (lambda navi: next(navi.rglob("annotations.json")).write_text("[]"), "no entry for 000.jpg"),
        (
            lambda navi: next(navi.rglob("annotations.json")).write_text('[{"filename": "000.jpg", "image_size": [1, 2]}]'),
            "000.jpg: 'camera' is missing",
        ),
    ],
)
def test_a_folder_that_does_not_look_right_is_named(navi, spoil, message):
    spoil(navi)
    with pytest.raises(DataError, match=message):
        open_dataset(f"navi:{navi}")


def test_another_list_is_chosen_by_name(navi):
    with pytest.raises(DataError, match=r"pairs-multiview\.txt: there is no list"):
        open_dataset(f"navi:{navi}", split="multiview")
    with pytest.raises(DataError, match="there is no split 'wild'"):
        open_dataset(f"navi:{navi}", split="wild")
