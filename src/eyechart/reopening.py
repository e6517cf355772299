"""How a dataset of a run is opened again: what the protocol records of it, and the dataset from that record."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from eyechart.corruptions.copies import CorruptionSettings, corrupted_copies
from eyechart.corruptions.request import parse_requests
from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.data.file_pictures import printable
from eyechart.data.picture import Decoding
from eyechart.data.published.registry import split_source
from eyechart.data.role import Role
from eyechart.errors import DataError
from eyechart.inputs import open_data
from eyechart.models.spec_options import split_options
from eyechart.plan import DataPlan
from eyechart.world.datasets.registry import WORLD_DATASETS


def opened_with(entry: DataPlan, seed: int, run: Path) -> dict[str, Any]:
    """Every argument with which a dataset was opened, for the protocol.

    A path is recorded as given and relative to the run's folder, so that the run can be opened from another folder.
    """
    classes = entry.classes
    listed = None
    if isinstance(classes, ClassList):
        rows = [{"label": c.label, "names": list(c.names), "same_as": list(c.same_as)} for c in classes]
        listed = {"name": classes.name, "source": classes.source, "classes": rows}
    return {
        "name": entry.name,
        "classes": listed if listed is not None else classes,
        "split": entry.split,
        "root": entry.root,
        "limit": entry.limit,
        "columns": dict(entry.columns),
        "seed": seed,
        "from_run": _relative(entry.source, run),
    }


def reopen(name: str, facts: Mapping[str, Any], run: Path, source: str | None = None) -> Dataset:
    """A dataset that an examination opened.

    Args:
        name: Its name in the findings.
        facts: What the protocol says of it.
        run: The folder of the run.
        source: Where it is now; where the protocol says by default.

    Raises:
        DataError: If it is not there any more, or cannot be opened again.
    """
    record = facts.get("opened_with") or _from_reader(facts)
    place = source or dataset_place(facts, run)
    role: Role = facts.get("role") or "exam"
    entry = DataPlan(
        source=place,
        name=name if record.get("name") or source else None,
        classes=_classes(record.get("classes")),
        split=record.get("split"),
        root=record.get("root"),
        limit=record.get("limit"),
        columns=record.get("columns") or {},
        role=role,
        of=facts.get("of"),
    )
    try:
        dataset = open_data(entry, seed=int(record.get("seed") or 0))
    except DataError as error:
        raise DataError(f"{name} cannot be opened again: {error}; name its place with --data '{name}=PLACE'") from error
    return replace(dataset, name=name)


def dataset_place(facts: Mapping[str, Any], run: Path) -> str:
    """The source of a dataset of a run: by its place relative to the run's folder where it is there, else as it was given."""
    record = facts.get("opened_with") or {}
    return _place(str(facts.get("source") or ""), record.get("from_run"), run)


def remake(name: str, facts: Mapping[str, Any], of: Dataset, decoding: Decoding) -> Dataset:
    """A dataset that the examination made itself: corrupted copies, or generated out-of-distribution pictures."""
    reader = facts.get("reader") or {}
    if facts.get("role") == "shift":
        settings = CorruptionSettings(size=reader["size"], seed=reader["seed"], quality=reader["quality"])
        requests = parse_requests(reader["corruptions"])
        return corrupted_copies(of, requests, name=name, size=reader["sample"], settings=settings, decoding=decoding)
    if of.classes is None:
        raise DataError(f"{name}: {of.name} has no classes")
    from eyechart.world.datasets.far_ood import far_ood  # the renderer takes a while to load

    return far_ood(of.classes, int(reader["n"]), name=name, of=facts.get("of"), seed=int(reader["seed"]))


def place_of_model(spec: str, run: Path) -> dict[str, Any]:
    """Where the files of a model are, for the protocol; nothing for a model without files.

    Files are what follows the prefix, or what follows the architecture: `onnx:FOLDER`, `open_clip:ViT-B-32/FILE`. The path is
    recorded relative to the run's folder, so that the run can be opened from another folder.
    """
    prefix, _, name = spec.partition(":")
    name, _ = split_options(name)
    architecture, slash, rest = name.partition("/")
    for head, path in ((f"{prefix}:", name), (f"{prefix}:{architecture}{slash}", rest)):
        if path and Path(path).exists():
            try:
                return {"from_run": {"kind": head, "path": printable(os.path.relpath(Path(path).resolve(), run.resolve()))}}
            except ValueError:  # another drive
                return {}
    return {}


def model_specs(facts: Mapping[str, Any], run: Path) -> list[str]:
    """How the model of a run can be opened again: by its place relative to the run's folder, and as it was given."""
    given, recorded = str(facts.get("spec") or ""), facts.get("from_run")
    if not isinstance(recorded, Mapping) or not (beside := _from_run(run, str(recorded["path"]))).exists():
        return [given]
    _, options = split_options(given.partition(":")[2])
    return [",".join([f"{recorded['kind']}{beside}", *options]), given]


def _relative(source: str, run: Path) -> str | None:
    path = Path((split_source(source) or ("", source))[1])
    if source in WORLD_DATASETS or not path.exists():
        return None
    try:
        return printable(os.path.relpath(path.resolve(), run.resolve()))
    except ValueError:  # another drive
        return None


def _place(source: str, from_run: str | None, run: Path) -> str:
    if from_run is None or source in WORLD_DATASETS:
        return source
    beside = _from_run(run, from_run)
    if not beside.exists():
        return source
    named = split_source(source)
    return f"{named[0]}:{beside}" if named else str(beside)


def _from_run(run: Path, recorded: str) -> Path:
    """A recorded path without "..": it was taken relative to the resolved folder."""
    return Path(os.path.normpath(run.resolve() / recorded))


def _from_reader(facts: Mapping[str, Any]) -> dict[str, Any]:
    """For runs of versions that recorded less."""
    reader = facts.get("reader") or {}
    limit = facts.get("n") if reader.get("kind") == "world" else reader.get("limit")
    return {"limit": limit, "seed": reader.get("seed"), "split": reader.get("split")}


def _classes(given: Any) -> str | ClassList | None:
    if given is None or isinstance(given, str):
        return given
    rows = tuple(PictureClass(r["label"], r["names"][0], tuple(r["names"][1:]), tuple(r["same_as"])) for r in given["classes"])
    return ClassList(given["name"], rows, given["source"])
