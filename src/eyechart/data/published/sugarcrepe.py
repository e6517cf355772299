"""SugarCrepe (Hsieh et al., 2023) and SugarCrepe++ (Dumpala et al., 2024): COCO pictures with a caption and a foil.

In the foil something is replaced, swapped or added. One file per kind, `replace_obj.json`: {"0": {"filename", "caption",
"negative_caption"}, …}; SugarCrepe++ has a second true caption, "caption2". The pictures are those of COCO's val2017."""

from pathlib import Path

from eyechart.data.published.foil_entries import Entry, foiled, rows_of, text
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError


def read_sugarcrepe(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    return foiled(folder, _entries(folder, split), "sugarcrepe", root)


def read_sugarcrepe_pp(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    entries = _entries(folder, split)
    single = next((e for e in entries if len(e.captions) < 2), None)
    if single is not None:
        raise DataError(f"{single.where}: it has no second caption ('caption2'); use sugarcrepe: instead of sugarcrepe-pp:")
    return foiled(folder, entries, "sugarcrepe-pp", root)


def _entries(folder: Path, split: str | None) -> list[Entry]:
    """The entries of all kinds, or only of the kind `split`."""
    files = [path for path in sorted(folder.glob("*.json")) if split in (None, path.stem)]
    if not files:
        wanted = f"{split}.json" if split else "replace_obj.json or another kind"
        raise DataError(f"{folder}: it contains no {wanted}; give the folder of SugarCrepe's JSON files")
    entries = []
    for path in files:
        for where, row in rows_of(path):
            second = (text(row, "caption2", where),) if "caption2" in row else ()
            captions = (text(row, "caption", where), *second)
            entries.append(
                Entry(text(row, "filename", where), captions, (text(row, "negative_caption", where),), path.stem, where)
            )
    return entries


SETS = (
    PublishedSet(
        name="sugarcrepe",
        read=read_sugarcrepe,
        n=None,
        license=UNKNOWN_LICENSE,
        about="7,512 COCO pictures with a caption and a caption in which something is replaced, swapped or added.",
        layout="replace_obj.json, swap_att.json, …; --root for COCO's val2017",
        example="sugarcrepe:sugarcrepe/",
        citation="Hsieh et al., 2023",
    ),
    PublishedSet(
        name="sugarcrepe-pp",
        read=read_sugarcrepe_pp,
        n=None,
        license=UNKNOWN_LICENSE,
        about="4,757 entries of SugarCrepe with a second true caption in other words.",
        layout="replace_obj.json, swap_att.json, …; --root for COCO's val2017",
        example="sugarcrepe-pp:sugarcrepe-pp/",
        citation="Dumpala et al., 2024",
    ),
)
