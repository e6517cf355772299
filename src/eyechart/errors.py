"""Errors that a user can act on: each names the object, the reason and the next step, and has an exit code."""

import errno
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from difflib import get_close_matches

from eyechart.notice import one_line


class EyechartError(Exception):
    """An error that the user can fix. Any other exception is a bug of Eyechart and keeps its traceback.

    The text is one line and safe to print, whatever file names it contains."""

    exit_code = 1
    topic: str | None = None  # the page of the guide that helps, where it is not that of the command

    def __str__(self) -> str:
        # The name of a model such as `demo:` ends in a colon already.
        return one_line(super().__str__()).replace(":: ", ": ")


@contextmanager
def explained_on(topic: str) -> Iterator[None]:
    """Errors of the block, or of the decorated function, name this page of the guide unless they name one already."""
    try:
        yield
    except EyechartError as error:
        error.topic = error.topic or topic
        raise


class UsageError(EyechartError):
    """A flag, a plan or a name that does not make sense."""

    exit_code = 2


class PluginError(UsageError):
    """A probe, model source or dataset of an installed package that cannot be used.

    Args:
        kind: What it is: "probe", "model source" or "published set".
        name: The name of its entry point.
        package: The installed package.
        reason: Why it cannot be used.
    """

    def __init__(self, kind: str, name: str, package: str, reason: str) -> None:
        super().__init__(f"{kind} {name!r} of the package {package} cannot be used: {reason}; update or uninstall {package}")
        self.kind = kind
        self.name = name
        self.package = package
        self.reason = one_line(reason)


class DataError(EyechartError):
    """Pictures, labels, class names or prompts that cannot be used as they are."""

    exit_code = 3


class ModelError(EyechartError):
    """A model that cannot be loaded, or that gives invalid vectors."""

    exit_code = 4


class MissingExtra(ModelError):
    """A model source or format that needs packages which are not installed."""

    exit_code = 5

    def __init__(self, thing: str, extra: str | None, packages: Sequence[str] = ()) -> None:
        wanted = f"'eyechart[{extra}]'" if extra else " ".join(packages)
        super().__init__(f"{thing} needs packages that are not installed: pip install {wanted}")
        self.extra = extra


class StoreError(EyechartError):
    """A store or run folder that cannot be read or written."""

    exit_code = 6


_DISK = {
    errno.ENOSPC: "free some space and run the same command again; what is finished is kept",
    errno.EDQUOT: "your disk quota is exhausted: free some space and run the same command again; what is finished is kept",
    errno.EROFS: "that disk is read-only: choose another folder",
    errno.EACCES: "you have no permission there: choose another folder, or change its permissions",
    errno.EPERM: "you have no permission there: choose another folder, or change its permissions",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ELOOP: "a link there leads to itself: remove it",
    errno.EMFILE: "too many files are open: raise the limit (`ulimit -n`)",
    errno.ENOTDIR: "part of that path is a file: choose another folder",
}


def disk_error(error: OSError) -> str:
    """An error of the disk as a sentence: the path, the reason and the next step."""
    place = f"{os.fsdecode(error.filename)}: " if isinstance(error.filename, str | bytes) else ""
    step = _DISK.get(error.errno or 0, "check that path and its disk, and run the same command again")
    return one_line(f"{place}{error.strerror or error}; {step}")


_MOST_COMPARED = 5000


def did_you_mean(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """A hint to append to an error: '; did you mean …?', or nothing where no known word is similar enough.

    Example:
        >>> did_you_mean("tabby", ["tabby cat", "dog"])
        "; did you mean 'tabby cat'?"
    """
    words = list(known)
    if len(words) > _MOST_COMPARED:  # comparing takes 30 µs a word; a typo seldom changes the first letter
        words = [other for other in words if other[:1] == word[:1]][:_MOST_COMPARED]
    close = get_close_matches(word, words, n=1, cutoff=cutoff)
    return f"; did you mean {close[0]!r}?" if close else ""
