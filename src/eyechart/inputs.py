"""The models and datasets that a plan names, opened; and the names that findings and folders give them."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.data.open import default_name, open_dataset
from eyechart.data.published.registry import PUBLISHED_SETS, split_source
from eyechart.data.role import Role
from eyechart.errors import DataError, EyechartError, UsageError, did_you_mean
from eyechart.files.hashing import HashMemory
from eyechart.files.text import nearest_sibling
from eyechart.findings.exhibit import slug
from eyechart.models.encoder import Model
from eyechart.models.open import open_model
from eyechart.models.sources import find_source
from eyechart.notice import Notice
from eyechart.plan import DataPlan, Plan, model_name
from eyechart.progress import Progress, SilentProgress
from eyechart.world.datasets.registry import WORLD, WORLD_DATASETS

Classes = str | Path | ClassList | Sequence[str] | Mapping[str, str | Sequence[str]]
Sources = Sequence[str | Path] | Mapping[str, str | Path]


def default_out(plan: Plan) -> Path:
    """exams/MODEL--DATA for a plan of one dataset; the first model's, and how many more."""
    data = plan.datasets[0]
    models = slug(model_name(plan.models[0])) + (f"-and-{len(plan.models) - 1}-more" if len(plan.models) > 1 else "")
    name = data.name or default_name(data.source)
    return Path("exams") / f"{models}--{slug(name)}"


def class_list(classes: Classes | None) -> str | ClassList | None:
    """Class names as Python has them: a file or a named list, names, or {label: name} and {label: [name, synonym, …]}."""
    if classes is None or isinstance(classes, str | ClassList):
        return classes
    if isinstance(classes, Path):
        return str(classes)
    if not isinstance(classes, Mapping):
        return ClassList("classes", tuple(PictureClass(name, name) for name in classes))
    named = {label: (names,) if isinstance(names, str) else tuple(names) for label, names in classes.items()}
    return ClassList("classes", tuple(PictureClass(label, names[0], names[1:]) for label, names in named.items()))


def companions(sources: Sources, role: Role, limit: int | None = None) -> tuple[DataPlan, ...]:
    """Datasets that others are compared with, from their sources or from {name: source}."""
    if isinstance(sources, str | Path):
        raise UsageError(f"{role}: {str(sources)!r} is one source where a list belongs; write [{str(sources)!r}]")
    named = sources.items() if isinstance(sources, Mapping) else ((None, source) for source in sources)
    return tuple(DataPlan(str(source), name=name, limit=limit, role=role) for name, source in named)


def open_models(plan: Plan, hashes: HashMemory) -> tuple[dict[str, Model], dict[str, EyechartError]]:
    """The models by name, and those that cannot be opened: one bad model does not keep the others from being examined."""
    models: dict[str, Model] = {}
    failures: dict[str, EyechartError] = {}
    for entry in plan.models:
        try:
            models[model_name(entry)] = open_model(entry.spec, hashes=hashes, device=entry.device, precision=entry.precision)
        except EyechartError as error:
            failures[model_name(entry)] = error
    if not models:
        raise next(iter(failures.values()))
    return models, failures


def open_datasets(plan: Plan, progress: Progress | None = None) -> list[Dataset]:
    datasets = []
    with (progress or SilentProgress()).task("opening", len(plan.datasets), "datasets") as task:
        for entry in named_apart(plan.datasets):
            datasets.append(open_data(entry, seed=plan.seed))
            task.advance()
    names = [d.name for d in datasets]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two datasets of the plan are called {name!r}; give one of them another name")
    exams = [d.name for d in datasets if d.role == "exam"]
    for dataset in datasets:
        if dataset.of is not None and dataset.of not in exams:
            hint = did_you_mean(dataset.of, exams)
            raise UsageError(f"dataset {dataset.name!r}: of = {dataset.of!r} names no dataset that the plan examines{hint}")
    return datasets


def named_apart(entries: Sequence[DataPlan]) -> list[DataPlan]:
    """The datasets of a plan. Of two folders of one published set, the second is named with its folder.

    Example:
        >>> found = named_apart([DataPlan("comco:FourObject-Middle-Big"), DataPlan("comco:OneObject", role="gallery")])
        >>> [entry.name for entry in found]
        [None, 'comco/OneObject']
    """
    named, taken = list[DataPlan](), set[str]()
    for entry in entries:
        name, published = entry.name or default_name(entry.source), split_source(entry.source)
        if entry.name is None and published and name in taken:
            name = f"{name}/{Path(published[1]).name}"
            entry = replace(entry, name=name)
        taken.add(name)
        named.append(entry)
    return named


def open_data(entry: DataPlan, *, seed: int) -> Dataset:
    dataset = replace(_open(entry, seed), role=entry.role, of=entry.of)
    return _with_label_notice(dataset) if entry.role == "exam" else dataset


def _with_label_notice(dataset: Dataset) -> Dataset:
    """The dataset with a notice where nothing is known of its pictures, so that hardly a probe can be run."""
    if dataset.classes is not None or dataset.pairs is not None or any(dataset.has(c) for c in ("label", "captions", "objects")):
        return dataset
    what = "it has no labels, so neither accuracy nor confidence, robustness or out-of-distribution detection can be measured"
    remedy = "put the pictures into one subfolder per class, or give a table of files and labels: --data labels.csv"
    return replace(dataset, notices=(*dataset.notices, Notice(dataset.name, what, remedy)))


def _open(entry: DataPlan, seed: int) -> Dataset:
    if entry.source in WORLD_DATASETS:
        return _open_world(entry)
    _check_name(entry.source)
    return open_dataset(
        entry.source,
        name=entry.name,
        classes=entry.classes,
        split=entry.split,
        columns=entry.columns,
        root=None if entry.root is None else Path(entry.root),
        limit=entry.limit,
        seed=seed,
    )


def _check_name(source: str) -> None:
    """DataError for what is neither a file, a folder nor the name of a dataset, with the names that come close."""
    _refuse_model(source)
    if not re.fullmatch(r"[\w-]+", source) or Path(source).exists():
        return
    missing = f"{source}: there is no such file or folder"
    if source in PUBLISHED_SETS:
        raise DataError(f"{missing}; a published set is named with its folder: {source}:FOLDER")
    if hint := nearest_sibling(Path(source)):
        raise DataError(f"{missing}{hint}")
    known = ", ".join(WORLD_DATASETS) if source.startswith("world") else ""
    hint = did_you_mean(source, [*WORLD_DATASETS, *(f"{name}:FOLDER" for name in PUBLISHED_SETS)])
    listed = f"; datasets of the embedded world: {known}" if known else ""
    raise DataError(f"{missing}, and no dataset of that name{hint}{listed}; `eyechart datasets` lists all of them")


def _refuse_model(source: str) -> None:
    """DataError for the name of a model: `hf:owner/name`, where a dataset of the hub is `hf://owner/name`."""
    prefix, colon, name = source.partition(":")
    if not colon or name.startswith("//") or split_source(source) or Path(source).exists():
        return
    if prefix == "hf":
        raise DataError(f"{source} names a model of the Hugging Face hub; a dataset of the hub is hf://{name or 'owner/name'}")
    if find_source(prefix) is not None:
        raise DataError(f"{source} names a model, not a dataset; give it with --model, and a folder or table with --data")


def _open_world(entry: DataPlan) -> Dataset:
    """A dataset of the embedded world. Its name goes before a folder that happens to be called so: a plan must mean the same
    pictures wherever it is run. A limit takes the first pictures, which are as evenly mixed as all of them."""
    name = entry.source
    if entry.split or entry.columns:
        raise UsageError(f"{name} is a dataset of the embedded world and has no splits or columns to choose; leave them out")
    if entry.root and name != "world-ood":
        raise UsageError(f"{name}: root is a folder of photographs for world-ood; leave it out")
    if entry.limit is not None and entry.limit < 1:
        raise UsageError(f"limit is {entry.limit}; choose 1 or more")
    from eyechart.world.datasets.open import open_world, usual_size  # the renderer takes a while to load

    n = None if entry.limit is None else min(entry.limit, usual_size(name))
    dataset = open_world(name, n=n, classes=entry.classes, photographs=entry.root)
    if Path(name).exists():
        taken = f"there is a file or folder {name} here, but the embedded world's dataset of this name was used"
        notice = Notice(name, taken, f"write ./{name} for what is here")
        dataset = replace(dataset, notices=(*dataset.notices, notice))
    return dataset if entry.name is None else replace(dataset, name=entry.name)


# Small enough for a look, large enough for intervals that say something.
WORLD_SAMPLES = {
    "world-objects": 540,
    "world-factors": 480,
    "world-cue-conflict": 200,
    "world-ood": 360,
    "world-shifts": 396,
    "world-retrieval": 400,
    "world-scenes": 252,
    "world-size-ratios": 396,
    "world-foils": 180,
    "world-views": 80,
    "world-people": 336,
    "world-long-tail": 360,
    "world-prompts": 216,
}


def with_whole_world(plan: Plan) -> Plan:
    """The plan with all sets of the world in place of `world`, as many pictures of each as its `limit` says."""
    return replace(plan, datasets=tuple(part for entry in plan.datasets for part in _world_parts(entry)))


def _world_parts(entry: DataPlan) -> tuple[DataPlan, ...]:
    if entry.source != WORLD:
        return (entry,)
    usual = DataPlan(WORLD)
    said = [
        f.name for f in fields(entry) if f.name not in ("source", "limit") and getattr(entry, f.name) != getattr(usual, f.name)
    ]
    if said:
        listed = " and no ".join(said)
        raise UsageError(f"{WORLD} is all sets of the embedded world and takes no {listed}; leave them out, or name one set")
    return tuple(DataPlan(name, limit=min(entry.limit or most, most)) for name, most in WORLD_SAMPLES.items())
