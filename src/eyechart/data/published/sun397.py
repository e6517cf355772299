"""`sun397:FOLDER`: scenes of 397 categories (Xiao et al., 2010): a/abbey/, a/apartment_building/outdoor/, ….

Copies without the letters (abbey/, apartment_building_outdoor/) are read too. `--split testing_01` is a partition of the set,
Testing_01.txt, next to the pictures or in Partitions/: published results use these."""

from pathlib import Path

from eyechart.data.formats.folder import read_folder
from eyechart.data.published.class_folders import in_classes
from eyechart.data.published.layout import folder_labels, inner_folder, take_rows
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError
from eyechart.files.text import read_text

PICTURES, PARTITION = 108_754, 19_850


def read_sun397(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    folder = inner_folder(folder, "SUN397")
    listed = _partition(folder, split)
    found = read_folder(folder, split=None if listed else split, root=root, layout=True)
    folder_labels(found, "sun397", "a subfolder per category, most of them in folders of one letter")
    if listed is None:
        return in_classes(found, [_category(id) for id in found.table.column("id").to_pylist()], "sun397", pictures=PICTURES)
    ids = found.table.column("id").to_pylist()
    inside = {line.strip().lstrip("/") for line in read_text(listed).splitlines()}
    rows = [row for row, id in enumerate(ids) if id in inside]
    if not rows:
        raise DataError(f"{listed}: none of its pictures is in {folder}; give the folder that contains a/, b/, …")
    part = take_rows(found, rows, found.table.take(rows))
    return in_classes(part, [_category(ids[row]) for row in rows], "sun397", pictures=PARTITION)


def _partition(folder: Path, split: str | None) -> Path | None:
    """The file that lists the pictures of this split; None where the split is not a partition of the set."""
    name = f"{split}.txt".lower()
    near = [entry for place in (folder, folder / "Partitions") if place.is_dir() for entry in place.glob("*.txt")]
    return next((entry for entry in sorted(near) if entry.name.lower() == name), None)


def _category(id: str) -> str:
    """apartment_building/outdoor for a/apartment_building/outdoor/sun_x.jpg."""
    folders = id.split("/")[:-1]
    return "/".join(folders[1:] if len(folders) > 1 and len(folders[0]) == 1 else folders)


SET = PublishedSet(
    name="sun397",
    read=read_sun397,
    n=PICTURES,
    license=UNKNOWN_LICENSE,
    about="Scenes of 397 categories; --split testing_01 is the set's own first partition.",
    layout="a/abbey/*, a/apartment_building/outdoor/*, …",
    example="sun397:SUN397/",
    citation="Xiao et al., 2010",
)
