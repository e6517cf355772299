"""ObjectNet: household objects in unusual poses and places (Barbu et al., 2019).

113 of its 313 classes correspond to one or several ImageNet classes, according to the set's own `mappings/`. Every picture has a
red border of two pixels, which is cropped here.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa

from eyechart.data.class_file import read_classes
from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.formats.folder import read_folder
from eyechart.data.published.cropped_pictures import CroppedPictures
from eyechart.data.published.layout import as_published, folder_labels, inner_folder, take_rows
from eyechart.data.published.published_set import PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.files.records import read_json
from eyechart.files.text import read_text
from eyechart.notice import Notice

BORDER = 2
FILES = ("folder_to_objectnet_label.json", "objectnet_to_imagenet_1k.json", "pytorch_to_imagenet_2012_id.json")
NAMES = "imagenet_to_label_2012_v2"  # one name per line; the second and third file count its lines from 0
_PICTURES = 18_574  # pictures of the 113 classes


def read_objectnet(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Read the folder of the set's archive, with `images/` and `mappings/`. Pictures of other classes are left out."""
    mappings = _mappings(folder)
    found = read_folder(inner_folder(folder, "images"), split=split, root=root)
    folders = folder_labels(found, "objectnet", "a subfolder per class")
    classes = _classes(mappings)
    known = {c.label for c in classes}
    rows = [row for row, name in enumerate(folders) if name in known]
    if not rows:
        raise DataError(
            f"{found.where_all}: no subfolder is a class that ObjectNet and ImageNet share; check that this is ObjectNet"
        )
    table = pa.table({name: found.table.column(name).take(pa.array(rows)) for name in ("id", "label")})
    left = len(folders) - len(rows)
    what = f"{left:,} pictures of classes that ImageNet does not have were left out"
    notices = [Notice(found.where_all, what)] if left else []
    part = take_rows(found, rows, table)
    part = replace(part, pictures=CroppedPictures(part.pictures, BORDER), reader={**part.reader, "border": BORDER})
    return as_published(part, "objectnet", pictures=_PICTURES, classes=classes, notices=notices)


def _mappings(folder: Path) -> Path:
    place = next((p for p in (folder / "mappings", folder.parent / "mappings", folder) if (p / FILES[1]).is_file()), None)
    if place is None:
        raise DataError(
            f"{folder}: it contains no mappings/{FILES[1]}, which maps ObjectNet classes to ImageNet classes; "
            "give the folder objectnet-1.0 as the set's archive unpacks it, with images/ and mappings/"
        )
    return place


def _classes(mappings: Path) -> ClassList:
    """The classes that ImageNet has, labeled by their folder names."""
    titles, imagenet_names, lines = (_read(mappings / name) for name in FILES)
    wnids = [c.label for c in read_classes("imagenet-1k")]
    names = [line.strip() for line in read_text(mappings / NAMES).splitlines()]
    try:
        index = {names[int(line)]: int(number) for number, line in lines.items()}
        folders = {str(title): str(folder) for folder, title in titles.items()}
        classes = tuple(
            PictureClass(folders[title], title.lower(), same_as=tuple(wnids[index[name.strip()]] for name in names_of.split(";")))
            for title, names_of in imagenet_names.items()
        )
    except (KeyError, IndexError, ValueError, AttributeError, TypeError, OverflowError) as error:
        raise DataError(f"{mappings}: its files are inconsistent ({error!r}); unpack the set's archive again") from None
    return ClassList("objectnet", classes, "the mappings that come with ObjectNet")


def _read(path: Path) -> Mapping[str, Any]:
    content = read_json(path, remedy="unpack the set's archive again", unique=False)
    if not isinstance(content, dict):
        raise DataError(f"{path}: not a JSON object; unpack the set's archive again")
    return content


SET = PublishedSet(
    name="objectnet",
    read=read_objectnet,
    n=_PICTURES,
    license="CC BY 4.0 with two more clauses: never train on it, and publish its pictures only with their red border",
    about="Household objects in unusual poses and places; the 113 classes that ImageNet has, without the border.",
    layout="images/<class>/*, mappings/",
    example="objectnet:objectnet-1.0/",
    citation="Barbu et al., 2019",
    use="shift",
)
