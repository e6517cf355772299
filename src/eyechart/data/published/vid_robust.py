"""ImageNet-Vid-Robust: frames of videos with the frames around them (Shankar et al., 2021).

`pmsets.json` is {frame: [frames at most ten away, …]} and `labels.json` {frame: [category from 0 to 29, …]}, both by the path of
the frame's file, `val/ILSVRC2015_val_00000000/000442.JPEG`. A frame with two animals has two categories; either is correct.
"""

import re
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa

from eyechart.data.class_file import read_classes
from eyechart.data.file_pictures import file_pictures
from eyechart.data.paths import check_paths
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.files.records import read_json
from eyechart.notice import Notice, counted

NEIGHBORS = pa.list_(pa.struct([("id", pa.string()), ("distance", pa.int64())]))
_ANCHORS = 1_109
_FRAME = re.compile(r"(?P<video>.+)/(?P<number>\d+)\.\w+")


def read_vid_robust(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Frames with `attr.neighbours`, `attr.video` and `attr.labels`. The files are below `folder`."""
    if split is not None:
        raise DataError(f"{folder}: imagenet-vid-robust has no splits; leave out --split")
    sets, labels = (_read(_beside(folder, name)) for name in ("pmsets.json", "labels.json"))
    frames = sorted({*sets, *(str(frame) for near in sets.values() for frame in near)})
    classes = read_classes("imagenet-vid-robust")
    missing = next((frame for frame in frames if not labels.get(frame)), None)
    if missing is not None:
        raise DataError(f"{folder}: labels.json has no entry for the frame {missing!r}; download both files again")
    try:
        named = [[classes[_whole(number)].label for number in labels[frame]] for frame in frames]
    except (ValueError, IndexError, TypeError):
        raise DataError(f"{folder}: labels.json has an entry that is not a category from 0 to 29; download it again") from None
    table = pa.table(
        {
            "id": pa.array(frames, pa.string()),
            "label": pa.array([first[0] for first in named], pa.string()),
            "attr.labels": pa.array(named, pa.list_(pa.string())),
            "attr.video": pa.array([_parts(frame)[0] for frame in frames], pa.string()),
            "attr.neighbours": pa.array([_around(frame, sets.get(frame)) for frame in frames], NEIGHBORS),
        }
    )

    def where(row: int) -> str:
        return f"{folder}, frame {frames[row]!r}"

    check_paths(table.column("id"), folder, where, root)
    if not any((folder / frame).is_file() for frame in frames[:50]):
        raise DataError(f"{folder}: it contains no frame {frames[0]}; give the folder that contains val/")
    what = f"{counted(len(sets), 'frame')} with neighbors; the published set has {_ANCHORS:,}"
    return RawDataset(
        where_all=str(folder),
        table=table,
        pictures=file_pictures(folder, table.column("id"), root),
        where=where,
        labels=tuple(c.label for c in classes),
        notices=(Notice(str(folder), what),) if len(sets) != _ANCHORS else (),
        reader={"kind": "imagenet-vid-robust", "ids": "path in the folder", "labels": "labels.json"},
        classes=classes,
        benchmark="imagenet-vid-robust",
    )


def _whole(number: object) -> int:
    if not isinstance(number, int) or isinstance(number, bool) or number < 0:  # JSON's true would be 1
        raise ValueError(number)
    return number


def _beside(folder: Path, name: str) -> Path:
    places = (folder / name, folder / "metadata" / name, folder / "misc" / name, folder.parent / "metadata" / name)
    found = next((place for place in places if place.is_file()), None)
    if found is None:
        raise DataError(
            f"{folder}: it contains neither {name} nor metadata/{name}, which lists the neighboring frames; put it there"
        )
    return found


def _read(path: Path) -> Mapping[str, list[object]]:
    content = read_json(path, remedy="download it again", most_bytes=None, unique=False)
    if not isinstance(content, dict) or not content or not all(isinstance(value, list) for value in content.values()):
        raise DataError(f"{path}: not a JSON object of frames with lists; download it again")
    return content


def _parts(frame: str) -> tuple[str, int]:
    """The video and the number of a frame."""
    parts = _FRAME.fullmatch(frame)
    if parts is None:
        raise DataError(f"pmsets.json: {frame!r} is not the path of a frame, such as val/ILSVRC2015_val_00000000/000442.JPEG")
    return parts["video"], int(parts["number"])


def _around(frame: str, near: list[object] | None) -> list[dict[str, object]] | None:
    if near is None:
        return None
    return [{"id": str(other), "distance": abs(_parts(str(other))[1] - _parts(frame)[1])} for other in near]


SET = PublishedSet(
    name="imagenet-vid-robust",
    read=read_vid_robust,
    n=None,
    license=UNKNOWN_LICENSE,
    about="1,109 video frames, each with the similar frames around it, in 30 categories.",
    layout="val/<video>/*, metadata/pmsets.json, metadata/labels.json",
    example="imagenet-vid-robust:imagenet-vid-robust/",
    citation="Shankar et al., 2021",
    use="shift",
)
