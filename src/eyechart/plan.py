"""A plan: which probes run for which models on which datasets. Command-line flags and plan.toml both become a plan."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal, TypeVar

from eyechart.data.classes import ClassList
from eyechart.data.published.registry import split_source
from eyechart.data.role import Role
from eyechart.errors import UsageError
from eyechart.files.records import Table, read_toml
from eyechart.models.spec_options import split_options
from eyechart.world.datasets.registry import WORLD, WORLD_DATASETS

DEFAULT_PROMPTS = ("openai-80",)

Entry = TypeVar("Entry", "ModelPlan", "DataPlan")


@dataclass(frozen=True)
class ModelPlan:
    """A model of a plan.

    spec: The model, as `eyechart models` lists them, such as `open_clip:ViT-B-32/laion2b_s34b_b79k`.
    name: Its name in the findings; None for a name made from `spec`.
    device: cpu, auto, mps, cuda or cuda:N.
    precision: float32, bfloat16 or float16.
    run: The training run that it is a checkpoint of, for `progression`; None for what its card says.
    samples_seen: The samples seen in training; None for what its card says.
    """

    spec: str
    name: str | None = None
    device: str = "cpu"
    precision: str = "float32"
    run: str | None = None
    samples_seen: int | None = None


@dataclass(frozen=True)
class DataPlan:
    """A dataset of a plan.

    source: The dataset, as `eyechart datasets` lists them: a folder, a file or `NAME:FOLDER`.
    name: Its name in the findings; None for a name made from `source`.
    classes: Class names: a file, a named list, or a ClassList; None for those of the data.
    prompts: Prompt sets or files for this dataset; None for those of the plan.
    split: The split to read, where the dataset has several.
    root: The folder that file names are relative to.
    limit: At most this many pictures.
    columns: Which column of a table has which role, such as {"label": "species"}.
    role: "exam" for a dataset that is examined; "shift", "ood" or "gallery" for one that others are compared with.
    of: The exam dataset that a "shift", "ood" or "gallery" dataset belongs to; None for all of them.
    """

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
    """What is examined, and how.

    models: The models.
    datasets: The datasets.
    probes: Names of the probes to run; None for those of `profile`.
    profile: Profiles, which are lists of probes; None for those that suit each dataset. Not together with `probes`.
    prompts: Prompt sets or files; None for the model's default.
    settings: The settings of each probe, by the probe's name.
    targets: Limits of the verdict in place of the default ones, by the metric's name, such as {"top1": 0.8}.
    exif: "apply" or "ignore" the orientation in a picture's EXIF data.
    alpha: "drop" transparency, or put the picture on "white" or "black".
    seed: The seed of every random draw.
    corruptions: Corruptions under which labeled pictures are copied in memory, such as "noise:3"; none where empty; None for
        four of them, unless a dataset has corrupted pictures.
    default_ood: Whether generated out-of-distribution pictures are compared with; None for where no dataset has any.
    store_precision: "float16" to keep picture vectors in half precision, at half the size; "float32" by default.
    identify: Whether pictures are classified by their labels even where the dataset identifies people.
    """

    models: tuple[ModelPlan, ...]
    datasets: tuple[DataPlan, ...]
    probes: tuple[str, ...] | None = None
    profile: tuple[str, ...] | None = None
    prompts: tuple[str, ...] | None = None
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    targets: Mapping[str, float] = field(default_factory=dict)
    exif: str = "apply"
    alpha: str = "drop"
    seed: int = 0
    corruptions: tuple[str, ...] | None = None
    default_ood: bool | None = None
    store_precision: str = "float32"
    identify: bool = False


def model_name(entry: ModelPlan) -> str:
    """A model's name in the findings: the given name, else its spec without leading folders, or without a server's address."""
    if entry.name:
        return entry.name
    prefix, _, rest = entry.spec.partition(":")
    if prefix == "chat" and "#" in rest:  # the address is the user's own, and options such as prices are no part of a name
        return f"chat:{rest.partition('#')[2].partition(',')[0]}"
    if not rest:
        return prefix
    name = split_options(rest)[0] if prefix == "lmm" else rest
    return f"{prefix}:{Path(name).absolute().name if Path(name).exists() else name}"


def read_plan(path: str | Path) -> Plan:
    """Read a plan from a TOML file.

    Args:
        path: The file. Paths in it are relative to its folder.

    Raises:
        UsageError: If the file cannot be read, or a key or value in it makes no sense.

    Example:
        >>> from pathlib import Path
        >>> _ = Path("plan.toml").write_text('models = ["demo:"]\\ndatasets = ["world-objects"]')
        >>> read_plan("plan.toml").models[0].spec
        'demo:'
    """
    path = Path(path)
    if not path.exists():
        raise UsageError(f"{path}: there is no such plan; `eyechart plan --init {path}` writes one")
    return parse_plan(read_toml(path), where=str(path), base=path.parent)


def parse_plan(content: Mapping[str, Any], *, where: str, base: Path) -> Plan:
    """The plan that a table describes. `where` names it in errors; paths are relative to `base`."""
    plan = Table(where, content)
    plan.only([*(f.name for f in fields(Plan)), "gate"])  # `eyechart gate` reads that table
    return Plan(
        models=tuple(_from(base, entry) for entry in _entries(plan, "models", "spec", ModelPlan)),
        datasets=tuple(_from(base, entry) for entry in _entries(plan, "datasets", "source", DataPlan)),
        probes=_names(plan, "probes"),
        profile=_names(plan, "profile"),
        prompts=_files_from(base, _names(plan, "prompts")),
        settings=plan.get("settings", Mapping[str, Mapping[str, Any]], {}),
        targets=plan.get("targets", Mapping[str, float], {}),
        exif=plan.get("exif", Literal["apply", "ignore"], "apply"),
        alpha=plan.get("alpha", Literal["drop", "white", "black"], "drop"),
        seed=plan.get("seed", int, 0),
        corruptions=_listed(plan.get("corruptions", str | tuple[str, ...], None)),
        default_ood=plan.get("default_ood", bool, None),
        store_precision=plan.get("store_precision", Literal["float32", "float16"], "float32"),
        identify=plan.get("identify", bool, False),
    )


def rooted(plan: Plan, base: Path) -> Plan:
    """The plan with paths relative to `base` as paths of their own, for a process in another folder."""
    return replace(
        plan,
        models=tuple(_from(base, entry) for entry in plan.models),
        datasets=tuple(_from(base, entry) for entry in plan.datasets),
        prompts=_files_from(base, plan.prompts),
    )


def _entries(plan: Table, key: str, required: str, kind: type[Entry]) -> list[Entry]:
    """The models or datasets of a plan. A text alone stands for an entry with nothing but its required key."""
    listed = plan.content.get(key)
    if not isinstance(listed, list) or not listed:
        raise plan.fail(key, f"is missing or empty; add at least one [[{key}]] table with {required} = …")
    found = []
    for place, entry in enumerate(listed):
        table = Table(plan.where, {required: entry} if isinstance(entry, str) else entry, f"{key}[{place}]", plan.error)
        prompts = {"prompts": list(_names(table, "prompts") or ())} if "prompts" in table.content else {}
        found.append(replace(table, content={**table.content, **prompts}).into(kind))
    return found


def _names(table: Table, key: str) -> tuple[str, ...] | None:
    """A list of names, or one name; None where the key is absent."""
    given = table.get(key, str | tuple[str, ...], None)
    if given == ():
        raise table.fail(key, "is empty; name at least one, or leave it out")
    return _listed(given)


def _listed(given: str | tuple[str, ...] | None) -> tuple[str, ...] | None:
    return (given,) if isinstance(given, str) else given


def _from(base: Path, entry: Entry) -> Entry:
    """The entry with paths relative to the plan's folder, where such a path exists."""
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
        name = rest if prefix != "lmm" or (base / rest).exists() else split_options(rest)[0]
        if name and (base / name).exists():
            changes["spec"] = f"{prefix}:{base / name}{rest.removeprefix(name)}"
            changes["name"] = entry.name or f"{prefix}:{name}"
    prompts = getattr(entry, "prompts", None)
    if prompts:
        changes["prompts"] = _files_from(base, prompts)
    return replace(entry, **changes)


def _files_from(base: Path, prompts: tuple[str, ...] | None) -> tuple[str, ...] | None:
    return None if prompts is None else tuple(str(base / p) if (base / p).is_file() else p for p in prompts)
