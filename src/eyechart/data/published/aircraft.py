"""`aircraft:FOLDER`: FGVC-Aircraft (Maji et al., 2013), aircraft of 100 variants.

Reads the published layout (data/images/ with data/images_variant_test.txt) and copies with a folder per variant. `--split` is
test (the default), train, val or trainval. The banner with the photographer's name is kept, as in torchvision's reader."""

from pathlib import Path

from eyechart.data.formats.folder import read_folder
from eyechart.data.published.class_folders import in_classes, listed_pictures
from eyechart.data.published.layout import folder_labels, inner_folder
from eyechart.data.published.published_set import PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError, did_you_mean
from eyechart.files.text import read_text

PICTURES = {"train": 3_334, "val": 3_333, "trainval": 6_667, "test": 3_333}


def read_aircraft(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    chosen = split or "test"
    if chosen not in PICTURES:
        known = ", ".join(PICTURES)
        raise DataError(f"{folder}: there is no split {split!r}{did_you_mean(chosen, PICTURES)} (there are: {known})")
    folder = inner_folder(folder, "fgvc-aircraft-2013b/data", "data")
    file = folder / f"images_variant_{chosen}.txt"
    if (folder / "images").is_dir() and not file.is_file():
        raise DataError(f"{folder}: there is no {file.name} next to images/; it lists the variant of every picture")
    if not file.is_file():
        there = split if split is not None else chosen if (folder / chosen).is_dir() else None
        found = read_folder(folder, split=there, root=root)
        labels = folder_labels(found, "aircraft", "images/ with images_variant_test.txt, or a subfolder per variant (707-320)")
        return in_classes(found, labels, "aircraft", pictures=PICTURES[chosen])
    rows = [line.split(maxsplit=1) for line in read_text(file).splitlines() if line.strip()]
    short = next((number for number, row in enumerate(rows, start=1) if len(row) < 2), None)
    if short is not None:
        raise DataError(f"{file}, picture {short}: {rows[short - 1][0]!r} has no variant on its line")
    found = listed_pictures(folder / "images", [f"{row[0]}.jpg" for row in rows], file, root, chosen)
    return in_classes(found, [row[1] for row in rows], "aircraft", pictures=PICTURES[chosen])


SET = PublishedSet(
    name="aircraft",
    read=read_aircraft,
    n=PICTURES["test"],
    license="non-commercial research only",
    about="Aircraft of 100 variants.",
    layout="data/images/* and data/images_variant_test.txt, or a subfolder per variant",
    example="aircraft:fgvc-aircraft-2013b/",
    citation="Maji et al., 2013",
)
