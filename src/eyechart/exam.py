"""The examination: from a plan to findings, exhibits and a page. It imports every package and reads top to bottom."""

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from eyechart import __version__
from eyechart.clusters.choice import engine_of
from eyechart.clusters.engine import ShardEngine
from eyechart.companions import check_companions, companions_line
from eyechart.data.picture import Decoding
from eyechart.dataset_facts import dataset_facts
from eyechart.encode.engine import Engine
from eyechart.encode.local import LocalEngine
from eyechart.errors import EyechartError
from eyechart.exam_inputs import ExamInputs, decoding_of
from eyechart.examination import Examination
from eyechart.findings.run import read_run
from eyechart.findings.run_folder import Record, RunFolder
from eyechart.findings.run_lock import only_writer
from eyechart.findings.run_progress import recorded_progress
from eyechart.findings.skip import Skip
from eyechart.inputs import Classes, Sources, class_list, companions, default_out, with_whole_world
from eyechart.models.abilities import has_members
from eyechart.models.card import ModelCard
from eyechart.models.encoder import Model
from eyechart.plan import DataPlan, ModelPlan, Plan, model_name
from eyechart.progress import Progress, SilentProgress
from eyechart.prompts.library import load_prompts
from eyechart.prompts.prompt_set import PromptSet
from eyechart.reopening import place_of_model
from eyechart.report.page_stamp import is_written, write_stamp
from eyechart.session.cost import DatasetCost, DryRun, cost_of
from eyechart.session.cross_model import run_cross_model
from eyechart.session.environment import environment
from eyechart.session.exam_records import exam_protocol, write_notices_and_thumbnails
from eyechart.session.keyed_dataset import KeyedDataset, key_dataset
from eyechart.session.pending import datasets_of, pending_work
from eyechart.session.probe_choice import ProbeChoice, unusable_probes
from eyechart.session.probe_tasks import check_plan, cross_model_protocol, probe_protocol, probe_tasks, settings_of
from eyechart.session.run_probes import run_probes_by_dataset
from eyechart.session.session import Session
from eyechart.session.stable_hash import stable_hash
from eyechart.store.known_runs import remember_run
from eyechart.store.store import Store
from eyechart.verdict.targets import judged_metrics
from eyechart.world.datasets.registry import WORLD


def examine(
    model: str,
    data: str | Path = WORLD,
    *,
    classes: Classes | None = None,
    shifts: Sources = (),
    ood: Sources = (),
    corruptions: str | Sequence[str] | None = None,
    default_ood: bool | None = None,
    identify: bool = False,
    gallery: Sources = (),
    prompts: str | Sequence[str] | None = None,
    probes: Sequence[str] | None = None,
    profile: str | Sequence[str] | None = None,
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
    store_precision: str = "float32",
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    targets: Mapping[str, float] | None = None,
    seed: int = 0,
    store: Store | str | Path | None = None,
    engine: str | Engine | ShardEngine | None = None,
    progress: Progress | None = None,
) -> Examination:
    """Examine one model on one dataset, with the probes that suit the dataset, or those of `profile` or `probes`.

    Args:
        model: A model, as `eyechart models` lists them: "open_clip:ViT-B-32/openai", "onnx:FOLDER", "demo:".
        data: A dataset, as `eyechart datasets` lists them: a folder, a table, a published set. By default small samples of all
            sets of the embedded world.
        classes: Class names: a file, a named list, a list of names, or {label: name} and {label: [name, synonym]}.
        shifts: Datasets of the same classes under other conditions: a list, or {name: source}.
        ood: Datasets of pictures that show none of the classes, in the same form.
        corruptions: Corruptions under which a sample of labeled pictures is copied in memory: "noise:3, fog:1". By default four
            at severity 3, unless there are corrupted pictures; [] for none.
        default_ood: Whether to compare with generated out-of-distribution pictures (an easy, far OOD set); by default where there
            are no others.
        identify: Whether to classify by labels even where the dataset identifies people (a column identity, person_name or
            celebrity). By default nobody is recognized.
        gallery: Datasets of pictures of one object each, from which the objects of scenes are retrieved.
        prompts: Prompt sets, by name or file; the first is the one that the verdict uses.
        probes: The probes to run; those of `profile` by default.
        profile: One or several lists of probes: "classify", "retrieval", "audit", "objects", "paper", "answers", "all". By
            default those that suit data and model: labels → classify, captions → retrieval, attributes of people → audit,
            objects → objects, a model that answers in words → answers.
        out: The folder for the results; exams/MODEL--DATA by default.
        name: What the findings call the dataset.
        model_name: What the findings call the model.
        split: Split of a Hugging Face dataset, or of a folder of splits.
        root: The folder that paths in a table start from.
        columns: Which column of a table has which role, e.g. {"label": "species"}.
        limit: At most this many pictures of each dataset, sampled with the seed.
        device: "cpu", "cuda", "mps".
        precision: "float32", "float16", "bfloat16".
        exif: "apply" turns pictures upright, "ignore" leaves them as they are stored.
        alpha: What transparent pixels become: "drop", "white", "black".
        store_precision: "float16" keeps picture vectors in half precision, at half the size.
        settings: Settings of probes: {probe: {setting: value}}.
        targets: Limits of the verdict in place of the default ones: {"top1": 0.8}.
        seed: The seed of every random choice.
        store: Where vectors are kept; the user's cache folder by default.
        engine: Where pictures are encoded: in this process by default, "local:4" for four worker processes, "ray" or
            "ray:ADDRESS" for a Ray cluster, or an engine of your own.
        progress: Where progress is shown; nowhere by default.

    Returns:
        The results.

    Raises:
        EyechartError: If a name, file or setting is wrong, or if the model cannot be examined.

    Example:
        >>> import eyechart
        >>> exam = eyechart.examine("demo:", "world-objects", limit=36, probes=["zero_shot"], out="exams/demo")
        >>> [row["n"] for row in exam.findings.to_pylist() if row["metric"] == "top1"]
        [36]
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
            *companions(gallery, "gallery", limit),
        ),
        probes=None if probes is None else tuple(probes),
        profile=_listed(profile),
        prompts=_listed(prompts),
        settings=settings or {},
        targets=targets or {},
        exif=exif,
        alpha=alpha,
        store_precision=store_precision,
        seed=seed,
        corruptions=_listed(corruptions),
        default_ood=default_ood,
        identify=identify,
    )
    return run(plan, out=out or default_out(plan), store=store, engine=engine, progress=progress)


def run(
    plan: Plan,
    *,
    out: str | Path,
    store: Store | str | Path | None = None,
    engine: str | Engine | ShardEngine | None = None,
    progress: Progress | None = None,
) -> Examination:
    """Run every probe on every model and dataset of a plan. Answers and vectors that are stored are not computed again.

    Args:
        plan: What to run; `read_plan` reads one from a file.
        out: The folder for the results.
        store: Where vectors are kept; the user's cache folder by default.
        engine: Where pictures are encoded: in this process by default, "local:4" for four worker processes, "ray" or
            "ray:ADDRESS" for a Ray cluster, or an engine of your own.
        progress: Where progress is shown; nowhere by default.

    Returns:
        The results. Models that could not be examined are in `failures`.

    Raises:
        EyechartError: If the plan is wrong, or if no model could be examined.

    Example:
        >>> import eyechart
        >>> plan = eyechart.Plan(
        ...     models=(eyechart.ModelPlan("demo:"),),
        ...     datasets=(eyechart.DataPlan("world-objects", limit=36),),
        ...     probes=("zero_shot",),
        ... )
        >>> eyechart.run(plan, out="exams/plan").findings.num_rows > 0
        True
    """
    plan = with_whole_world(plan)
    check_plan(plan)
    check_companions(plan)
    with ExitStack() as stack:
        if not isinstance(store, Store):
            store = stack.enter_context(closing(Store(store)))
        inputs = ExamInputs.open(plan, store.hashes, progress)
        choice = inputs.choose(plan)
        judged_metrics([(p.name, m) for p in choice.probes for m in p.metrics], plan.targets)  # refuses wrong targets
        folder = stack.enter_context(only_writer(RunFolder(Path(out))))
        remember_run(store.path, folder.path)
        shown = stack.enter_context(recorded_progress(progress or SilentProgress(), folder.path))
        chosen = engine_of(engine) if isinstance(engine, str) else engine or LocalEngine()
        bound = chosen.bind(plan, inputs) if isinstance(chosen, ShardEngine) else chosen
        work = _Work(plan, choice, inputs, folder, store, bound, shown)
        work.progress.line(choice.sentence())
        if inputs.made:
            work.progress.line(companions_line(inputs.made))
        for entry in plan.models:
            work.run_model(entry)
        work.require_one_model()
        work.run_cross_model()
        work.write_results()
        results = read_run(folder.path)
        if not is_written(folder.path):
            from eyechart.report.page import write_report  # takes a while to load

            write_report(folder.path, results, shown)
            write_stamp(folder.path)
    return Examination(folder.path, inputs.failures, work.fresh, results)


def dry_run(plan: Plan, *, out: str | Path, store: Store | str | Path | None = None, progress: Progress | None = None) -> DryRun:
    """What `run` would do with the same arguments. Encodes nothing and writes nothing.

    Args:
        plan: What would be run.
        out: The folder for the results. Answers that it has already would not be computed again.
        store: Where vectors are kept; the user's cache folder by default.
        progress: Where progress is shown; nowhere by default.

    Returns:
        Pictures, texts and probes of every dataset, and about how long encoding takes.

    Raises:
        EyechartError: If the plan is wrong, or if no model can be opened.

    Example:
        >>> import eyechart
        >>> plan = eyechart.Plan((eyechart.ModelPlan("demo:"),), (eyechart.DataPlan("world-objects", limit=36),), ("zero_shot",))
        >>> [cost.cost.pictures for cost in eyechart.dry_run(plan, out="exams/new").datasets]
        [36]
    """
    plan = with_whole_world(plan)
    check_plan(plan)
    check_companions(plan)
    with ExitStack() as stack:
        if not isinstance(store, Store):
            store = stack.enter_context(closing(Store(store, read_only=True)))
        inputs = ExamInputs.open(plan, store.hashes)
        choice = inputs.choose(plan)
        work = _Work(plan, choice, inputs, RunFolder(Path(out)), store, LocalEngine(), progress or SilentProgress())
        found = [work.cost_of_model(entry) for entry in plan.models if model_name(entry) not in inputs.failures]
    return DryRun(
        choice.sentence(),
        tuple(cost for costs, _ in found for cost in costs),
        tuple(total for _, total in found),
        tuple(work.skips),
        inputs.failures,
    )


@dataclass
class _Work:
    """An examination under way: what it works with, and what it has found so far."""

    plan: Plan
    choice: ProbeChoice
    inputs: ExamInputs
    folder: RunFolder
    store: Store
    engine: Engine
    progress: Progress
    records: list[Record] = field(default_factory=list)
    skips: list[Skip] = field(default_factory=list)
    protocols: dict[str, dict[str, Any]] = field(default_factory=dict)
    facts: dict[str, dict[str, Any]] = field(default_factory=dict)
    fresh: int = 0
    _keyed: dict[bool, list[KeyedDataset]] = field(default_factory=dict)

    def run_model(self, entry: ModelPlan) -> None:
        """All probes that look at one model at a time."""
        name = model_name(entry)
        if name in self.inputs.failures:
            self.skips += self._failed(name, [d.name for d in self.inputs.datasets], self.inputs.failures[name], set())
            return
        session = self._session(name, entry)
        tasks, skips = probe_tasks(self.plan, self.choice, session, self._keyed_datasets(session.model), self.decoding)
        records, failed = run_probes_by_dataset(session, tasks, self.folder, self.decoding, self.progress)
        self.records += records
        self.skips += skips
        for dataset, error in failed.items():
            self.inputs.failures[f"{name} on {dataset}"] = error
            known = {r.unit.probe for r in records if r.unit.dataset == dataset}
            self.skips += self._failed(name, [dataset], error, known)
        if records or not failed:
            self.facts[name] = {**session.facts(), **place_of_model(entry.spec, self.folder.path)}
        self.protocols |= {task.protocol: task.protocol_dict for task in tasks}

    def cost_of_model(self, entry: ModelPlan) -> tuple[list[DatasetCost], str]:
        """What `run_model` would encode, by dataset and in all; probes that it would skip are added to `skips`."""
        name = model_name(entry)
        session = self._session(name, entry)
        keyed = self._keyed_datasets(session.model)
        tasks, skips = probe_tasks(self.plan, self.choice, session, keyed, self.decoding)
        self.skips += skips
        pending = pending_work(session, tasks, datasets_of(tasks), self.folder, self.decoding)
        rows = []
        for of in keyed:
            mine = [t for t in pending.tasks if t.keyed is of]
            known = [t.probe.name for t in tasks if t.keyed is of and t.unit in pending.known]
            cost = cost_of(session, [of], {text for t in mine for text in t.texts}, mine)
            probes = tuple(t.probe.name for t in mine)
            rows.append(DatasetCost(name, of.dataset.name, of.dataset.role, cost, probes, tuple(known)))
        total = cost_of(session, list(pending.datasets.values()), pending.texts(), pending.tasks)
        return rows, f"{name}: {total.sentence(session.device)}"

    def require_one_model(self) -> None:
        """Raise the first failure where no model could be examined."""
        if not self.facts:
            raise next(iter(self.inputs.failures.values()))

    def run_cross_model(self) -> None:
        """The probes that compare models."""
        entries = {model_name(entry): entry for entry in self.plan.models}
        cards = {name: _stated(self.inputs.models[name].card, entries.get(name)) for name in self.facts}
        found = run_cross_model(self.plan, self.choice, cards, self.inputs.datasets, self.records, self.folder, self.progress)
        self.records += found
        if found:
            of_probes = [cross_model_protocol(p, settings_of(p, self.plan)) for p in self.choice.probes if p.across]
            self.protocols |= {stable_hash(content): content for content in of_probes}

    def write_results(self) -> None:
        """The tables that people read, from the records of the journal."""
        self.fresh = sum(record.fresh for record in self.records)
        datasets = [*self.inputs.datasets, *self.inputs.made]
        warnings = [*self.store.notices, *unusable_probes(self.plan)]
        last = write_notices_and_thumbnails(self.folder, self.records, datasets, warnings, self.decoding, self.progress)
        of_exam = exam_protocol(self.decoding)
        protocol = {
            "eyechart": __version__,
            "protocols": {stable_hash(of_exam): of_exam, **self.protocols},
            "models": self.facts,
            "datasets": {
                keyed.dataset.name: dataset_facts(keyed, self.plan, self.inputs.datasets, self.folder.path)
                for keyed in self._keyed[max(self._keyed)]
            },
            "targets": dict(self.plan.targets),
            "probes": {probe.name: probe_protocol(probe) for probe in self.choice.probes},
            "profiles": {name: list(profiles) for name, profiles in self.choice.profiles.items()},
            "environment": environment(),
        }
        self.folder.assemble([*self.records, last], self.skips, protocol)

    @cached_property
    def decoding(self) -> Decoding:
        return decoding_of(self.plan)

    def _session(self, name: str, entry: ModelPlan) -> Session:
        return Session(
            name,
            self.inputs.models[name],
            store=self.store,
            engine=self.engine,
            decoding=self.decoding,
            progress=self.progress,
            made_with={"device": entry.device, "precision": entry.precision, "batch_size": self.engine.batch_size},
            store_precision=self.plan.store_precision,
        )

    def _keyed_datasets(self, model: Model) -> list[KeyedDataset]:
        """The datasets with the content keys of their pictures. For precomputed vectors ids are enough: they need no files."""
        reads = has_members(model, "encode_images") or has_members(model, "answer")
        if reads not in self._keyed:
            opened = [(d, _prompts(e)) for e, d in zip(self.plan.datasets, self.inputs.datasets, strict=True)]
            made = [(d, None) for d in self.inputs.made if reads]  # precomputed vectors lack what is made here
            self._keyed[reads] = [
                key_dataset(dataset, prompts, self.store.hashes, self.progress, pictures=reads)
                for dataset, prompts in (*opened, *made)
            ]
        return self._keyed[reads]

    def _failed(self, model: str, datasets: Sequence[str], error: EyechartError, known: set[str]) -> list[Skip]:
        probes = [p for p in self.choice.probes if not p.across and p.name not in known]
        return [
            Skip(model, dataset, probe.name, str(error))
            for dataset in datasets
            for probe in probes
            if self.choice.includes(probe, dataset)
        ]


def _listed(names: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """One name, or several, as a plan has them."""
    return None if names is None else (names,) if isinstance(names, str) else tuple(names)


def _stated(card: ModelCard, entry: ModelPlan | None) -> ModelCard:
    """The card with what the plan says of the model's training."""
    if entry is None:
        return card
    return replace(card, run=entry.run or card.run, samples_seen=entry.samples_seen or card.samples_seen)


def _prompts(entry: DataPlan) -> tuple[PromptSet, ...] | None:
    return None if entry.prompts is None else tuple(load_prompts(p) for p in entry.prompts)
