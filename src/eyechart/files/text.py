"""Text files written by hand: UTF-8 with or without a byte-order mark, any line ending."""

from pathlib import Path

from eyechart.errors import DataError, did_you_mean
from eyechart.files.readable import require_regular
from eyechart.files.remote import RemotePath


def read_text(path: Path | RemotePath) -> str:
    """The file's text without its byte-order mark; DataError names file and row where it is not UTF-8."""
    if isinstance(path, Path):
        require_regular(path)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{path}: there is no such file{nearest_sibling(path) if isinstance(path, Path) else ''}") from None
    except OSError as error:
        raise DataError(f"{path}: cannot be read ({error.strerror or error})") from error
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        row = data.count(b"\n", 0, error.start) + 1
        found = data[error.start : error.start + 1].hex()
        remedy = "it looks like UTF-16: " if data[:2] in (b"\xff\xfe", b"\xfe\xff") else ""
        raise DataError(f"{path}, row {row}: not UTF-8 (byte 0x{found}); {remedy}save the file as UTF-8") from None


def nearest_sibling(path: Path) -> str:
    """A hint for a missing path: '; did you mean …?' with a similar name, or the first missing folder."""
    folder = path.absolute()
    while not folder.parent.is_dir():
        folder = folder.parent
    try:
        names = [entry.name for entry in folder.parent.iterdir()]
    except OSError:
        return ""
    hint = did_you_mean(folder.name, names)
    return hint if folder == path.absolute() else f" (the folder {folder} does not exist{hint})"
