"""All probes: every module and folder of this package but the few named below, and what installed packages add."""

from functools import cache
from pkgutil import iter_modules

import eyechart.probes
from eyechart.errors import PluginError, UsageError
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
        UsageError: If there is no such probe.
        PluginError: If it comes from an installed package and cannot be used.

    Example:
        >>> get_probe("zero_shot").headline
        ('top1', 'mean_per_class', 'worst_class')
    """
    try:
        found = _registry().get(name)
    except AttributeError:
        shared = "code that probes share belongs in eyechart/probes/tasks"
        raise TypeError(f"eyechart/probes/{name} defines no probe named {name}; {shared}") from None
    package = _registry().package_of(name)
    if not isinstance(found, Probe):
        reason = f"it is a {type(found).__name__}, not a probe; its author must decorate the function with @probe"
        raise PluginError("probe", name, package or "eyechart", reason)
    if package is not None:
        for upstream in found.after:
            try:
                get_probe(upstream)
            except UsageError as error:
                raise PluginError("probe", name, package, f"it reads the findings of {upstream!r} ({error})") from error
    return found


def usable_probes() -> tuple[dict[str, Probe], list[PluginError]]:
    """Every probe that can be used, by name, `zero_shot` first; and the probes of installed packages that cannot be used.

    Example:
        >>> probes, failures = usable_probes()
        >>> next(iter(probes))
        'zero_shot'
    """
    loaded, failures = _registry().load_all(get_probe)
    return {name: loaded[name] for name in probe_names() if name in loaded}, failures
