"""`cars:FOLDER`: Stanford Cars (Krause et al., 2013), cars of 196 makes, models and years.

Reads the published layout (cars_test/ with the MATLAB annotations of the devkit) and the common copy with a folder per class
(car_data/test/Acura RL Sedan 2012/). `--split` is test (the default) or train."""

from pathlib import Path

from eyechart.data.class_file import read_classes
from eyechart.data.formats.folder import read_folder
from eyechart.data.published.class_folders import in_classes, listed_pictures
from eyechart.data.published.layout import folder_labels, inner_folder
from eyechart.data.published.matlab_file import read_records
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError, did_you_mean

PICTURES = {"train": 8_144, "test": 8_041}
_ANNOTATIONS = {
    "train": ("devkit/cars_train_annos.mat", "cars_train_annos.mat"),
    "test": ("cars_test_annos_withlabels.mat", "devkit/cars_test_annos_withlabels.mat"),
}


def read_cars(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    chosen = split or "test"
    if chosen not in PICTURES:
        raise DataError(f"{folder}: there is no split {split!r}{did_you_mean(chosen, PICTURES)} (there are: train, test)")
    base = inner_folder(folder, "stanford_cars", "car_data/car_data", "car_data")
    if not (base / f"cars_{chosen}").is_dir():
        return _in_folders(base, split, chosen, root)
    for name in _ANNOTATIONS[chosen]:
        if (base / name).is_file():
            return _annotated(inner_folder(base / f"cars_{chosen}", f"cars_{chosen}"), base / name, chosen, root)
    raise DataError(
        f"{base}: the pictures of cars_{chosen}/ have no annotations; put {' or '.join(_ANNOTATIONS[chosen])} there,"
        " or give a copy with a folder per class"
    )


def _in_folders(folder: Path, split: str | None, chosen: str, root: Path | None) -> RawDataset:
    there = split if split is not None else chosen if (folder / chosen).is_dir() else None
    found = read_folder(folder, split=there, root=root)
    labels = folder_labels(found, "cars", "cars_test/ with annotations, or a subfolder per class (Acura RL Sedan 2012)")
    return in_classes(found, labels, "cars", pictures=PICTURES[chosen])


def _annotated(pictures: Path, file: Path, split: str, root: Path | None) -> RawDataset:
    classes, rows = read_classes("cars"), read_records(file, "annotations", text="fname", number="class")
    if rows is None:
        raise DataError(f"{file}: its annotations have no file names and classes; use the file with labels")
    files, numbers = rows
    wrong = next((row for row, number in enumerate(numbers) if not 1 <= number <= len(classes)), None)
    if wrong is not None:
        raise DataError(f"{file}, picture {wrong + 1} ({files[wrong]}): class {numbers[wrong]} is not from 1 to {len(classes)}")
    found = listed_pictures(pictures, files, file, root, split)
    return in_classes(found, [classes[number - 1].label for number in numbers], "cars", pictures=PICTURES[split])


SET = PublishedSet(
    name="cars",
    read=read_cars,
    n=PICTURES["test"],
    license=UNKNOWN_LICENSE,
    about="Cars of 196 makes, models and years.",
    layout="cars_test/* and cars_test_annos_withlabels.mat, or test/<class>/*",
    example="cars:stanford_cars/",
    citation="Krause et al., 2013",
)
