"""A small lazy registry: names to `module:attribute`, imported when first asked for."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

from eyechart.errors import UsageError, did_you_mean


class Registry:
    def __init__(self, thing: str, targets: dict[str, str]) -> None:
        self.thing = thing
        self._targets = dict(targets)

    def __iter__(self) -> Iterator[str]:
        return iter(sorted(self._targets))

    def __contains__(self, name: str) -> bool:
        return name in self._targets

    def add(self, name: str, target: str) -> None:
        if self._targets.get(name, target) != target:
            raise UsageError(f"two {self.thing}s are called {name!r}: {self._targets[name]} and {target}; rename one")
        self._targets[name] = target

    def get(self, name: str) -> Any:
        if name not in self._targets:
            known = ", ".join(self)
            hint = did_you_mean(name, self._targets)
            raise UsageError(f"there is no {self.thing} called {name!r}{hint} (there are: {known})")
        module, _, attribute = self._targets[name].partition(":")
        return getattr(import_module(module), attribute)
