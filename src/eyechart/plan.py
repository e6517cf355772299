"""A plan: which models are asked which questions about which datasets. Flags and plan.toml both become one."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, get_args

from eyechart.data.classes import ClassList
from eyechart.data.published.registry import split_source
from eyechart.data.role import Role
from eyechart.errors import UsageError, did_you_mean
from eyechart.world.datasets.registry import WORLD, WORLD_DATASETS

DEFAULT_PROMPTS = ("openai-80",)


@dataclass(frozen=True)
class ModelPlan:
    """`spec` as in `eyechart models`; `name`: what the findings call it."""

    spec: str
    name: str | None = None
    device: str = "cpu"
    precision: str = "float32"


@dataclass(frozen=True)
class DataPlan:
    """`source` as in `eyechart datasets`; `classes`: a file or a named list; `columns`: part → column of a table.

    `role` "shift", "ood" or "targets" makes it a set that others are compared with; `of` names the dataset it belongs to (None:
    all)."""

    source: str
    name: str | None = None
    classes: str | ClassList | None = None
    prompts: tuple[str, ...] | None = None
    split: str | None = None
    root: str | None = None
    limit: int | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    role: Role = "exam"
    of: str | None = None


@dataclass(frozen=True)
class Plan:
    models: tuple[ModelPlan, ...]
    datasets: tuple[DataPlan, ...]
    probes: tuple[str, ...] | None = None  # None: all there are
    prompts: tuple[str, ...] | None = None  # None: the default for the model
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)  # probe → its settings
    exif: str = "apply"
    alpha: str = "drop"
    seed: int = 0


def model_name(entry: ModelPlan) -> str:
    """What the findings call a model: its given name, else how it was asked for, without the folders that lead to it."""
    if entry.name:
        return entry.name
    prefix, _, rest = entry.spec.partition(":")
    if not rest:
        return prefix
    return f"{prefix}:{Path(rest).absolute().name}" if Path(rest).exists() else entry.spec


def read_plan(path: str | Path) -> Plan:
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise UsageError(f"{path}: there is no such plan; `eyechart plan --init {path}` writes one") from None
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{path}: the plan cannot be read: {error}") from error
    try:
        content = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{path}: not valid TOML: {error}") from error
    return parse_plan(content, where=str(path), base=path.parent)


def parse_plan(content: Mapping[str, Any], *, where: str, base: Path) -> Plan:
    """Check every key and type by name; paths in a plan are relative to the plan's own folder."""
    _known(content, {"models", "datasets", "probes", "prompts", "settings", "exif", "alpha", "seed"}, where)
    for key in ("models", "datasets"):
        if not isinstance(content.get(key), list) or not content[key]:
            raise UsageError(f"{where}: needs at least one [[{key}]] table")
    models = tuple(_record(ModelPlan, entry, "spec", f"{where}, models[{i}]") for i, entry in enumerate(content["models"]))
    datasets = tuple(_record(DataPlan, entry, "source", f"{where}, datasets[{i}]") for i, entry in enumerate(content["datasets"]))
    settings = content.get("settings", {})
    if not isinstance(settings, dict) or not all(isinstance(v, dict) for v in settings.values()):
        raise UsageError(f"{where}: settings is a table of tables, such as [settings.zero_shot]")
    return Plan(
        models=tuple(_from(base, m) for m in models),
        datasets=tuple(_from(base, d) for d in datasets),
        probes=_words(content["probes"], f"{where}, probes") if "probes" in content else None,
        prompts=_files_from(base, _words(content["prompts"], f"{where}, prompts")) if "prompts" in content else None,
        settings=settings,
        exif=_choice(content.get("exif", "apply"), {"apply", "ignore"}, f"{where}, exif"),
        alpha=_choice(content.get("alpha", "drop"), {"drop", "white", "black"}, f"{where}, alpha"),
        seed=_integer(content.get("seed", 0), f"{where}, seed"),
    )


def _record(kind: type[Any], entry: Any, required: str, where: str) -> Any:
    if isinstance(entry, str):
        entry = {required: entry}
    if not isinstance(entry, dict):
        raise UsageError(f"{where}: expected a table with {required} = …, got {entry!r}")
    _known(entry, {f.name for f in fields(kind)}, where)
    if required not in entry:
        raise UsageError(f"{where}: {required} is missing")
    for key, value in entry.items():
        if key == "prompts":
            entry = {**entry, key: _words(value, f"{where}, {key}")}
        elif key == "limit":
            _integer(value, f"{where}, {key}")
        elif key == "columns":
            _texts(value, f"{where}, {key}")
        elif not isinstance(value, str):
            raise UsageError(f"{where}: {key} must be a text, got {value!r}")
        elif key == "role":
            _choice(value, set(get_args(Role)), f"{where}, {key}")
    return kind(**entry)


def _from(base: Path, entry: Any) -> Any:
    """Paths as seen from the plan's folder, where such a path exists; everything else stays as it is written."""
    changes: dict[str, Any] = {}
    if (named := split_source(getattr(entry, "source", ""))) and (base / named[1]).exists():
        changes["source"] = f"{named[0]}:{base / named[1]}"
    for key in ("source", "classes", "root"):
        value = getattr(entry, key, None)
        if isinstance(value, str) and (base / value).exists() and not (key == "source" and value in (WORLD, *WORLD_DATASETS)):
            changes[key] = str(base / value)
    spec = getattr(entry, "spec", None)
    if spec and ":" in spec:
        prefix, rest = spec.split(":", 1)
        if rest and (base / rest).exists():
            changes["spec"] = f"{prefix}:{base / rest}"
            changes["name"] = entry.name or spec
    prompts = getattr(entry, "prompts", None)
    if prompts:
        changes["prompts"] = _files_from(base, prompts)
    return replace(entry, **changes)


def _files_from(base: Path, prompts: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(str(base / p) if (base / p).is_file() else p for p in prompts)


def _known(entry: Mapping[str, Any], known: set[str], where: str) -> None:
    for key in entry:
        if key not in known:
            raise UsageError(f"{where}: unknown key {key!r}{did_you_mean(key, known)} (known: {', '.join(sorted(known))})")


def _words(value: Any, where: str) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list) or not value or not all(isinstance(v, str) for v in value):
        raise UsageError(f"{where}: expected a list of names, got {value!r}")
    return tuple(value)


def _texts(value: Any, where: str) -> None:
    if not isinstance(value, dict) or not all(isinstance(v, str) for v in value.values()):
        raise UsageError(f'{where}: expected a table of texts, such as {{ label = "category" }}, got {value!r}')


def _choice(value: Any, known: set[str], where: str) -> str:
    if value not in known:
        raise UsageError(f"{where}: {value!r} is not one of {', '.join(sorted(known))}")
    return str(value)


def _integer(value: Any, where: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise UsageError(f"{where}: expected a whole number, got {value!r}")
    return value
