"""Vectors that were made under another way of decoding, for pictures whose pixels are the same under both.

`--exif ignore` changes the pictures that have a rotation, `--alpha white` those that are transparent. All others have their
vector already: it is copied, and the network does not see them again.
"""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import islice, product
from typing import get_args

import numpy as np

from eyechart.data.picture import Alpha, Decoding, Exif, same_pixels
from eyechart.encode.cores import usable_cores
from eyechart.encode.engine import PictureWork
from eyechart.encode.gather import gather
from eyechart.files.hashing import hash_bytes
from eyechart.session.picture_shelf import picture_shelf, variant_of
from eyechart.store.shelf import StoredShelf
from eyechart.store.store import Store

_ROWS = 4096  # pictures that are looked up together


def other_shelves(
    store: Store, fingerprint: str, decoding: Decoding, used: Iterable[str], *, precision: str
) -> list[tuple[Decoding, StoredShelf]]:
    """The shelves of the same model under other ways of decoding.

    Args:
        store: The store.
        fingerprint: That of the image encoder.
        decoding: The way of decoding that is wanted.
        used: The variants of shelves that are known to the store.
        precision: That of the stored vectors.
    """
    known, found = set(used), []
    for exif, alpha in product(get_args(Exif), get_args(Alpha)):
        other = Decoding(exif, alpha, decoding.max_pixels)
        if other != decoding and variant_of(other, precision) in known:
            found.append((other, picture_shelf(store, fingerprint, other, precision=precision)))
    return found


def copy_same(
    works: Iterable[PictureWork], shelf: StoredShelf, decoding: Decoding, others: Sequence[tuple[Decoding, StoredShelf]]
) -> int:
    """Copy what `shelf` lacks and another shelf has, for pictures whose pixels are the same; how many there were."""
    copied = 0
    with ThreadPoolExecutor(2 * usable_cores(), thread_name_prefix="eyechart-header") as pool:
        for block in _blocks(works):
            for other, their_shelf in others:
                wanted = [work for work, lacks in zip(block, shelf.missing([w.key for w in block]), strict=True) if lacks]
                there = their_shelf.missing([work.key for work in wanted]) if wanted else np.empty(0, np.bool_)
                candidates = [work for work, lacks in zip(wanted, there, strict=True) if not lacks]
                same = pool.map(lambda work, other=other: _same(work, decoding, other), candidates)
                keys = [work.key for work, is_same in zip(candidates, same, strict=True) if is_same]
                if keys:
                    shelf.put(keys, gather(their_shelf, keys))
                    copied += len(keys)
    return copied


def _blocks(works: Iterable[PictureWork]) -> Iterator[list[PictureWork]]:
    each, seen = iter(works), set[bytes]()
    while block := list(islice(each, _ROWS)):
        distinct = {work.key: work for work in block if work.key not in seen}
        seen.update(distinct)
        yield list(distinct.values())


def _same(work: PictureWork, a: Decoding, b: Decoding) -> bool:
    try:
        data = work.read()
    except OSError:
        return False  # encoding gives the reason
    return hash_bytes(data) == work.key and same_pixels(data, a, b)
