"""Cue-conflict pictures: the shape of one category in the texture of another (Geirhos et al., 2019).

The file name tells both: `cat/cat7-elephant1.png` has the shape of the picture cat7 and the texture of the picture elephant1.
"""

import re
from pathlib import Path

import pyarrow as pa

from eyechart.data.formats.folder import read_folder
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError

# The categories of Geirhos et al. All sixteen are predicted, even where a set uses only some of them.
CATEGORIES = (
    "airplane", "bear", "bicycle", "bird", "boat", "bottle", "car", "cat",
    "chair", "clock", "dog", "elephant", "keyboard", "knife", "oven", "truck",
)  # fmt: skip
LAYOUT = "<shape>/<shape><n>-<texture><m>.png, such as cat/cat7-elephant1.png"

_NAME = re.compile(r"(?P<shape>\D+)(?P<n>\d+)-(?P<texture>\D+)(?P<m>\d+)\.[^.]+")


def read_cue_conflict(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """`attr.shape` and `attr.texture`, and their source pictures `attr.shape_source` and `attr.texture_source`.

    There is no `label`, since both answers are correct; the classes are all categories."""
    found = read_folder(folder, split=split, root=root)
    ids: list[str] = found.table.column("id").to_pylist()
    parts = [_NAME.fullmatch(id.rpartition("/")[2]) for id in ids]
    columns: dict[str, list[str]] = {"shape": [], "texture": [], "shape_source": [], "texture_source": []}
    for row, (id, part) in enumerate(zip(ids, parts, strict=True)):
        if part is None:
            raise DataError(f"{found.where(row)}: the file name does not tell shape and texture; rename it to {LAYOUT}")
        if "/" in id and id.partition("/")[0] != part["shape"]:
            raise DataError(
                f"{found.where(row)}: a picture with the shape {part['shape']!r} is in the folder {id.partition('/')[0]!r}; "
                "move or rename it"
            )
        columns["shape"].append(part["shape"])
        columns["texture"].append(part["texture"])
        columns["shape_source"].append(part["shape"] + part["n"])
        columns["texture_source"].append(part["texture"] + part["m"])
    there = {*columns["shape"], *columns["texture"]}
    return RawDataset(
        where_all=str(folder),
        table=pa.table({"id": ids, **{f"attr.{name}": values for name, values in columns.items()}}),
        pictures=found.pictures,
        where=found.where,
        labels=CATEGORIES if there <= set(CATEGORIES) else tuple(sorted(there)),
        notices=found.notices,
        reader={**found.reader, "kind": "cue-conflict", "labels": None},
    )


SET = PublishedSet(
    name="cue-conflict",
    read=read_cue_conflict,
    n=1_280,
    license=UNKNOWN_LICENSE,
    about="Pictures with the shape of one category and the texture of another.",
    layout="<shape>/<shape><n>-<texture><m>.png",
    example="cue-conflict:stimuli/",
    citation="Geirhos et al., 2019",
)
