"""Errors that a user can act on: each names the object, the reason and the next step, and has an exit code."""

from collections.abc import Iterable, Sequence
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


def did_you_mean(word: str, known: Iterable[str], *, cutoff: float = 0.6) -> str:
    """A hint to append to an error: '; did you mean …?', or nothing where no known word is similar enough.

    Example:
        >>> did_you_mean("tabby", ["tabby cat", "dog"])
        "; did you mean 'tabby cat'?"
    """
    close = get_close_matches(word, list(known), n=1, cutoff=cutoff)
    return f"; did you mean {close[0]!r}?" if close else ""
