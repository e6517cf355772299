"""ARO's two parts with pictures (Yüksekgönül et al., 2023): relations and attributes of Visual Genome, true and swapped.

`visual_genome_relation.json` and `visual_genome_attribution.json` are lists of {"image_path", "bbox_x", "bbox_y", "bbox_w",
"bbox_h", "true_caption", "false_caption", …}. Only the part of the picture inside the box is used."""

from pathlib import Path
from typing import Any

from eyechart.data.published.boxed_pictures import Box
from eyechart.data.published.foil_entries import Entry, foiled, rows_of, text
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError

_LARGEST = 1e6  # pixels; NaN and infinity are not below it either
FILES = {"relation": "visual_genome_relation.json", "attribution": "visual_genome_attribution.json"}


def read_aro(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """`split`: "relation" or "attribution" alone."""
    files = {kind: folder / name for kind, name in FILES.items() if split in (None, kind) and (folder / name).is_file()}
    if not files:
        raise DataError(f"{folder}: it contains no {' or '.join(FILES.values())}; give the folder of ARO's files")
    entries = []
    for kind, path in files.items():
        for where, row in rows_of(path):
            caption, foil = text(row, "true_caption", where), text(row, "false_caption", where)
            entries.append(Entry(text(row, "image_path", where), (caption,), (foil,), kind, where, box=_box(row, where)))
    return foiled(folder, entries, "aro", root)


def _box(row: dict[str, Any], where: str) -> Box | None:
    keys = ("bbox_x", "bbox_y", "bbox_w", "bbox_h")
    if not any(key in row for key in keys):
        return None
    values = [row.get(key) for key in keys]
    if not all(isinstance(v, int | float) and not isinstance(v, bool) and abs(v) < _LARGEST for v in values):
        raise DataError(f"{where}: {', '.join(keys)} must be numbers, not {values}")
    x, y, width, height = (int(v) for v in values if isinstance(v, int | float))
    return x, y, x + width, y + height


SET = PublishedSet(
    name="aro",
    read=read_aro,
    n=None,
    license=UNKNOWN_LICENSE,
    about="23,937 relations and 28,748 attributes of Visual Genome regions, each with a true and a swapped caption.",
    layout="visual_genome_relation.json, visual_genome_attribution.json, images/*",
    example="aro:aro/",
    citation="Yuksekgonul et al., 2023",
)
