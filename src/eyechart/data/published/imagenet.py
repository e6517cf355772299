"""The ImageNet validation set and sets with the same classes: V2, Sketch, A, R and Stylized-ImageNet."""

import re
from pathlib import Path

import pyarrow as pa

from eyechart.data.class_file import read_classes
from eyechart.data.formats.folder import read_folder
from eyechart.data.published.layout import as_published, folder_labels, inner_folder
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError

_FLAT = re.compile(r"ILSVRC2012_val_\d{8}\.JPEG")
_WNIDS = "a subfolder per class, named by its WordNet id (n01440764)"
_COUNTS = {
    "imagenet": 50_000,
    "imagenet-a": 7_500,
    "imagenet-r": 30_000,
    "imagenet-sketch": 50_889,
    "imagenet-v2": 10_000,
    "stylized-imagenet": 50_000,
}
_SAMPLINGS = (("threshold", "imagenet-v2-threshold0.7"), ("top", "imagenet-v2-top-images"))


def read_imagenet(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """50,000 pictures in 1,000 folders named by WordNet ids."""
    found = read_folder(folder, split=split, root=root)
    if "label" not in found.table.column_names and _FLAT.fullmatch(found.table.column("id")[0].as_py()):
        raise DataError(
            f"{folder}: the validation pictures are in one folder without class information; sort them into {_WNIDS}, "
            "or read them as imagenet-x:FOLDER, whose package has their labels"
        )
    return _by_wordnet_id(found, "imagenet", "imagenet-1k")


def read_stylized_imagenet(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """The ImageNet validation pictures in the style of paintings (Geirhos et al., 2019)."""
    return _by_wordnet_id(read_folder(folder, split=split, root=root), "stylized-imagenet", "imagenet-1k")


def read_imagenet_sketch(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    folder = inner_folder(folder, "sketch")
    return _by_wordnet_id(read_folder(folder, split=split, root=root), "imagenet-sketch", "imagenet-1k")


def read_imagenet_a(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Natural adversarial examples of 200 classes."""
    folder = inner_folder(folder, "imagenet-a")
    return _by_wordnet_id(read_folder(folder, split=split, root=root), "imagenet-a", "imagenet-a")


def read_imagenet_r(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """Renditions of 200 classes."""
    folder = inner_folder(folder, "imagenet-r")
    return _by_wordnet_id(read_folder(folder, split=split, root=root), "imagenet-r", "imagenet-r")


def read_imagenet_v2(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """One of the three samplings of V2; the folder name tells which.

    Its subfolders are numbers from 0 to 999. They are read as numbers, since sorted as text 10 would precede 2."""
    found = read_folder(folder, split=split, root=root)
    numbers = folder_labels(found, "imagenet-v2", "a subfolder per class, numbered from 0 to 999")
    classes = read_classes("imagenet-1k")
    wrong = next((row for row, n in enumerate(numbers) if not re.fullmatch(r"\d{1,4}", n) or int(n) >= len(classes)), None)
    if wrong is not None:
        within = Path(found.where_all) / numbers[wrong]
        numbered = within.is_dir() and any(entry.is_dir() and entry.name.isdecimal() for entry in within.iterdir())
        hint = f"give the inner folder, imagenet-v2:{within}" if numbered else "check that this is ImageNet-V2"
        raise DataError(f"{found.where(wrong)}: its folder {numbers[wrong]!r} is not a number from 0 to 999; {hint}")
    labels = pa.array([classes[int(n)].label for n in numbers], pa.string())
    name = Path(found.where_all).absolute().name.lower()
    benchmark = next((b for sign, b in _SAMPLINGS if sign in name), "imagenet-v2")
    table = found.table.set_column(found.table.schema.get_field_index("label"), "label", labels)
    return as_published(found, "imagenet-v2", pictures=_COUNTS["imagenet-v2"], table=table, classes=classes, benchmark=benchmark)


def _by_wordnet_id(found: RawDataset, name: str, class_list: str) -> RawDataset:
    labels, classes = folder_labels(found, name, _WNIDS), read_classes(class_list)
    known = {c.label for c in classes}
    wrong = next((row for row, label in enumerate(labels) if label not in known), None)
    if wrong is not None:
        raise DataError(
            f"{found.where(wrong)}: its folder {labels[wrong]!r} is not one of the {len(classes):,} WordNet ids of {name}; "
            "remove it, or read the folder without the set's name"
        )
    return as_published(found, name, pictures=_COUNTS[name], classes=classes)


SETS = (
    PublishedSet(
        name="imagenet",
        read=read_imagenet,
        n=_COUNTS["imagenet"],
        license="non-commercial research and education (ImageNet's terms)",
        about="The ImageNet validation set, 1,000 classes.",
        layout="<WordNet id>/*",
        example="imagenet:val/",
        citation="Russakovsky et al., 2015",
    ),
    PublishedSet(
        name="imagenet-a",
        read=read_imagenet_a,
        n=_COUNTS["imagenet-a"],
        license=UNKNOWN_LICENSE,
        about="Natural adversarial examples of 200 ImageNet classes.",
        layout="<WordNet id>/*",
        example="imagenet-a:imagenet-a/",
        citation="Hendrycks et al., 2021",
        use="shift",
    ),
    PublishedSet(
        name="imagenet-r",
        read=read_imagenet_r,
        n=_COUNTS["imagenet-r"],
        license=UNKNOWN_LICENSE,
        about="Renditions (art, cartoons, toys) of 200 ImageNet classes.",
        layout="<WordNet id>/*",
        example="imagenet-r:imagenet-r/",
        citation="Hendrycks et al., 2021",
        use="shift",
    ),
    PublishedSet(
        name="imagenet-sketch",
        read=read_imagenet_sketch,
        n=_COUNTS["imagenet-sketch"],
        license=UNKNOWN_LICENSE,
        about="Sketches of the 1,000 ImageNet classes.",
        layout="<WordNet id>/*",
        example="imagenet-sketch:sketch/",
        citation="Wang et al., 2019",
        use="shift",
    ),
    PublishedSet(
        name="imagenet-v2",
        read=read_imagenet_v2,
        n=_COUNTS["imagenet-v2"],
        license=UNKNOWN_LICENSE,
        about="A new ImageNet test set in one of three samplings; the folder name tells which.",
        layout="<0 to 999>/*",
        example="imagenet-v2:imagenetv2-matched-frequency-format-val/",
        citation="Recht et al., 2019",
        use="shift",
    ),
    PublishedSet(
        name="stylized-imagenet",
        read=read_stylized_imagenet,
        n=_COUNTS["stylized-imagenet"],
        license=UNKNOWN_LICENSE,
        about="The ImageNet validation set in the style of paintings.",
        layout="<WordNet id>/*",
        example="stylized-imagenet:val/",
        citation="Geirhos et al., 2019",
        use="shift",
    ),
)
