"""Datasets: how they are opened, and what an author of a new dataset needs.

`open_dataset` reads folders, tables, archives and published sets. A published set is a `PublishedSet`: its facts and its reader,
which returns a `RawDataset`. A package adds one, `NAME:FOLDER`, with an entry point of the group `eyechart.datasets`:

    [project.entry-points."eyechart.datasets"]
    my-set = "my_package.sets:SET"
"""

from typing import TYPE_CHECKING

from eyechart.exports import lazy_exports

if TYPE_CHECKING:
    from eyechart.data.class_file import read_classes
    from eyechart.data.classes import ClassList, PictureClass
    from eyechart.data.dataset import Dataset, PictureSource
    from eyechart.data.formats.folder import read_folder
    from eyechart.data.kinds import DatasetKind, dataset_kinds
    from eyechart.data.open import open_dataset
    from eyechart.data.picture import BrokenPicture, Decoding, decode_picture
    from eyechart.data.published.published_set import PublishedSet
    from eyechart.data.published.registry import published_set
    from eyechart.data.reading import RawDataset

# Importing this package loads nothing: each name comes from its module when it is first used.
_MODULES = {
    "BrokenPicture": "picture",
    "ClassList": "classes",
    "Dataset": "dataset",
    "DatasetKind": "kinds",
    "Decoding": "picture",
    "PictureClass": "classes",
    "PictureSource": "dataset",
    "PublishedSet": "published.published_set",
    "RawDataset": "reading",
    "dataset_kinds": "kinds",
    "decode_picture": "picture",
    "open_dataset": "open",
    "published_set": "published.registry",
    "read_classes": "class_file",
    "read_folder": "formats.folder",
}
__all__ = [
    "BrokenPicture",
    "ClassList",
    "Dataset",
    "DatasetKind",
    "Decoding",
    "PictureClass",
    "PictureSource",
    "PublishedSet",
    "RawDataset",
    "dataset_kinds",
    "decode_picture",
    "open_dataset",
    "published_set",
    "read_classes",
    "read_folder",
]

__getattr__, __dir__ = lazy_exports(__name__, {name: f"eyechart.data.{home}" for name, home in _MODULES.items()})
