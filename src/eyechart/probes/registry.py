"""All probes: every module and folder of this package but the few named below, and what installed packages add."""

from functools import cache
from pkgutil import iter_modules

import eyechart.probes
from eyechart.errors import UsageError
from eyechart.probes.contract import Probe
from eyechart.registry import Registry

_NOT_PROBES = {"contract", "cross_model", "registry", "tasks", "testing"}


@cache
def _registry() -> Registry:
    names = [m.name for m in iter_modules(eyechart.probes.__path__) if m.name not in _NOT_PROBES]
    return Registry("probe", {name: f"eyechart.probes.{name}:{name}" for name in names}, group="eyechart.probes")


def probe_names() -> list[str]:
    """The names of all probes, `zero_shot` first.

    Example:
        >>> probe_names()[0]
        'zero_shot'
    """
    return sorted(_registry(), key=lambda name: (name != "zero_shot", name))


def get_probe(name: str) -> Probe:
    """A probe by its name.

    Args:
        name: As `probe_names` lists it.

    Raises:
        UsageError: If there is no such probe, or a package's entry point gives something else.

    Example:
        >>> get_probe("zero_shot").headline
        ('top1', 'mean_per_class', 'worst_class')
    """
    try:
        found = _registry().get(name)
    except AttributeError:
        shared = "code that probes share belongs in eyechart/probes/tasks"
        raise TypeError(f"eyechart/probes/{name} defines no probe named {name}; {shared}") from None
    if not isinstance(found, Probe):
        package = _registry().package_of(name) or "eyechart"
        raise UsageError(
            f"probe {name!r} of the package {package} is a {type(found).__name__}, not a probe; decorate its function with @probe"
        )
    return found
