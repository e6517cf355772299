"""One rule about links: nothing outside the dataset's folder is read as a picture or as a file of pictures.

A folder from someone else may contain links to any file of this machine, and a report would show what they lead to. The folder
that the user names may itself be a link; a folder given as root may contain the rest.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from eyechart.data.file_pictures import FilePictures, printable
from eyechart.data.formats.inline_pictures import InlinePictures
from eyechart.data.formats.webdataset import TarPictures
from eyechart.errors import DataError


def check_contained(pictures: object, top: Path, root: Path | None) -> None:
    """Refuse pictures that come from outside.

    Args:
        pictures: The pictures of the dataset, as a reader gives them.
        top: The folder of the dataset, as the user named it.
        root: A folder that may contain them too.

    Raises:
        DataError: If a folder, a tar, or a Parquet or Arrow file is behind a link that leads out.
    """
    allowed = [Path(os.path.realpath(place)) for place in (top, root) if place is not None]
    for place in _places(pictures):
        real = Path(os.path.realpath(place))
        if not any(real.is_relative_to(inside) for inside in allowed):
            raise DataError(
                f"{printable(str(place))}: the link leads out of {printable(str(top))}; copy what it leads to, or give --root a "
                "folder that contains both"
            )


def _places(pictures: object) -> Iterator[Path]:
    """The folders and files that pictures are read from."""
    if isinstance(pictures, FilePictures):
        yield pictures.base  # files inside are checked one by one, when they are read
    elif isinstance(pictures, TarPictures):
        yield from dict.fromkeys(path for path, _ in pictures.members if isinstance(path, Path))
    elif isinstance(pictures, InlinePictures):
        yield from (path for path in (*pictures.shards.paths, pictures.base) if isinstance(path, Path))
    elif hasattr(pictures, "pictures"):  # cropped and boxed ones
        yield from _places(pictures.pictures)
