"""`navi:FOLDER`: the NAVI dataset (Jampani et al., 2023): OBJECT/SCENE/ with images/, depth/ and annotations.json, and lists of
pairs in custom_splits/pairwise_pixel_correspondences/.

Pairs are sampled from `pairs-wild_set.txt` (or `pairs-multiview.txt`), the same number from each range of angles: depth maps are
large, and reading all of them would take hours. The sample depends on the names of the pictures only."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from hashlib import sha256
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.data.file_pictures import file_pictures
from eyechart.data.pairs import BOX, POINTS, SURFACE, SURFACES
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.published.reprojection import DepthView, Matrix, read_sixteen_bits, shared_points
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError, did_you_mean
from eyechart.files.readable import require_regular
from eyechart.files.records import read_json
from eyechart.files.text import nearest_sibling

SPLITS = ("wild_set", "multiview")
ANGLES = (0, 30, 60, 90, 120)  # degrees
PAIRS = 60  # from each range of angles
POINTS_A_PAIR = 48
_FEWEST = 4  # keypoints that a pair needs
_SURFACE_POINTS = 1024  # of each view, in centimeters
_DISPARITY = 65535 * 10  # a depth map holds this over the depth in millimetres
_SCHEMA = pa.schema(
    [
        ("id_a", pa.string()),
        ("id_b", pa.string()),
        ("points_a", POINTS),
        ("points_b", POINTS),
        ("turn", pa.float64()),
        ("box_b", BOX),
        *((name, SURFACE) for name in SURFACES),
    ]
)


@dataclass(frozen=True)
class _Listed:
    first: str
    second: str
    turn: float

    @property
    def draw(self) -> bytes:
        return sha256(f"{self.first} {self.second}".encode()).digest()


def read_navi(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    split = split or SPLITS[0]
    if split not in SPLITS:
        raise DataError(f"{folder}: there is no split {split!r}{did_you_mean(split, SPLITS)} (there are: {', '.join(SPLITS)})")
    listed = _list_of_pairs(folder / "custom_splits" / "pairwise_pixel_correspondences" / f"pairs-{split}.txt")
    pairs: list[dict[str, Any]] = []
    for low, high in pairwise(ANGLES):
        near = sorted((one for one in listed if low <= one.turn < high), key=lambda one: one.draw)
        pairs += islice((made for one in near[: 2 * PAIRS] if (made := _pair(folder, one))), PAIRS)
    if not pairs:
        raise DataError(f"{folder}: no two pictures of {split} have keypoints in common; unpack the depth maps of NAVI again")
    ids = sorted({pair[end] for pair in pairs for end in ("id_a", "id_b")})
    objects = [id.split("/")[0] for id in ids]
    table = pa.table({"id": pa.array(ids, pa.string()), "attr.object": pa.array(objects, pa.string())})
    return RawDataset(
        where_all=str(folder),
        table=table,
        pictures=file_pictures(folder, table.column("id"), root),
        where=lambda row: str(folder / ids[row]),
        reader={"kind": "navi", "split": split, "pairs": len(pairs), "of": len(listed)},
        pairs=pa.Table.from_pylist(pairs, _SCHEMA),
    )


def _list_of_pairs(path: Path) -> list[_Listed]:
    require_regular(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        remedy = "give the folder that holds NAVI's objects and its custom_splits/"
        raise DataError(f"{path}: there is no list of pairs here{nearest_sibling(path)}; {remedy}") from None
    return list(_lines(path, lines))


def _lines(path: Path, lines: list[str]) -> Iterator[_Listed]:
    for number, line in enumerate(lines, 1):
        parts = line.split()
        try:
            first, second, turn = parts[0], parts[1], float(parts[2])
        except (IndexError, ValueError):
            raise DataError(f"{path}, line {number}: {line[:80]!r} is not two pictures and an angle") from None
        for name in (first, second):
            if len(Path(name).parts) != 4 or ".." in Path(name).parts or Path(name).is_absolute():
                raise DataError(f"{path}, line {number}: {name!r} is not OBJECT/SCENE/images/FILE")
        yield _Listed(first, second, turn)


def _pair(folder: Path, listed: _Listed) -> dict[str, Any] | None:
    """The pair with its keypoints; None where the two pictures share too few."""
    first, second = _view(folder, listed.first), _view(folder, listed.second)
    points = shared_points(first, second, most=POINTS_A_PAIR, seed=int.from_bytes(listed.draw[:4], "big"))
    if len(points[0]) < _FEWEST:
        return None
    rows, columns = np.nonzero(second.depth > 0)
    box = [columns.min(), rows.min(), columns.max() + 1, rows.max() + 1]
    places = {"points_a": points[0].tolist(), "points_b": points[1].tolist(), "box_b": [float(side) for side in box]}
    surfaces = {
        name: (view.surface(_SURFACE_POINTS) / [1, 1, 10, 10, 10]).tolist()
        for name, view in zip(SURFACES, (first, second), strict=True)
    }
    return {"id_a": listed.first, "id_b": listed.second, "turn": listed.turn, **places, **surfaces}


def _view(folder: Path, picture: str) -> DepthView:
    scene, name = folder / Path(picture).parent.parent, Path(picture).name
    entry = _annotations(scene / "annotations.json").get(name)
    if entry is None:
        raise DataError(f"{scene / 'annotations.json'}: it has no entry for {name}, which a list of pairs names")
    try:
        high, wide = (int(side) for side in entry["image_size"])
        focal = float(entry["camera"]["focal_length"])
        camera = _camera(entry["camera"]["q"], entry["camera"]["t"])
    except (KeyError, TypeError, ValueError, OverflowError) as error:
        raise DataError(f"{scene / 'annotations.json'}, {name}: {error} is missing or malformed") from None
    values = read_sixteen_bits(scene / "depth" / f"{Path(name).stem}.png")
    if values.shape != (high, wide):
        raise DataError(f"{scene / 'depth'}, {name}: the depth map has {values.shape[::-1]} pixels, the picture {(wide, high)}")
    depth = np.divide(_DISPARITY, values, out=np.zeros_like(values), where=values > 0)
    return DepthView(depth, (focal, focal), (wide / 2, high / 2), camera)


@lru_cache(256)
def _annotations(path: Path) -> dict[str, Any]:
    try:
        return {entry["filename"]: entry for entry in read_json(path, most_bytes=None, unique=False)}
    except (KeyError, TypeError) as error:
        raise DataError(f"{path}: not an annotation file of NAVI ({error}); unpack it again") from None


def _camera(quaternion: Any, place: Any) -> Matrix:
    """[4, 4]: object coordinates to camera coordinates, in millimetres; the quaternion is (w, x, y, z)."""
    w, x, y, z = np.asarray(quaternion, float) / np.linalg.norm(np.asarray(quaternion, float))
    camera = np.eye(4)
    camera[:3, :3] = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
        [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
        [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
    ]
    camera[:3, 3] = np.asarray(place, float)
    return camera


SET = PublishedSet(
    name="navi",
    read=read_navi,
    n=None,
    license=UNKNOWN_LICENSE,
    about="Pairs of views of an object with matching keypoints, computed from depth and cameras.",
    layout="<object>/<scene>/{images,depth}/*, annotations.json, custom_splits/",
    example="navi:navi_v1.5/",
    citation="Jampani et al., 2023",
)
