"""The examination: from a plan to findings, exhibits and a page. The one file that knows all rooms; it reads top to bottom."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

from eyechart import __version__
from eyechart.data.picture import Decoding
from eyechart.encode.engine import Engine
from eyechart.encode.local import LocalEngine
from eyechart.environment import environment
from eyechart.examination import Examination
from eyechart.findings.run_folder import Record, RunFolder
from eyechart.findings.skip import Skip
from eyechart.inputs import Classes, Sources, class_list, companions, default_out, open_datasets, open_models
from eyechart.models.abilities import has_members
from eyechart.plan import DataPlan, ModelPlan, Plan, model_name
from eyechart.progress import Progress, SilentProgress
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet
from eyechart.report.page import write_report
from eyechart.run_lock import only_writer
from eyechart.sitting.collection import Collection, collect
from eyechart.sitting.convening import convene
from eyechart.sitting.digest import digest
from eyechart.sitting.interview import interview_by_dataset
from eyechart.sitting.overview import closing_unit, spelled
from eyechart.sitting.questions import check_plan, questions, settings_of, spelled_across, spelled_probe
from eyechart.sitting.sitting import Sitting
from eyechart.store.store import Store
from eyechart.whole_world import with_whole_world
from eyechart.world.datasets.registry import WORLD


def examine(
    model: str,
    data: str | Path = WORLD,
    *,
    classes: Classes | None = None,
    shifts: Sources = (),
    ood: Sources = (),
    targets: Sources = (),
    prompts: str | Sequence[str] | None = None,
    probes: Sequence[str] | None = None,
    out: str | Path | None = None,
    name: str | None = None,
    model_name: str | None = None,
    split: str | None = None,
    root: str | Path | None = None,
    columns: Mapping[str, str] | None = None,
    limit: int | None = None,
    device: str = "cpu",
    precision: str = "float32",
    exif: str = "apply",
    alpha: str = "drop",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    seed: int = 0,
    store: Store | str | Path | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Examination:
    """Examine one model on one dataset: every question that can be asked, or those in `probes`. Without a dataset, on small
    samples of all sets of the embedded world.

    shifts: datasets of the same classes under other conditions, [source, …] or {name: source, …}.
    ood: datasets of pictures that show none of the classes, given likewise.
    targets: datasets of pictures of one thing each, which the things of scenes are looked for among. A `limit` holds for each
    dataset.
    """
    plan = Plan(
        models=(ModelPlan(model, name=model_name, device=device, precision=precision),),
        datasets=(
            DataPlan(
                str(data),
                name=name,
                classes=class_list(classes),
                split=split,
                root=None if root is None else str(root),
                limit=limit,
                columns=columns or {},
            ),
            *companions(shifts, "shift", limit),
            *companions(ood, "ood", limit),
            *companions(targets, "targets", limit),
        ),
        probes=None if probes is None else tuple(probes),
        prompts=(prompts,) if isinstance(prompts, str) else None if prompts is None else tuple(prompts),
        settings=settings or {},
        exif=exif,
        alpha=alpha,
        seed=seed,
    )
    return run(plan, out=out or default_out(plan), store=store, engine=engine, progress=progress)


def run(
    plan: Plan,
    *,
    out: str | Path,
    store: Store | str | Path | None = None,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> Examination:
    """Ask every model of a plan every question about every dataset. What is known already is not computed again."""
    progress, engine, out = progress or SilentProgress(), engine or LocalEngine(), Path(out)
    plan = with_whole_world(plan)
    probes = check_plan(plan)
    decoding = Decoding(exif=plan.exif, alpha=plan.alpha)  # type: ignore[arg-type]
    with ExitStack() as stack:
        if not isinstance(store, Store):
            store = stack.enter_context(closing(Store(None if store is None else Path(store))))
        models, failures = open_models(plan, store.hashes)
        datasets = open_datasets(plan)
        folder = stack.enter_context(only_writer(RunFolder(out)))

        # Precomputed vectors need no picture files, so their datasets are known by ids alone, whatever models stand beside.
        collected: dict[bool, list[Collection]] = {}
        records: list[Record] = []
        skips: list[Skip] = []
        protocols, facts = {digest(spelled(decoding)): spelled(decoding)}, {}
        for entry in plan.models:
            name = model_name(entry)
            if name in failures:
                skips += [Skip(name, d.name, p.name, str(failures[name])) for d in datasets for p in probes if not p.across]
                continue
            model = models[name]
            reads = has_members(model, "encode_images")
            if reads not in collected:
                collected[reads] = [
                    collect(dataset, _prompts(of), store.hashes, progress, pictures=reads)
                    for of, dataset in zip(plan.datasets, datasets, strict=True)
                ]
            sitting = Sitting(
                name,
                model,
                store=store,
                engine=engine,
                decoding=decoding,
                progress=progress,
                made_with={"device": entry.device, "precision": entry.precision, "batch_size": engine.batch_size},
            )
            asked, unaskable = questions(plan, probes, sitting, collected[reads], decoding)
            answered, failed = interview_by_dataset(sitting, asked, folder, decoding, progress)
            records += answered
            skips += unaskable
            for dataset_name, error in failed.items():
                failures[f"{name} on {dataset_name}"] = error
                known = {r.unit.probe for r in answered if r.unit.dataset == dataset_name}
                skips += [Skip(name, dataset_name, p.name, str(error)) for p in probes if p.name not in known and not p.across]
            if answered or not failed:
                facts[name] = sitting.facts()
            protocols |= {q.protocol: q.spelled for q in asked}
        if not facts:
            raise next(iter(failures.values()))
        cards = {name: models[name].card for name in facts}
        across = convene(plan, probes, cards, datasets, records, folder)
        records += across
        protocols |= {digest(s): s for p in probes if p.across and across for s in [spelled_across(p, settings_of(p, plan))]}
        fresh = sum(r.fresh for r in records)
        records.append(closing_unit(folder, records, datasets, store.notices, decoding))

        protocol = {
            "eyechart": __version__,
            "protocols": protocols,
            "models": facts,
            "datasets": {c.dataset.name: _about(c) for c in collected[max(collected)]},
            "probes": {probe.name: spelled_probe(probe) for probe in probes},
            "environment": environment(),
        }
        folder.assemble(records, skips, protocol)
        write_report(out)
    return Examination(out, failures, fresh)


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
        "role": dataset.role,
        "of": dataset.of,
        "benchmark": dataset.benchmark,
    }
