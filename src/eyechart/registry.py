"""A lazy registry: each name points to `module:attribute`, which is imported on first use.

A registry with a `group` also lists what installed packages add under that entry-point group, so that a package can add a probe,
a model source or a dataset without a change to Eyechart. An entry of a package that cannot be used raises a PluginError where it
is asked for by its name, and stops nothing else.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any, TypeVar

from eyechart.errors import PluginError, UsageError, did_you_mean

T = TypeVar("T")


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
        known = self._own.get(name)
        if known is not None and known.path != path:
            raise UsageError(f"two {self.kind}s are called {name!r}: {_shown(known)} and {path}; rename one")
        self._own.setdefault(name, Target(path, package))

    def package_of(self, name: str) -> str | None:
        """The installed package that added this entry; None for an entry of Eyechart itself."""
        return self._find(name).package

    def get(self, name: str) -> Any:
        """The object of this name, imported now.

        Raises:
            PluginError: If a package's entry point cannot be imported, or two packages have an entry of this name.
            UsageError: If there is no such name.
        """
        target = self._find(name)
        module, _, attribute = target.path.partition(":")
        if target.package is None:
            return getattr(import_module(module), attribute)
        for conflict in self._conflicts:
            if conflict.name == name:
                raise conflict
        try:
            return getattr(import_module(module), attribute)
        except (Exception, SystemExit) as error:  # another package's code may raise anything while it is imported
            reason = f"its entry point {target.path!r} cannot be loaded ({type(error).__name__}: {error})"
            raise PluginError(self.kind, name, target.package, reason) from error

    def load_all(self, load: Callable[[str], T]) -> tuple[dict[str, T], list[PluginError]]:
        """Every entry that can be used, by name, and why the others cannot. Only entries of installed packages may fail.

        Args:
            load: Gives the object of a name, such as `get` or a function that also checks what it gives.
        """
        loaded: dict[str, T] = {}
        failures = [conflict for conflict in self._conflicts if conflict.name in self._own]
        for name in self:
            try:
                loaded[name] = load(name)
            except PluginError as error:
                failures.append(error)
        return loaded, failures

    def _find(self, name: str) -> Target:
        target = self._own.get(name) or self._targets.get(name)
        if target is None:
            hint = did_you_mean(name, self._targets)
            raise UsageError(f"there is no {self.kind} called {name!r}{hint} (there are: {', '.join(self)})")
        return target

    @property
    def _targets(self) -> dict[str, Target]:
        """Our own entries and those of installed packages. A name of ours is never replaced."""
        return {**self._scanned[0], **self._own}

    @property
    def _conflicts(self) -> list[PluginError]:
        """Entries of packages whose name is taken by another one."""
        ours = [
            PluginError(self.kind, name, str(target.package), f"the name belongs to {_shown(self._own[name])}")
            for name, target in self._scanned[0].items()
            if name in self._own and self._own[name].path != target.path
        ]
        return [*ours, *self._scanned[1]]

    @cached_property
    def _scanned(self) -> tuple[dict[str, Target], list[PluginError]]:
        """What installed packages add, and which of them add the same name. They are scanned on first use."""
        found: dict[str, Target] = {}
        conflicts: list[PluginError] = []
        if self.group is None:
            return found, conflicts
        from importlib.metadata import entry_points  # takes longer to import than all the rest of the package

        for point in entry_points(group=self.group):
            target = Target(point.value, point.dist.name if point.dist is not None else "(unknown)")
            known = found.setdefault(point.name, target)
            if known.path != target.path:
                conflicts.append(PluginError(self.kind, point.name, str(target.package), f"{_shown(known)} has the same name"))
        return found, conflicts


def _shown(target: Target) -> str:
    return target.path if target.package is None else f"{target.path} of the package {target.package}"
