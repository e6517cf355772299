"""Disk errors as StoreError with a remedy."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eyechart.errors import StoreError

_REMEDIES = {
    errno.ENOSPC: "free some space (`eyechart store gc` removes old vectors), or point EYECHART_STORE elsewhere",
    errno.EDQUOT: "your disk quota is exhausted: free some space, or point EYECHART_STORE elsewhere",
    errno.EFBIG: "files may not grow so large there: raise the limit, or point EYECHART_STORE elsewhere",
    errno.EROFS: "that disk is read-only: point EYECHART_STORE at a folder you can write to",
    errno.EACCES: "you may not write there: point EYECHART_STORE at a folder you can write to",
    errno.EPERM: "you may not write there: point EYECHART_STORE at a folder you can write to",
    errno.ENOTDIR: "part of that path is a file: point EYECHART_STORE at a folder",
    errno.EMFILE: "too many files are open: raise the limit (`ulimit -n`) or run `eyechart store compact`",
    errno.ENOLCK: "that disk has no file locks: point EYECHART_STORE at a local disk",
    errno.ENOTSUP: "that disk lacks features that the store needs: point EYECHART_STORE at a local disk",
}


@contextmanager
def storing(path: Path, doing: str) -> Iterator[None]:
    """Turn an OSError into a StoreError with the place, the reason and the remedy."""
    try:
        yield
    except OSError as error:
        remedy = _REMEDIES.get(error.errno or 0, "check that disk, or point EYECHART_STORE at another folder")
        raise StoreError(f"{path}: cannot {doing}: {error.strerror or error}; {remedy}") from error
