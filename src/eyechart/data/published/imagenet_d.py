"""ImageNet-D: objects that a diffusion model drew on unusual backgrounds and in unusual materials (Zhang et al., 2024).

Pictures are in `<subset>/<class>/`, and `questions/<subset>.csv` holds CLIP's two best classes for each of them. The wrong option
of the published two-way question is the best of them that is not the true class; it is read as `attr.distractor`.
"""

import csv
from pathlib import Path

import pyarrow as pa

from eyechart.data.class_file import read_classes
from eyechart.data.formats.folder import read_folder
from eyechart.data.published.layout import as_published, inner_folder, take_rows
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.files.text import read_text
from eyechart.notice import Notice

SUBSETS = ("background", "texture", "material")
LAYOUT = "<background|texture|material>/<class>/<picture>"
_PICTURES = 4_835
_COLUMNS = ("image_dir", "gt_category", "top1_pred_cate", "top2_pred_cate")


def read_imagenet_d(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """`attr.subset`, and `attr.distractor` where the folder has `questions/`. `split` names one subset."""
    if split is not None and split not in SUBSETS:
        raise DataError(f"{folder}: imagenet-d has no subset {split!r}; choose among {', '.join(SUBSETS)}")
    folder = inner_folder(folder, "ImageNet-D")
    found = read_folder(folder, root=root, layout=True)
    ids: list[str] = found.table.column("id").to_pylist()
    classes = read_classes("imagenet-d")
    by_letters = {_letters(text): c.label for c in classes for text in (c.label, c.name)}
    rows = [row for row, id in enumerate(ids) if id.partition("/")[0] in ((split,) if split else SUBSETS)]
    if not rows:
        raise DataError(f"{folder}: it has no pictures in {', '.join(SUBSETS)}; imagenet-d has {LAYOUT}")
    labels = []
    for row in rows:
        parts = ids[row].split("/")
        label = by_letters.get(_letters(parts[1])) if len(parts) > 2 else None
        if label is None:
            raise DataError(f"{found.where(row)}: its path is not {LAYOUT} with one of the {len(classes)} classes of ImageNet-D")
        labels.append(label)
    kept = [ids[row] for row in rows]
    columns = {"id": kept, "label": labels, "attr.subset": [id.partition("/")[0] for id in kept]}
    distractors = _distractors(folder / "questions", by_letters)
    notices = []
    if distractors:
        columns["attr.distractor"] = [distractors.get(id) for id in kept]  # type: ignore[misc]
        if missing := sum(id not in distractors for id in kept):
            notices.append(Notice(str(folder / "questions"), f"{missing:,} pictures have no question there"))
    table = pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})
    return as_published(
        take_rows(found, rows, table), "imagenet-d", pictures=_PICTURES, table=table, classes=classes, notices=notices
    )


def _distractors(folder: Path, by_letters: dict[str, str]) -> dict[str, str]:
    """Picture → label of the wrong option, from the tab-separated files of the set."""
    found = {}
    for subset in SUBSETS:
        path = folder / f"{subset}.csv"
        if not path.is_file():
            continue
        try:
            rows = list(csv.DictReader(read_text(path).splitlines(), delimiter="\t"))
        except csv.Error as error:
            raise DataError(f"{path}: it cannot be read as a table ({error}); take the file of the published set") from None
        for number, row in enumerate(rows, start=2):
            try:
                place, true, first, second = (row[name].strip() for name in _COLUMNS)
                wrong = first if _letters(first) != _letters(true) else second
                found[place] = by_letters[_letters(wrong)]
            except (KeyError, AttributeError, TypeError) as error:
                needs = f"it needs the columns {', '.join(_COLUMNS)}, separated by tabs"
                raise DataError(f"{path}, row {number}: it cannot be read ({error}); {needs}") from None
    return found


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


SET = PublishedSet(
    name="imagenet-d",
    read=read_imagenet_d,
    n=_PICTURES,
    license=UNKNOWN_LICENSE,
    about="Generated objects with unusual backgrounds, textures and materials; 113 classes.",
    layout="<background|texture|material>/<class>/*, questions/<subset>.csv",
    example="imagenet-d:ImageNet-D/",
    citation="Zhang et al., 2024",
    use="exam",
)
