"""What'sUp (Kamath et al., 2023): spatial relations of two objects, in controlled photographs, COCO and Visual Genome.

`controlled_images_dataset.json` and `controlled_clevr_dataset.json`: [{"image_path", "caption_options": [true, false, …]}, …];
the pictures of the same two objects are a group. `coco_qa_two_obj.json` and similar files: [[picture number, true, false], …]."""

import re
from pathlib import Path
from typing import Any

from eyechart.data.published.foil_entries import Entry, foiled
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.files.records import read_json

_PREPOSITION = re.compile(r"_(?:on|under|left_of|right_of|in-front_of|behind)_")


def read_whatsup(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Read all files, or only the file `split`.json."""
    files = [path for path in sorted(folder.glob("*.json")) if split in (None, path.stem)]
    if not files:
        raise DataError(f"{folder}: it contains no {split or '*'}.json; give the folder of What'sUp's files")
    entries = []
    for path in files:
        content = read_json(path, remedy="download it again", most_bytes=None, unique=False)
        if not isinstance(content, list) or not content:
            raise DataError(f"{path}: expected a list of pictures with their captions")
        entries += [_entry(path, f"{path}, entry {place}", row) for place, row in enumerate(content)]
    return foiled(folder, entries, "whatsup", root)


def _entry(path: Path, where: str, row: Any) -> Entry:
    if isinstance(row, dict):
        file, captions = row.get("image_path"), row.get("caption_options")
        if (
            isinstance(file, str)
            and isinstance(captions, list)
            and len(captions) > 1
            and all(isinstance(c, str) for c in captions)
        ):
            name = Path(file).name
            group = f"{path.stem}: {' and '.join(_PREPOSITION.split(Path(file).stem, maxsplit=1))}"
            return Entry(name, (captions[0],), tuple(captions[1:]), path.stem, where, group=group)
    elif isinstance(row, list) and len(row) == 3 and isinstance(row[0], int | str) and all(isinstance(s, str) for s in row[1:]):
        number = str(row[0])
        if path.stem.startswith("coco") and not (number.isascii() and number.isdigit() and len(number) <= 12):
            raise DataError(f"{where}: {number[:40]!r} is not the number of a COCO picture")
        name = f"{int(number):012d}.jpg" if path.stem.startswith("coco") else f"{number}.jpg"
        return Entry(name, (row[1],), (row[2],), path.stem, where)
    raise DataError(f"{where}: expected {{image_path, caption_options}} or [picture, true caption, false caption]")


SET = PublishedSet(
    name="whatsup",
    read=read_whatsup,
    n=None,
    license=UNKNOWN_LICENSE,
    about="Spatial relations between two objects, with true and false captions.",
    layout="controlled_images_dataset.json, coco_qa_two_obj.json, …; --root for the pictures",
    example="whatsup:whatsup/",
    citation="Kamath et al., 2023",
)
