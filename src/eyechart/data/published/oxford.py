"""`pets:FOLDER` and `flowers102:FOLDER`: two sets of Oxford with all pictures in one folder and the classes in lists.

Pets (Parkhi et al., 2012): images/Abyssinian_1.jpg and annotations/test.txt. Flowers (Nilsback and Zisserman, 2008):
jpg/image_00001.jpg and the MATLAB files imagelabels.mat and setid.mat. `--split` is test by default."""

from pathlib import Path

from eyechart.data.published.class_folders import in_classes, listed_pictures
from eyechart.data.published.layout import inner_folder
from eyechart.data.published.matlab_file import read_numbers
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError, did_you_mean
from eyechart.files.text import read_text

PETS = {"trainval": 3_680, "test": 3_669}
FLOWERS = {"train": ("trnid", 1_020), "val": ("valid", 1_020), "test": ("tstid", 6_149)}


def read_pets(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    chosen = _split(folder, split, tuple(PETS))
    folder = inner_folder(folder, "oxford-iiit-pet")
    file = folder / "annotations" / f"{chosen}.txt"
    if not file.is_file() or not (folder / "images").is_dir():
        raise DataError(f"{folder}: it needs images/ and annotations/{chosen}.txt; unpack both archives into one folder")
    names = [line.split()[0] for line in read_text(file).splitlines() if line.strip() and not line.startswith("#")]
    found = listed_pictures(folder / "images", [f"{name}.jpg" for name in names], file, root, chosen)
    return in_classes(found, [name.rpartition("_")[0] for name in names], "pets", pictures=PETS[chosen])


def read_flowers102(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    chosen = _split(folder, split, tuple(FLOWERS))
    folder = inner_folder(folder, "flowers-102")
    for name in ("imagelabels.mat", "setid.mat"):
        if not (folder / name).is_file():
            raise DataError(f"{folder}: there is no {name} next to jpg/; download it with the pictures")
    key, pictures = FLOWERS[chosen]
    labels = read_numbers(folder / "imagelabels.mat", "labels")
    numbers = read_numbers(folder / "setid.mat", key)
    wrong = next((number for number in numbers if not 1 <= number <= len(labels)), None)
    if wrong is not None:
        raise DataError(f"{folder / 'setid.mat'}: picture {wrong} is not one of the {len(labels)} in imagelabels.mat")
    files = [f"image_{number:05d}.jpg" for number in numbers]
    found = listed_pictures(folder / "jpg", files, folder / "setid.mat", root, chosen)
    return in_classes(found, [str(labels[number - 1]) for number in numbers], "flowers102", pictures=pictures)


def _split(folder: Path, split: str | None, known: tuple[str, ...]) -> str:
    if split is not None and split not in known:
        raise DataError(f"{folder}: there is no split {split!r}{did_you_mean(split, known)} (there are: {', '.join(known)})")
    return split or "test"


SETS = (
    PublishedSet(
        name="flowers102",
        read=read_flowers102,
        n=FLOWERS["test"][1],
        license=UNKNOWN_LICENSE,
        about="Flowers of 102 kinds.",
        layout="jpg/*, imagelabels.mat, setid.mat",
        example="flowers102:flowers-102/",
        citation="Nilsback and Zisserman, 2008",
    ),
    PublishedSet(
        name="pets",
        read=read_pets,
        n=PETS["test"],
        license="CC BY-SA 4.0",
        about="Cats and dogs of 37 breeds.",
        layout="images/*, annotations/test.txt",
        example="pets:oxford-iiit-pet/",
        citation="Parkhi et al., 2012",
    ),
)
