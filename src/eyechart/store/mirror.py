"""A store at an address, such as s3://bucket/store, and its mirror: a folder of this machine, which is memory-mapped.

Files of a store are immutable and named by content or by shard, so that both sides only ever gain files. A segment is uploaded
with a conditional put: of two workers with the same shard, the first one's segment stays.
"""

import hashlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from eyechart.errors import StoreError
from eyechart.files.atomic import atomic_path, is_unfinished
from eyechart.files.locations import cache_folder
from eyechart.files.remote import RemotePath, remote_path


class Mirror:
    """The mirror of a folder at an address.

    address: The address.
    folder: The mirror.

    Args:
        address: The address.
        kind: What it holds; names the folder in the cache.
        fetch_segments: Whether segments of others are fetched. Workers only add theirs, and need not hold all.
    """

    def __init__(self, address: str, kind: str = "stores", *, fetch_segments: bool = True) -> None:
        self.address = remote_path(address)
        self.folder = cache_folder() / kind / hashlib.sha256(self.address.address.encode()).hexdigest()[:24]
        self.fetch_segments = fetch_segments

    def pull(self, folder: Path) -> None:
        """Fetch the files of a folder of the mirror that others have added. Files that only the mirror has are uploaded."""
        remote = self._remote(folder)
        with _transfer(remote):
            there = {name for name in remote.names_below() if "/" not in name}
            for name in sorted(there):
                if not (folder / name).exists():
                    _fetch(remote / name, folder / name)
        here = [path for path in folder.iterdir() if not path.name.startswith(".")] if folder.is_dir() else []
        self.push(path for path in here if path.is_file() and path.name not in there)

    def push(self, paths: Iterable[Path]) -> None:
        """Upload files that are new; one that is there already stays as it is."""
        for path in paths:
            with _transfer(self._remote(path)):
                self._remote(path).create(path)

    def replace(self, path: Path) -> None:
        """Upload a file that may change, such as the facts about a model."""
        with _transfer(self._remote(path)):
            self._remote(path).replace_with(path)

    def fetch(self, path: Path) -> None:
        """Fetch one file that the mirror lacks, where it is there."""
        with _transfer(self._remote(path)):
            if not path.exists() and self._remote(path).is_file():
                _fetch(self._remote(path), path)

    def has(self, path: Path) -> bool:
        """Whether a file is there, here or at the address."""
        with _transfer(self._remote(path)):
            return path.exists() or self._remote(path).is_file()

    def fetch_all(self) -> None:
        """Fetch everything that the mirror lacks, or that has another size."""
        with _transfer(self.address):
            for name, size in self.address.sizes_below().items():
                target = self.folder / name
                if ".." not in name.split("/") and not (target.exists() and target.stat().st_size == size):
                    _fetch(self.address / name, target)

    def replace_all(self, last: str) -> None:
        """Upload everything; the file named `last` at the end, so that whoever finds it finds the rest."""
        files = [path for path in self.folder.rglob("*") if path.is_file() and not is_unfinished(path)]
        for path in sorted(files, key=lambda path: (path == self.folder / last, path)):
            self.replace(path)

    def _remote(self, path: Path) -> RemotePath:
        name = path.relative_to(self.folder).as_posix()
        return self.address if name == "." else self.address / name


def _fetch(remote: RemotePath, target: Path) -> None:
    with atomic_path(target) as unfinished, remote.open("rb") as source, unfinished.open("wb") as file:
        while chunk := source.read(1 << 22):
            file.write(chunk)


@contextmanager
def _transfer(remote: RemotePath) -> Iterator[None]:
    """Errors of the network as a StoreError that names the address."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error).removeprefix(f"{remote}: ")
        remedy = "check the address, the network, and the keys in the environment"
        raise StoreError(f"{remote}: cannot be read or written ({reason}); {remedy}") from error
