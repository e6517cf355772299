"""A lazy registry: each name points to `module:attribute`, which is imported on first use.

A registry with a `group` also lists what installed packages add under that entry-point group, so that a package can add a model
source or a dataset without a change to Eyechart.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from eyechart.errors import UsageError, did_you_mean


@dataclass(frozen=True)
class Target:
    """Where an entry is defined.

    path: The import path, as `module:attribute`.
    package: The installed package that added it through an entry point; None for an entry of Eyechart itself.
    """

    path: str
    package: str | None = None


class Registry:
    """Names and the objects they stand for.

    Args:
        kind: What one entry is called in messages, such as "published set".
        targets: The import path (`module:attribute`) of every name.
        group: The entry-point group in which other packages add entries; None where they cannot.

    Example:
        >>> numbers = Registry("number", {"pi": "math:pi"})
        >>> list(numbers), round(numbers.get("pi"), 2)
        (['pi'], 3.14)
    """

    def __init__(self, kind: str, targets: dict[str, str], *, group: str | None = None) -> None:
        self.kind = kind
        self.group = group
        self._own = {name: Target(path) for name, path in targets.items()}

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._targets))

    def __contains__(self, name: str) -> bool:
        # Most lookups are of our own names, which need no scan of the installed packages.
        return name in self._own or name in self._targets

    def add(self, name: str, path: str, *, package: str | None = None) -> None:
        """Add an entry. UsageError where another entry has the same name."""
        _add(self._own, self.kind, name, Target(path, package))

    def package_of(self, name: str) -> str | None:
        """The installed package that added this entry; None for an entry of Eyechart itself."""
        return self._find(name).package

    def get(self, name: str) -> Any:
        """The object of this name, imported now.

        Raises:
            UsageError: If there is no such name, or a package's entry point cannot be imported.
        """
        target = self._find(name)
        module, _, attribute = target.path.partition(":")
        if target.package is None:
            return getattr(import_module(module), attribute)
        try:
            return getattr(import_module(module), attribute)
        except Exception as error:  # another package's code may raise anything while it is imported
            reason = f"{type(error).__name__}: {error}"
            raise UsageError(
                f"{self.kind} {name!r} comes from the package {target.package}, and its entry point {target.path!r} cannot be"
                f" loaded ({reason}); update or uninstall {target.package}"
            ) from error

    def _find(self, name: str) -> Target:
        target = self._own.get(name) or self._targets.get(name)
        if target is None:
            hint = did_you_mean(name, self._targets)
            raise UsageError(f"there is no {self.kind} called {name!r}{hint} (there are: {', '.join(self)})")
        return target

    @cached_property
    def _targets(self) -> dict[str, Target]:
        """Our own entries and those of installed packages. The packages are scanned on first use."""
        if self.group is not None:
            from importlib.metadata import entry_points  # takes longer to import than all the rest of the package

            for point in entry_points(group=self.group):
                package = point.dist.name if point.dist is not None else "(unknown)"
                _add(self._own, self.kind, point.name, Target(point.value, package))
        return self._own


def _add(targets: dict[str, Target], kind: str, name: str, target: Target) -> None:
    known = targets.get(name, target)
    if known.path != target.path:
        raise UsageError(f"two {kind}s are called {name!r}: {_shown(known)} and {_shown(target)}; rename one")
    targets.setdefault(name, target)


def _shown(target: Target) -> str:
    return target.path if target.package is None else f"{target.path} of the package {target.package}"
