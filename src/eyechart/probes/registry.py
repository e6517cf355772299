"""All probes: every module and folder of this package but the few named below, and what installed packages add."""

from functools import cache
from importlib.metadata import entry_points
from pkgutil import iter_modules

import eyechart.probes
from eyechart.probes.probe import Probe
from eyechart.registry import Registry

_NOT_PROBES = {"cross_model", "probe", "registry", "tasks"}


@cache
def _registry() -> Registry:
    names = [m.name for m in iter_modules(eyechart.probes.__path__)]
    registry = Registry("probe", {n: f"eyechart.probes.{n}:{n}" for n in names if n not in _NOT_PROBES})
    for point in entry_points(group="eyechart.probes"):
        registry.add(point.name, point.value)
    return registry


def probe_names() -> list[str]:
    """All names; zero-shot accuracy first, since everybody knows it and everything else is read beside it."""
    return sorted(_registry(), key=lambda name: (name != "zero_shot", name))


def get_probe(name: str) -> Probe:
    found = _registry().get(name)
    if not isinstance(found, Probe):
        raise TypeError(f"probe {name!r} is a {type(found).__name__}; decorate the function with @probe")
    return found
