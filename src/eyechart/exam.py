"""The examination: from a plan to findings, exhibits and a page. The one file that knows all rooms; it reads top to bottom."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from eyechart import __version__
from eyechart.data.dataset import Dataset
from eyechart.data.open import open_dataset
from eyechart.data.picture import Decoding
from eyechart.encode.engine import Engine
from eyechart.encode.local import LocalEngine
from eyechart.environment import environment
from eyechart.errors import EyechartError, UsageError
from eyechart.examination import Examination
from eyechart.findings.exhibit import slug
from eyechart.findings.run_folder import Record, RunFolder
from eyechart.findings.skip import Skip
from eyechart.models.abilities import has_members
from eyechart.models.encoder import Model
from eyechart.models.open import open_model
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.progress import Progress, SilentProgress
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet
from eyechart.report.page import write_report
from eyechart.sitting.collection import Collection, collect
from eyechart.sitting.interview import interview
from eyechart.sitting.overview import closing_unit, spelled
from eyechart.sitting.questions import chosen_probes, digest, questions, spelled_probe
from eyechart.sitting.sitting import Sitting
from eyechart.store.store import Store
from eyechart.world.demo import demo_pictures


def examine(
    model: str,
    data: str | Path,
    *,
    classes: str | Path | None = None,
    prompts: str | Sequence[str] | None = None,
    probes: Sequence[str] | None = None,
    out: str | Path | None = None,
    limit: int | None = None,
    device: str = "cpu",
    precision: str = "float32",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 0,
    store: Store | None = None,
    progress: Progress | None = None,
) -> Examination:
    """Examine one model on one dataset: every question that can be asked, or those in `probes`."""
    plan = Plan(
        models=(ModelPlan(model, device=device, precision=precision),),
        datasets=(DataPlan(str(data), classes=None if classes is None else str(classes), limit=limit),),
        probes=None if probes is None else tuple(probes),
        prompts=(prompts,) if isinstance(prompts, str) else None if prompts is None else tuple(prompts),
        settings=settings or {},
        seed=seed,
    )
    return run(plan, out=Path(out) if out is not None else default_out(plan), store=store, progress=progress)


def run(
    plan: Plan,
    *,
    out: Path,
    store: Store | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Examination:
    """Ask every model of a plan every question about every dataset. What is known already is not computed again."""
    progress, engine = progress or SilentProgress(), engine or LocalEngine()
    folder, decoding = RunFolder(out), Decoding(exif=plan.exif, alpha=plan.alpha)  # type: ignore[arg-type]
    probes = chosen_probes(plan)
    with ExitStack() as stack:
        store = store or stack.enter_context(closing(Store()))
        models, failures = _open_models(plan, store)
        datasets = _open_datasets(plan)
        folder.prepare()

        pictures = any(has_members(model, "encode_images") for model in models.values())
        collections = [
            collect(dataset, _prompts(entry), store.hashes, progress, pictures=pictures)
            for entry, dataset in zip(plan.datasets, datasets, strict=True)
        ]

        records: list[Record] = []
        skips: list[Skip] = []
        protocols, facts = {digest(spelled(decoding)): spelled(decoding)}, {}
        for name, model in models.items():
            try:
                asked, unaskable = questions(plan, probes, name, model, collections, decoding)
                sitting = Sitting(name, model, store=store, engine=engine, decoding=decoding, progress=progress)
                records += interview(sitting, asked, folder, decoding, progress)
                facts[name] = sitting.facts()
                protocols |= {q.protocol: q.spelled for q in asked}
                skips += unaskable
            except EyechartError as error:
                failures[name] = error
        if not facts:
            raise next(iter(failures.values()))
        records.append(closing_unit(folder, records, datasets, store.notices, decoding))

    skips += [Skip(name, d.name, p.name, str(error)) for name, error in failures.items() for d in datasets for p in probes]
    protocol = {
        "eyechart": __version__,
        "protocols": protocols,
        "models": facts,
        "datasets": {c.dataset.name: _about(c) for c in collections},
        "probes": {probe.name: spelled_probe(probe) for probe in probes},
        "environment": environment(),
    }
    folder.assemble(records, skips, protocol)
    write_report(out)
    return Examination(out, failures)


def default_out(plan: Plan) -> Path:
    """exams/MODEL--DATA for a plan of one of each."""
    model, data = plan.models[0], plan.datasets[0]
    return Path("exams") / f"{slug(model_name(model))}--{slug(data.name or data.source.rstrip('/'))}"


def model_name(entry: ModelPlan) -> str:
    """What the findings call a model: its given name, else how it was asked for, without the folders that lead to it."""
    if entry.name:
        return entry.name
    prefix, _, rest = entry.spec.partition(":")
    if not rest:
        return prefix
    return f"{prefix}:{Path(rest).absolute().name}" if Path(rest).exists() else entry.spec


def open_data(entry: DataPlan, *, seed: int) -> Dataset:
    if entry.source == "demo:":
        if entry.classes or entry.limit or entry.split or entry.columns or entry.root:
            raise UsageError("the demo pictures are taken as they are; leave out classes, limit, split, columns and root")
        return demo_pictures() if entry.name is None else replace(demo_pictures(), name=entry.name)
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


def _open_models(plan: Plan, store: Store) -> tuple[dict[str, Model], dict[str, EyechartError]]:
    """The models by name, and those that cannot be opened: one bad model does not keep the others from being examined."""
    models: dict[str, Model] = {}
    failures: dict[str, EyechartError] = {}
    for entry in plan.models:
        name = model_name(entry)
        if name in models or name in failures:
            raise UsageError(f"two models of the plan are called {name!r}; give one of them another name")
        try:
            models[name] = open_model(entry.spec, hashes=store.hashes, device=entry.device, precision=entry.precision)
        except EyechartError as error:
            failures[name] = error
    if not models:
        raise next(iter(failures.values()))
    return models, failures


def _open_datasets(plan: Plan) -> list[Dataset]:
    datasets = [open_data(entry, seed=plan.seed) for entry in plan.datasets]
    names = [d.name for d in datasets]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(f"two datasets of the plan are called {name!r}; give one of them another name")
    return datasets


def _prompts(entry: DataPlan) -> tuple[PromptSet, ...] | None:
    return None if entry.prompts is None else tuple(load_prompts(p) for p in entry.prompts)


def _about(collection: Collection) -> dict[str, Any]:
    dataset = collection.dataset
    return {
        "n": len(dataset),
        "classes": len(dataset.classes) if dataset.classes else 0,
        "class_list": dataset.classes.source if dataset.classes else None,
        "reader": dataset.reader,
        "fingerprint": collection.fingerprint,
    }
