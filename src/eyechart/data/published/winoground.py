"""Winoground (Thrush et al., 2022): two pictures and two captions made of the same words; each caption matches one picture.

`examples.jsonl` has one line per example: {"id", "image_0", "image_1", "caption_0", "caption_1", "collapsed_tag", …}; the
pictures are `images/ex_0_img_0.png`."""

from pathlib import Path

from eyechart.data.published.foil_entries import Entry, foiled, text
from eyechart.data.published.layout import inner_folder
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.files.readable import require_regular
from eyechart.files.records import parse_json


def read_winoground(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    folder = inner_folder(folder, "data")
    path = folder / "examples.jsonl"
    require_regular(path)
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read ({error.strerror or error}); give the folder with Winoground's examples.jsonl"
        ) from error
    entries = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        where = f"{path}:{number}"
        row = parse_json(line, where, remedy="download the file again")
        if not isinstance(row, dict):
            raise DataError(f"{where}: expected an object with two pictures and two captions; download the file again")
        kind = str(row.get("collapsed_tag") or "untagged")
        captions = [text(row, f"caption_{i}", where) for i in (0, 1)]
        for i in (0, 1):
            file = text(row, f"image_{i}", where)
            named = file if Path(file).suffix else f"{file}.png"
            entries.append(Entry(named, (captions[i],), (captions[1 - i],), kind, where, group=str(row.get("id", number))))
    if not entries:
        raise DataError(f"{path}: it contains no examples")
    return foiled(folder, entries, "winoground", root)


SET = PublishedSet(
    name="winoground",
    read=read_winoground,
    n=800,
    license=UNKNOWN_LICENSE,
    about="Pairs of pictures and captions made of the same words in another order.",
    layout="examples.jsonl, images/*",
    example="winoground:winoground/",
    citation="Thrush et al., 2022",
)
