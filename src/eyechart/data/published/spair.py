"""`spair:FOLDER`: SPair-71k (Min et al., 2019) with its folders JPEGImages/CATEGORY/ and PairAnnotation/SPLIT/.

The file of a pair has two pictures of one category, their common keypoints, the object's box and the viewpoint difference:
0 (easy), 1 or 2 (hard)."""

from pathlib import Path
from typing import Any

import pyarrow as pa

from eyechart.data.file_pictures import file_pictures
from eyechart.data.pairs import BOX, POINTS
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError, did_you_mean
from eyechart.files.records import read_json

_SPLITS = {"train": "trn", "trn": "trn", "val": "val", "valid": "val", "test": "test"}
_SCHEMA = pa.schema(
    [
        ("id_a", pa.string()),
        ("id_b", pa.string()),
        ("points_a", POINTS),
        ("points_b", POINTS),
        ("viewpoint", pa.int64()),
        ("box_b", BOX),
    ]
)


def read_spair(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    for part in ("JPEGImages", "PairAnnotation"):
        if not (folder / part).is_dir():
            raise DataError(f"{folder}: it contains no {part}/; give the folder SPair-71k/ that its archive unpacks to")
    if split is not None and split not in _SPLITS:
        raise DataError(f"{folder}: there is no split {split!r}{did_you_mean(split, _SPLITS)} (there are: train, val, test)")
    place = folder / "PairAnnotation" / _SPLITS[split or "test"]
    files = sorted(place.glob("*.json"))
    if not files:
        raise DataError(f"{place}: it contains no pairs; unpack the archive of SPair-71k again")
    pairs = [_pair(file) for file in files]
    labels = {pair[end]: pair["category"] for pair in pairs for end in ("id_a", "id_b")}
    ids = sorted(labels)
    table = pa.table({"id": pa.array(ids, pa.string()), "label": pa.array([labels[id] for id in ids], pa.string())})
    return RawDataset(
        where_all=str(folder),
        table=table,
        pictures=file_pictures(folder / "JPEGImages", table.column("id"), root or folder),
        where=lambda row: str(folder / "JPEGImages" / ids[row]),
        reader={"kind": "spair", "split": split or "test", "pairs": len(pairs)},
        pairs=pa.Table.from_pylist(pairs, _SCHEMA),
    )


def _pair(file: Path) -> dict[str, Any]:
    try:
        entry = read_json(file, remedy="unpack the archive of SPair-71k again", unique=False)
        category = str(entry["category"])
        first, second = (f"{category}/{entry[end]}" for end in ("src_imname", "trg_imname"))
        points_a, points_b = ([[float(x), float(y)] for x, y in entry[end]] for end in ("src_kps", "trg_kps"))
        box = [float(side) for side in entry["trg_bndbox"]]
        viewpoint = int(entry["viewpoint_variation"])
    except (OSError, ValueError, OverflowError) as error:
        raise DataError(f"{file}: not readable as a pair ({error}); unpack the archive of SPair-71k again") from error
    except (KeyError, TypeError) as error:
        raise DataError(f"{file}: not a pair of SPair-71k: {error} is missing or malformed") from None
    if len(points_a) != len(points_b) or len(box) != 4:
        raise DataError(
            f"{file}: {len(points_a)} and {len(points_b)} keypoints and a box of {len(box)} numbers; both pictures need the same"
            " number of keypoints, and a box has four numbers"
        )
    if ".." in first.split("/") or ".." in second.split("/"):
        raise DataError(f"{file}: {first!r} and {second!r} must be in JPEGImages/")
    known = {"id_a": first, "id_b": second, "points_a": points_a, "points_b": points_b, "category": category}
    return known | {"viewpoint": viewpoint, "box_b": box}


SET = PublishedSet(
    name="spair",
    read=read_spair,
    n=None,
    license=UNKNOWN_LICENSE,
    about="Pairs of pictures of one category with annotated keypoints; 18 categories.",
    layout="JPEGImages/<category>/*, PairAnnotation/<split>/*",
    example="spair:SPair-71k/",
    citation="Min et al., 2019",
)
