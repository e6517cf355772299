"""`scannet-pairs:FOLDER`: the 1,500 image pairs of ScanNet used for matching (Sarlin et al., 2020), in the layout of LoFTR's
archive: SCENE/ with color/, depth/ and pose/, and next to the scenes test.npz (the pairs) and intrinsics.npz (the cameras)."""

from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
from PIL import Image

from eyechart.data.file_pictures import file_pictures
from eyechart.data.pairs import POINTS
from eyechart.data.picture import FORMATS
from eyechart.data.published.published_set import PublishedSet
from eyechart.data.published.reprojection import DepthView, Matrix, angle_between, read_sixteen_bits, shared_points
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError, UsageError
from eyechart.files.npz import read_npz
from eyechart.files.readable import require_regular
from eyechart.notice import Notice, counted

POINTS_A_PAIR = 48
_MILLIMETRES = 1000.0  # a depth map holds millimetres, a pose metres
_SCHEMA = pa.schema(
    [("id_a", pa.string()), ("id_b", pa.string()), ("points_a", POINTS), ("points_b", POINTS), ("turn", pa.float64())]
)


def read_scannet_pairs(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    if split not in (None, "test"):
        raise UsageError(f"{folder}: ScanNet's pairs have one split, test, not {split!r}")
    names, cameras = _load(folder / "test.npz"), _load(folder / "intrinsics.npz")
    if "name" not in names or names["name"].ndim != 2 or names["name"].shape[1] != 4:
        raise DataError(f"{folder / 'test.npz'}: there is no array 'name' of [n, 4] numbers: room, scan and two frames")
    made = [_pair(folder, cameras, row.tolist(), number) for number, row in enumerate(names["name"])]
    pairs = [pair for pair in made if pair["points_a"]]
    if not pairs:
        raise DataError(f"{folder}: no two frames have keypoints in common; unpack depth and poses again")
    ids = sorted({pair[end] for pair in pairs for end in ("id_a", "id_b")})
    table = pa.table({"id": pa.array(ids), "attr.scene": pa.array([id.split("/")[0] for id in ids])})
    unmatched = len(made) - len(pairs)
    what = f"{counted(unmatched, 'pair')} of frames without common keypoints left out"
    return RawDataset(
        where_all=str(folder),
        table=table,
        pictures=file_pictures(folder, table.column("id"), root),
        where=lambda row: str(folder / ids[row]),
        notices=(Notice(str(folder), what, "their depth maps do not overlap"),) if unmatched else (),
        reader={"kind": "scannet-pairs", "pairs": len(pairs)},
        pairs=pa.Table.from_pylist(pairs, _SCHEMA),
    )


def _load(path: Path) -> dict[str, npt.NDArray[Any]]:
    if not path.exists():
        raise DataError(f"{path}: there is no such file; download it from LoFTR's assets/scannet_test_1500/")
    return read_npz(path, "download it again")


def _pair(folder: Path, cameras: dict[str, npt.NDArray[Any]], entry: list[int], number: int) -> dict[str, Any]:
    room, scan, first, second = entry
    scene = f"scene{room:04d}_{scan:02d}"
    if scene not in cameras or cameras[scene].shape != (3, 3):
        raise DataError(f"{folder / 'intrinsics.npz'}: there is no camera [3, 3] for {scene}, which test.npz names")
    (a, scale_a), (b, scale_b) = (_view(folder / scene, frame, cameras[scene]) for frame in (first, second))
    points_a, points_b = shared_points(a, b, most=POINTS_A_PAIR, seed=number)
    return {
        "id_a": f"{scene}/color/{first}.jpg",
        "id_b": f"{scene}/color/{second}.jpg",
        "points_a": (points_a * scale_a).tolist(),
        "points_b": (points_b * scale_b).tolist(),
        "turn": angle_between(a.camera, b.camera),
    }


def _view(scene: Path, frame: int, camera: npt.NDArray[Any]) -> tuple[DepthView, npt.NDArray[np.float64]]:
    """The view of a frame, and the scale from depth-map pixels to picture pixels in x and y.

    The camera belongs to the depth map's size, 640 × 480, not to the picture's."""
    depth = read_sixteen_bits(scene / "depth" / f"{frame}.png") / _MILLIMETRES
    view = DepthView(
        depth, (float(camera[0, 0]), float(camera[1, 1])), (float(camera[0, 2]), float(camera[1, 2])), _pose(scene, frame)
    )
    return view, np.array(_size(scene / "color" / f"{frame}.jpg")) / depth.shape[::-1]


def _pose(scene: Path, frame: int) -> Matrix:
    """World to camera: the inverse of the pose in the file."""
    path = scene / "pose" / f"{frame}.txt"
    require_regular(path)
    try:
        pose = np.array([line.split() for line in path.read_text().splitlines() if line.strip()], dtype=np.float64)
    except (OSError, ValueError) as error:
        raise DataError(f"{path}: not readable as a pose ({error}); unpack it again") from None
    if pose.shape != (4, 4) or not np.isfinite(pose).all():
        raise DataError(f"{path}: a pose has four lines of four finite numbers, not the shape {pose.shape}")
    return np.linalg.inv(pose).astype(np.float64)


def _size(path: Path) -> tuple[int, int]:
    try:
        with Image.open(path, formats=FORMATS) as picture:
            return picture.size
    except OSError as error:
        raise DataError(f"{path}: not readable as a picture ({error}); unpack it again") from None


SET = PublishedSet(
    name="scannet-pairs",
    read=read_scannet_pairs,
    n=None,
    license="non-commercial research (ScanNet's terms of use)",
    about="1,500 pairs of indoor views with matching keypoints, computed from depth and cameras.",
    layout="<scene>/{color,depth,pose}/*, test.npz, intrinsics.npz (LoFTR's archive)",
    example="scannet-pairs:scannet_test_1500/",
    citation="Dai et al., 2017; Sarlin et al., 2020",
)
