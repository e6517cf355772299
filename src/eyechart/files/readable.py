"""The edge between files of users and our own code: what libraries raise over unreadable content becomes an error about the file.

Only errors that content, disk or memory cause are translated. A TypeError or KeyError of ours stays a bug with its traceback.
"""

import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eyechart.errors import DataError, EyechartError

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


def require_regular(path: Path, *, error: type[EyechartError] = DataError) -> None:
    """Refuse what is there but no regular file: opening a named pipe would wait for ever.

    A missing file is left to the reader, which knows what should be there."""
    try:
        mode = path.stat().st_mode
    except FileNotFoundError:
        return
    except (OSError, ValueError) as reason:
        raise error(f"{path}: cannot be read ({reason_of(reason)})") from reason
    if not stat.S_ISREG(mode):
        what = next((name for test, name in _KINDS if test(mode)), "not a regular file")
        raise error(f"{path}: it is {what}, not a file; give a file")


@contextmanager
def readable(
    where: str | Path, *, error: type[EyechartError] = DataError, remedy: str = "write or download it again"
) -> Iterator[None]:
    """Turn errors of the disk, of Arrow, of Unicode, of memory and of nesting into one that names `where`."""
    try:
        yield
    except EyechartError:
        raise
    except RecursionError:
        raise error(f"{where}: nested too deeply; {remedy}") from None
    except MemoryError:
        raise error(f"{where}: too large for the memory of this machine; give a part of it") from None
    except UnicodeError as reason:
        raise error(
            f"{where}: it contains text that is not Unicode ({reason.reason if hasattr(reason, 'reason') else reason}); {remedy}"
        ) from None
    except OverflowError as reason:
        raise error(f"{where}: a number is too large ({reason}); {remedy}") from None
    except OSError as reason:
        raise error(f"{where}: cannot be read ({reason_of(reason)}); {remedy}") from reason
    except Exception as reason:
        if not is_arrow_error(reason):
            raise
        raise error(f"{where}: cannot be read ({reason}); {remedy}") from None


def is_arrow_error(reason: BaseException) -> bool:
    """Whether Arrow raised it. Arrow need not be imported to know."""
    arrow = sys.modules.get("pyarrow")
    return arrow is not None and isinstance(reason, arrow.ArrowException)


def reason_of(error: BaseException) -> str:
    """The reason of an error of the disk, without the path that stands before it."""
    return str(getattr(error, "strerror", None) or error)
