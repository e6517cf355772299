"""Keys of pictures and texts: the SHA-256 of their bytes. A file that has not changed is not read again."""

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from eyechart.data.dataset import Dataset, PictureSource
from eyechart.encode.cores import usable_cores
from eyechart.encode.shelf import Key
from eyechart.files.hashing import HashMemory, Identity, hash_bytes
from eyechart.progress import Progress

_EMPTY = hash_bytes(b"")
_STRETCH = 64  # rows per task: enough to hide the overhead of a task, few enough to stop quickly
_AHEAD = 64

T = TypeVar("T")


@dataclass(frozen=True)
class SetAside:
    """A picture of a dataset that cannot be used.

    row: Its row.
    id: Its id.
    reason: Why it cannot be used.
    """

    row: int
    id: str
    reason: str


@dataclass(frozen=True)
class PictureKeys:
    """The keys of a dataset's pictures.

    keys: The key of every row; None for a row that was set aside.
    set_aside: The pictures that cannot be used.
    """

    keys: list[Key | None]
    set_aside: list[SetAside]


@dataclass(frozen=True)
class _Unreadable:
    reason: str


_Found = Key | _Unreadable


def text_key(text: str) -> Key:
    return hash_bytes(text.encode())


def picture_keys(dataset: Dataset, hashes: HashMemory, progress: Progress, *, workers: int | None = None) -> PictureKeys:
    """The key of every picture. Known hashes are looked up by file identity; other files are read, one per thread."""
    found: dict[int, _Found] = {}
    with ThreadPoolExecutor(workers or 2 * usable_cores(), thread_name_prefix="eyechart-hash") as pool:
        try:
            _recall_all(dataset.pictures, hashes, pool, found)
            unknown = [row for row in range(len(dataset)) if row not in found]
            if unknown:
                with progress.task(f"{dataset.name}: reading", len(unknown), "pictures") as task:
                    for rows, read in _in_order(pool, _read, dataset.pictures, unknown):
                        hashes.remember([(i, key) for i, key in read if i is not None and isinstance(key, bytes)])
                        found.update(zip(rows, (key for _, key in read), strict=True))
                        task.advance(len(rows))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    keys = [key if isinstance(key := found[row], bytes) and key != _EMPTY else None for row in range(len(dataset))]
    lost = [row for row, key in enumerate(keys) if key is None]
    ids = dataset.ids() if lost else []
    return PictureKeys(keys, [SetAside(row, ids[row], _reason(found[row])) for row in lost])


def _reason(found: _Found) -> str:
    return found.reason if isinstance(found, _Unreadable) else "empty file"


def _recall_all(pictures: PictureSource, hashes: HashMemory, pool: ThreadPoolExecutor, found: dict[int, _Found]) -> None:
    for rows, identities in _in_order(pool, _identify, pictures, range(len(pictures))):
        known = [(row, i) for row, i in zip(rows, identities, strict=True) if isinstance(i, Identity)]
        for (row, _), key in zip(known, hashes.recall([i for _, i in known]), strict=True):
            if key is not None:
                found[row] = key


def _identify(pictures: PictureSource, rows: Sequence[int]) -> list[Identity | None]:
    return [_identity(pictures, row) for row in rows]


def _identity(pictures: PictureSource, row: int) -> Identity | None:
    try:
        return pictures.identity(row)
    except OSError:
        return None  # reading gives the reason


def _read(pictures: PictureSource, rows: Sequence[int]) -> list[tuple[Identity | None, _Found]]:
    return [_read_one(pictures, row) for row in rows]


def _read_one(pictures: PictureSource, row: int) -> tuple[Identity | None, _Found]:
    # Identity first: if the file changes while it is read, the hash is stored under the old identity and never used.
    identity = _identity(pictures, row)
    try:
        return identity, hash_bytes(pictures.read(row))
    except OSError as error:
        return None, _Unreadable(f"cannot be read: {error.strerror or error}")


def _in_order(
    pool: ThreadPoolExecutor,
    work: Callable[[PictureSource, Sequence[int]], list[T]],
    pictures: PictureSource,
    rows: Sequence[int],
) -> Iterator[tuple[Sequence[int], list[T]]]:
    """Chunks of rows with the result of `work`, in order, computed at most a few chunks ahead."""
    stretches = (rows[start : start + _STRETCH] for start in range(0, len(rows), _STRETCH))
    ahead: deque[tuple[Sequence[int], Future[list[T]]]] = deque()
    for stretch in stretches:
        ahead.append((stretch, pool.submit(work, pictures, stretch)))
        if len(ahead) > _AHEAD:
            yield _first(ahead)
    while ahead:
        yield _first(ahead)


def _first(ahead: deque[tuple[Sequence[int], Future[list[T]]]]) -> tuple[Sequence[int], list[T]]:
    rows, future = ahead.popleft()
    return rows, future.result()
