"""Folders of corrupted pictures: `<corruption>/<severity>/<class>/<picture>`, the layout of ImageNet-C, ImageNet-3DCC and
`eyechart corrupt`. `attr.shift` is the corruption, `attr.severity` its severity, `attr.source_id` the original picture's path."""

from collections.abc import Callable
from pathlib import Path

import pyarrow as pa

from eyechart.data.class_file import read_classes
from eyechart.data.formats.folder import as_label, read_folder
from eyechart.data.published.layout import as_published
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.notice import Notice

WRITTEN = "corrupted.json"  # the file that `eyechart corrupt` puts into its folder
LAYOUT = "<corruption>/<severity from 1 to 5>/<class>/<picture>"
_GROUPS = frozenset({"noise", "blur", "weather", "digital", "extra"})  # ImageNet-C's archives unpack into these
_SEVERITIES = frozenset("12345")


def read_corrupted(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Pictures written by `eyechart corrupt`, or any folder in this layout."""
    return _read(folder, "corrupted", split, root)


def read_imagenet_c(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """ImageNet-C, with or without the folders of its archives (noise, blur, weather, digital, extra)."""
    return _of_imagenet(_read(folder, "imagenet-c", split, root), "imagenet-c")


def read_imagenet_3dcc(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """ImageNet-3DCC: twelve corruptions that use the depth of the scene."""
    return _of_imagenet(_read(folder, "imagenet-3dcc", split, root), "imagenet-3dcc")


def _read(folder: Path, name: str, split: str | None, root: Path | None) -> RawDataset:
    if split is not None:
        raise DataError(f"{folder}: {name} has no splits; leave out --split")
    found = read_folder(folder, root=root, layout=True)
    ids: list[str] = found.table.column("id").to_pylist()
    parts = [_parted(id, name, found.where, row) for row, id in enumerate(ids)]
    columns = {
        "id": pa.array(ids, pa.string()),
        "attr.shift": pa.array([corruption for corruption, _, _ in parts], pa.string()),
        "attr.severity": pa.array([severity for _, severity, _ in parts], pa.int64()),
        "attr.source_id": pa.array([rest for _, _, rest in parts], pa.string()),
    }
    labels = [as_label(rest.partition("/")[0]) if "/" in rest else None for _, _, rest in parts]
    if any(labels):
        columns["label"] = pa.array(labels, pa.string())
    return RawDataset(
        where_all=found.where_all,
        table=pa.table(columns),
        pictures=found.pictures,
        where=found.where,
        notices=found.notices,
        reader={**found.reader, "kind": name, "labels": "subfolder of the severity" if any(labels) else None},
    )


def _parted(id: str, name: str, where: Callable[[int], str], row: int) -> tuple[str, int, str]:
    """Corruption, severity and the rest of a picture's path."""
    parts = id.split("/")
    if name == "imagenet-c" and len(parts) > 3 and parts[0] in _GROUPS and parts[1] not in _SEVERITIES:
        parts = parts[1:]
    if len(parts) < 3 or parts[1] not in _SEVERITIES:
        raise DataError(f"{where(row)}: its path is not {LAYOUT}; move it, or give the folder that contains the corruptions")
    return parts[0], int(parts[1]), "/".join(parts[2:])


def _of_imagenet(found: RawDataset, name: str) -> RawDataset:
    """The set with ImageNet's classes, and a notice where corruptions or severities differ in their number of pictures."""
    classes = read_classes("imagenet-1k")
    known = {c.label for c in classes}
    labels = found.table.column("label").to_pylist() if "label" in found.table.column_names else [None] * found.table.num_rows
    wrong = next((row for row, label in enumerate(labels) if label not in known), None)
    if wrong is not None:
        raise DataError(
            f"{found.where(wrong)}: its folder {labels[wrong]!r} is not a WordNet id of ImageNet; check that this is {name}"
        )
    cells = found.table.group_by(["attr.shift", "attr.severity"]).aggregate([("id", "count")]).column("id_count").to_pylist()
    uneven = len(set(cells)) > 1
    what = f"from {min(cells):,} to {max(cells):,} pictures under one corruption at one severity"
    notices = [Notice(found.where_all, what, "every corruption and severity should have the same pictures")] if uneven else []
    return as_published(found, name, pictures=found.table.num_rows, classes=classes, notices=notices)


SETS = (
    PublishedSet(
        name="corrupted",
        read=read_corrupted,
        n=None,
        license="that of the original pictures",
        about="Pictures that `eyechart corrupt` wrote, or any folder in the same layout.",
        layout="<corruption>/<1 to 5>/<path of the picture>",
        example="corrupted:corrupted/",
        use="shift",
    ),
    PublishedSet(
        name="imagenet-3dcc",
        read=read_imagenet_3dcc,
        n=None,
        license=UNKNOWN_LICENSE,
        about="3D common corruptions of the ImageNet validation set at five severities.",
        layout="<corruption>/<1 to 5>/<WordNet id>/*",
        example="imagenet-3dcc:imagenet-3dcc/",
        citation="Kar et al., 2022",
        use="shift",
    ),
    PublishedSet(
        name="imagenet-c",
        read=read_imagenet_c,
        n=None,
        license="CC BY 4.0",
        about="Common corruptions of the ImageNet validation set at five severities.",
        layout="<corruption>/<1 to 5>/<WordNet id>/*, also below noise/, blur/, weather/, digital/ and extra/",
        example="imagenet-c:imagenet-c/",
        citation="Hendrycks and Dietterich, 2019",
        use="shift",
    ),
)
