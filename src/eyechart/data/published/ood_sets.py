"""Out-of-distribution sets for models with the ImageNet classes: their pictures show none of these classes."""

from dataclasses import replace
from pathlib import Path

import pyarrow as pa

from eyechart.data.formats.folder import read_folder
from eyechart.data.published.layout import as_published, folder_labels, inner_folder
from eyechart.data.published.published_set import UNKNOWN_LICENSE, PublishedSet
from eyechart.data.reading import RawDataset
from eyechart.errors import DataError

_COUNTS = {"dtd": 5_640, "imagenet-o": 2_000, "inaturalist": 10_000, "ninco": 5_879, "places": 10_000, "sun": 10_000}


def read_inaturalist(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """10,000 plants of iNaturalist outside the ImageNet classes (Huang and Li, 2021)."""
    return _flat(folder, "inaturalist", split, root)


def read_sun(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """10,000 scenes of SUN (Huang and Li, 2021)."""
    return _flat(folder, "sun", split, root)


def read_places(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """10,000 scenes of Places (Huang and Li, 2021)."""
    return _flat(folder, "places", split, root)


def read_dtd(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """5,640 textures in 47 kinds (Cimpoi et al., 2014)."""
    return _in_kinds(inner_folder(folder, "images", "dtd/images"), "dtd", 47, split, root)


def read_ninco(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """5,879 manually checked pictures of 64 classes (Bitterwolf et al., 2023).

    `label` is the class: results are means over classes."""
    folder = inner_folder(folder, "NINCO_OOD_classes", "NINCO/NINCO_OOD_classes")
    return _in_kinds(folder, "ninco", 64, split, root)


def read_imagenet_o(folder: Path, *, split: str | None = None, root: Path | None = None) -> RawDataset:
    """2,000 pictures that ResNet-50 assigns to ImageNet classes (Hendrycks et al., 2021).

    Its folders are named by WordNet ids, but no picture shows an ImageNet class: the ids become `attr.near`, and there is no
    `label`."""
    found = read_folder(inner_folder(folder, "imagenet-o"), split=split, root=root)
    near = folder_labels(found, "imagenet-o", "a subfolder per class, named by its WordNet id (n01440764)")
    table = pa.table({"id": found.table.column("id"), "attr.near": pa.array(near, pa.string())})
    return as_published(replace(found, labels=()), "imagenet-o", pictures=_COUNTS["imagenet-o"], table=table)


def _flat(folder: Path, name: str, split: str | None, root: Path | None) -> RawDataset:
    found = read_folder(inner_folder(folder, "images"), split=split, root=root)
    if "label" in found.table.column_names:
        raise DataError(
            f"{found.where_all}: its pictures are in subfolders; the out-of-distribution part of {name} is one folder, images/; "
            "the original set contains ImageNet classes, so give the published part, or read the folder without the set's name"
        )
    return as_published(found, name, pictures=_COUNTS[name])


def _in_kinds(folder: Path, name: str, kinds: int, split: str | None, root: Path | None) -> RawDataset:
    found = read_folder(folder, split=split, root=root)
    labels = set(folder_labels(found, name, f"{kinds} subfolders, one per kind"))
    if len(labels) > kinds:
        raise DataError(f"{found.where_all}: {len(labels)} subfolders; {name} has {kinds}, so give the folder that contains them")
    return as_published(found, name, pictures=_COUNTS[name])


SETS = (
    PublishedSet(
        name="dtd",
        read=read_dtd,
        n=_COUNTS["dtd"],
        license="research only",
        about="Textures of 47 kinds.",
        layout="images/<kind>/*",
        example="dtd:dtd/",
        citation="Cimpoi et al., 2014",
        use="ood",
    ),
    PublishedSet(
        name="imagenet-o",
        read=read_imagenet_o,
        n=_COUNTS["imagenet-o"],
        license=UNKNOWN_LICENSE,
        about="Pictures of no ImageNet class that ResNet-50 takes for one.",
        layout="<WordNet id>/*; these folders are not labels",
        example="imagenet-o:imagenet-o/",
        citation="Hendrycks et al., 2021",
        use="ood",
    ),
    PublishedSet(
        name="inaturalist",
        read=read_inaturalist,
        n=_COUNTS["inaturalist"],
        license=UNKNOWN_LICENSE,
        about="Plants of iNaturalist that belong to no ImageNet class.",
        layout="images/*",
        example="inaturalist:iNaturalist/",
        citation="Huang and Li, 2021",
        use="ood",
    ),
    PublishedSet(
        name="ninco",
        read=read_ninco,
        n=_COUNTS["ninco"],
        license=UNKNOWN_LICENSE,
        about="Checked pictures of 64 classes that ImageNet does not have.",
        layout="NINCO_OOD_classes/<class>/*",
        example="ninco:NINCO/",
        citation="Bitterwolf et al., 2023",
        use="ood",
    ),
    PublishedSet(
        name="places",
        read=read_places,
        n=_COUNTS["places"],
        license=UNKNOWN_LICENSE,
        about="Scenes of Places365 that show no ImageNet class.",
        layout="images/*",
        example="places:Places/",
        citation="Huang and Li, 2021",
        use="ood",
    ),
    PublishedSet(
        name="sun",
        read=read_sun,
        n=_COUNTS["sun"],
        license=UNKNOWN_LICENSE,
        about="Scenes of SUN that show no ImageNet class.",
        layout="images/*",
        example="sun:SUN/",
        citation="Huang and Li, 2021",
        use="ood",
    ),
)
