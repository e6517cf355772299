"""One writer at a time for the folder of an examination, and a full or forbidden disk said in words."""

import errno
from collections.abc import Iterator
from contextlib import contextmanager

from eyechart.errors import StoreError
from eyechart.files.locks import hold
from eyechart.findings.run_folder import RunFolder

_OF_THE_DISK = {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES, errno.EPERM, errno.EFBIG}


@contextmanager
def only_writer(folder: RunFolder) -> Iterator[RunFolder]:
    """The prepared folder, held until the end: two examinations into one would take each other's exhibits away."""
    folder.prepare()
    with hold(folder.path / ".lock", wait=False) as held:
        if not held:
            raise StoreError(f"{folder.path}: another examination is writing to it; wait for it, or give --out another folder")
        try:
            yield folder
        except OSError as error:
            if error.errno not in _OF_THE_DISK:
                raise
            raise StoreError(
                f"{folder.path} cannot be written ({error.strerror}); free some space, or give --out another"
            ) from error
