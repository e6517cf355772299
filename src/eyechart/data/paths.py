"""Checks that the file names of a table stay inside the dataset's folder."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.errors import DataError

# A web address, an absolute path of any system, or '..': everything that needs a check.
_SUSPECT = r"://|\.\.|^[/\\]|^[A-Za-z]:"
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_DRIVE = re.compile(r"[A-Za-z]:[/\\]")


def check_paths(paths: pa.ChunkedArray, base: Path, where: Callable[[int], str], root: Path | None) -> None:
    """Raise DataError for the first file name outside `base` or that is a web address.

    Links are checked when a picture is read."""
    if _harmless(paths):
        return
    top = os.path.normpath(base.absolute())
    beginning = top.rstrip(os.sep) + os.sep
    for row in pc.indices_nonzero(pc.fill_null(pc.match_substring_regex(paths, _SUSPECT), False)).to_pylist():
        path = paths[row].as_py()
        if path.startswith(beginning) and ".." not in path:
            continue
        if _ADDRESS.match(path):
            raise DataError(f"{where(row)}: {path!r} is a web address; download the pictures and name the files")
        leads = os.path.normpath(Path(top) / path)
        if not Path(leads).is_relative_to(top) or (_DRIVE.match(path) and not Path(path).is_absolute()):
            remedy = "choose another root" if root else "if that is intended, give --root the folder that contains all pictures"
            raise DataError(f"{where(row)}: {path!r} leads out of {top}; {remedy}")


def check_link(folder: Path, top: Path) -> None:
    """Refuse a folder of pictures behind a link that leads out of `top`, the folder of the file that names them."""
    if not Path(os.path.realpath(folder)).is_relative_to(os.path.realpath(top)):
        raise DataError(f"{folder}: the link leads out of {top}; give --root the folder of the pictures")


def _harmless(paths: pa.ChunkedArray) -> bool:
    """Whether no name can be unsafe. One search over all bytes takes a tenth of the time of a check per name."""
    letters = [bytes(chunk.buffers()[2] or b"") for chunk in paths.chunks]
    if any(sign in part for part in letters for sign in (b"..", b":")):
        return False
    return not any(pc.any(pc.starts_with(paths, sign)).as_py() for sign in ("/", "\\"))
