"""ScanNet's pairs in LoFTR's layout, on a wall whose correspondences are a homography."""

import numpy as np
import pytest
from PIL import Image
from tests.data.published.plane import Wall, turned

from eyechart.data.open import open_dataset
from eyechart.errors import DataError, UsageError

WALL = Wall(distance=2.0, focal=90.0, wide=64, high=48)
TURNS = {15: 0.0, 30: 25.0, 45: 180.0}  # frame: degrees; from behind, nothing of the wall is seen


@pytest.fixture
def scannet(tmp_path, picture_bytes):
    scene = tmp_path / "scene0707_00"
    for part in ("color", "depth", "pose"):
        (scene / part).mkdir(parents=True)
    for frame, degrees in TURNS.items():
        camera = turned(degrees, WALL.distance)
        depth = np.clip(WALL.depth(camera), 0, 60) if degrees < 90 else np.zeros((48, 64))
        Image.fromarray(np.round(depth * 1000).astype(np.uint16)).save(scene / "depth" / f"{frame}.png")
        (scene / "color" / f"{frame}.jpg").write_bytes(picture_bytes(frame, "JPEG", (128, 96)))  # twice the depth map
        np.savetxt(scene / "pose" / f"{frame}.txt", np.linalg.inv(camera))
    np.savez(tmp_path / "test.npz", name=np.array([[707, 0, 15, 30], [707, 0, 15, 45]]))
    np.savez(tmp_path / "intrinsics.npz", scene0707_00=WALL.intrinsics)
    return tmp_path


def test_pairs_have_the_points_of_the_homography_in_pixels_of_the_pictures(scannet):
    dataset = open_dataset(f"scannet-pairs:{scannet}")
    (pair,) = dataset.pairs.to_pylist()
    assert (pair["id_a"], pair["id_b"]) == ("scene0707_00/color/15.jpg", "scene0707_00/color/30.jpg")
    assert pair["turn"] == pytest.approx(25.0, abs=1e-6)
    expected = 2 * WALL.seen_at(np.array(pair["points_a"]) / 2, turned(25.0, WALL.distance))
    np.testing.assert_allclose(pair["points_b"], expected, atol=0.15)  # depth is rounded to millimetres
    assert any("1 pair of frames without common keypoints" in n.what for n in dataset.notices)
    assert dataset.ids() == [pair["id_a"], pair["id_b"]]


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda place: (place / "test.npz").unlink(), "test.npz: there is no such file; download it from LoFTR"),
        (lambda place: (place / "intrinsics.npz").write_bytes(b"no"), "intrinsics.npz: not an npz file"),
        (lambda place: np.savez(place / "test.npz", names=np.zeros((1, 4), int)), "there is no array 'name'"),
        (lambda place: np.savez(place / "intrinsics.npz", other=np.eye(3)), "there is no camera .* for scene0707_00"),
        (lambda place: (place / "scene0707_00/pose/15.txt").write_text("1 2 3"), "15.txt: a pose has four lines of four"),
        (lambda place: (place / "scene0707_00/pose/15.txt").unlink(), "15.txt: not readable as a pose"),
        (lambda place: (place / "scene0707_00/depth/30.png").unlink(), "30.png: there is no such file"),
        (lambda place: (place / "scene0707_00/color/30.jpg").write_text("no"), "30.jpg: not readable as a picture"),
    ],
)
def test_a_folder_that_does_not_look_right_is_named(scannet, spoil, message):
    spoil(scannet)
    with pytest.raises(DataError, match=message):
        open_dataset(f"scannet-pairs:{scannet}")


def test_there_is_one_split(scannet):
    with pytest.raises(UsageError, match="one split, test, not 'train'"):
        open_dataset(f"scannet-pairs:{scannet}", split="train")
