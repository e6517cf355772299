"""Files at addresses such as s3://bucket/name, through fsspec: s3, gs, az, http and whatever else fsspec can open.

Keys and tokens come from the environment or the usual files of each provider, never from an address, and are never printed.
"""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, total_ordering
from pathlib import Path, PurePosixPath
from typing import Any, BinaryIO

from eyechart.errors import EyechartError, MissingExtra, UsageError

_ADDRESS = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://(.*)", re.DOTALL)
_EXTRAS = {"s3": "s3", "s3a": "s3", "gs": "gs", "gcs": "gs", "az": "az", "abfs": "az", "abfss": "az"}
_SECRET = re.compile(r"[^/?#]*:[^/@]*@")


def is_address(text: object) -> bool:
    """Whether a text is the address of a remote file or folder. `hf://` names a dataset of the hub and is not one."""
    found = _ADDRESS.match(str(text))
    return isinstance(text, str) and found is not None and found[1] != "hf"


@total_ordering
@dataclass(frozen=True)
class RemotePath:
    """A file or folder at an address, with the members of `Path` that readers use.

    address: The address, without a slash at its end.
    """

    address: str

    def __str__(self) -> str:
        return self.address

    def __lt__(self, other: "RemotePath") -> bool:
        return self.address < other.address

    def __truediv__(self, name: str) -> "RemotePath":
        return RemotePath(f"{self.address}/{name}")

    @property
    def name(self) -> str:
        return self.address.rpartition("/")[2]

    @property
    def stem(self) -> str:
        return PurePosixPath(self.name).stem

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.name).suffix

    @property
    def parent(self) -> "RemotePath":
        return RemotePath(self.address.rpartition("/")[0])

    def open(self, mode: str = "rb") -> BinaryIO:
        fs, path = _place(self.address)
        with remote_errors(self.address):
            opened: BinaryIO = fs.open(path, mode, block_size=1 << 20, cache_type="readahead")
            return opened

    def read_bytes(self) -> bytes:
        fs, path = _place(self.address)
        with remote_errors(self.address):
            return bytes(fs.cat_file(path))

    def read_range(self, start: int, size: int) -> bytes:
        """Some bytes of the file; one request."""
        fs, path = _place(self.address)
        with remote_errors(self.address):
            return bytes(fs.cat_file(path, start=start, end=start + size))

    def info(self) -> dict[str, Any]:
        """What the store says of the file; FileNotFoundError where there is none."""
        fs, path = _place(self.address)
        with remote_errors(self.address):
            return dict(fs.info(path))

    def is_file(self) -> bool:
        try:
            return bool(self.info().get("type") == "file")
        except FileNotFoundError:
            return False

    def sizes_below(self) -> dict[str, int]:
        """The files below this folder with their sizes, by their path in it, sorted; none where the folder is missing."""
        fs, path = _place(self.address)
        with remote_errors(self.address):
            found: dict[str, dict[str, Any]] = fs.find(path, detail=True)
        start = path.rstrip("/") + "/"
        return {name[len(start) :]: int(about["size"] or 0) for name, about in sorted(found.items()) if name.startswith(start)}

    def names_below(self) -> list[str]:
        """The files below this folder, by their path in it, sorted."""
        return list(self.sizes_below())

    def _make_parent(self) -> None:
        """Create the folder above, where folders exist. In an object store that would create a bucket."""
        fs, path = _place(self.address)
        if self.address.partition("://")[0] not in _EXTRAS:
            fs.makedirs(path.rpartition("/")[0], exist_ok=True)

    def matches(self) -> list["RemotePath"]:
        """The files that this address, a glob, matches."""
        fs, _ = _place(self.address)
        protocol, _, pattern = self.address.partition("://")
        with remote_errors(self.address):
            return sorted(RemotePath(_joined(protocol, name)) for name in fs.glob(pattern))

    def create(self, source: Path) -> bool:
        """Upload a file where there is none yet, in one step; False where there is one (conditional put)."""
        fs, path = _place(self.address)
        with remote_errors(self.address):
            try:
                self._make_parent()
                fs.pipe_file(path, source.read_bytes(), mode="create")
            except FileExistsError:
                return False
        return True

    def replace_with(self, source: Path) -> None:
        """Upload a file in place of what is there."""
        fs, path = _place(self.address)
        with remote_errors(self.address):
            self._make_parent()
            fs.pipe_file(path, source.read_bytes())


def remote_path(text: str) -> RemotePath:
    """The path of an address.

    Raises:
        UsageError: If the address holds a key or password.
        MissingExtra: If the packages that open it are not installed.
    """
    found = _ADDRESS.match(text)
    if not found:
        raise UsageError(f"{text!r} is not an address such as s3://bucket/folder")
    if _SECRET.match(found[2]):
        raise UsageError(f"{found[1]}://…: an address must not hold a key or password; give them in the environment")
    path = RemotePath(text.rstrip("/"))
    _place(path.address)
    return path


@lru_cache(4096)
def _place(address: str) -> tuple[Any, str]:
    """The file system of an address, and the path in it."""
    protocol = address.partition("://")[0]
    try:
        from fsspec.core import url_to_fs

        options = {"use_listings_cache": False} if protocol in _EXTRAS else {}
        fs, path = url_to_fs(address, **options)
    except ImportError:
        extra = _EXTRAS.get(protocol)
        raise MissingExtra(f"{protocol}://", extra, () if extra else ("fsspec",)) from None
    except ValueError as error:
        raise UsageError(
            f"{address}: no such kind of address ({error}); s3://, gs://, az:// and others of fsspec can be used"
        ) from None
    return fs, str(path)


def _joined(protocol: str, name: str) -> str:
    return name if "://" in name else f"{protocol}://{name.lstrip('/')}" if protocol != "file" else f"file://{name}"


@contextmanager
def remote_errors(address: str) -> Iterator[None]:
    """Turn what a provider's library raises into an OSError, which every reader and writer handles."""
    try:
        yield
    except (OSError, EyechartError):
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise OSError(f"{address}: {reason}") from error
