"""The examination: from a plan to findings, exhibits and a page. It reads top to bottom; `exam_work.py` has the work itself."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eyechart.encode.engine import Engine
from eyechart.encode.local import LocalEngine
from eyechart.errors import EyechartError
from eyechart.examination import Examination
from eyechart.findings.run import read_run
from eyechart.findings.run_folder import RunFolder
from eyechart.findings.run_lock import only_writer
from eyechart.findings.run_progress import recorded_progress
from eyechart.finished_run import finished_run, write_receipt
from eyechart.inputs import Classes, Sources, class_list, companions, default_out, with_whole_world
from eyechart.notice import shortened
from eyechart.plan import DataPlan, ModelPlan, Plan, model_name
from eyechart.progress import Progress, SilentProgress
from eyechart.report.page_stamp import is_written, write_stamp
from eyechart.store.known_runs import remember_run
from eyechart.store.store import Store
from eyechart.world.datasets.registry import WORLD

if TYPE_CHECKING:  # they load all probes, which a finished plan does not need
    from eyechart.clusters.engine import ShardEngine
    from eyechart.exam_inputs import ExamInputs
    from eyechart.probes.contract import Probe
    from eyechart.session.cost import DryRun


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
    engine: "str | Engine | ShardEngine | None" = None,
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
    engine: "str | Engine | ShardEngine | None" = None,
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
    progress = progress or SilentProgress()
    if isinstance(engine, str):
        from eyechart.clusters.choice import engine_of

        engine = engine_of(engine)
    if finished_run(plan, Path(out), store, progress):
        return Examination(out)
    from eyechart.clusters.engine import ShardEngine
    from eyechart.companions import check_companions, companions_line
    from eyechart.exam_inputs import ExamInputs
    from eyechart.exam_work import ExamWork
    from eyechart.session.probe_tasks import check_plan

    check_plan(plan)
    check_companions(plan)
    with ExitStack() as stack:
        if not isinstance(store, Store):
            store = stack.enter_context(closing(Store(store)))
        inputs = ExamInputs.open(plan, store.hashes, progress)
        choice = inputs.choose(plan)
        check_targets(choice.probes, plan)
        folder = stack.enter_context(only_writer(RunFolder(Path(out))))
        remember_run(store.path, folder.path)
        shown = stack.enter_context(recorded_progress(progress, folder.path))
        chosen = engine or LocalEngine()
        bound = chosen.bind(plan, inputs) if isinstance(chosen, ShardEngine) else chosen
        work = ExamWork(plan, choice, inputs, folder, store, bound, shown)
        lines = [choice.sentence(len(plan.models)), *([companions_line(inputs.made)] if inputs.made else [])]
        for line in (*_replaced(folder.path, plan, inputs), *lines):
            work.progress.line(line)
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
        if work.lasting:
            write_receipt(plan, folder.path, store, inputs.models, work.keyed, lines)
    return Examination(folder.path, inputs.failures, work.fresh, results)


def dry_run(
    plan: Plan, *, out: str | Path, store: Store | str | Path | None = None, progress: Progress | None = None
) -> "DryRun":
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
    from eyechart.companions import check_companions
    from eyechart.exam_inputs import ExamInputs
    from eyechart.exam_work import ExamWork
    from eyechart.session.cost import DryRun
    from eyechart.session.probe_tasks import check_plan

    plan = with_whole_world(plan)
    check_plan(plan)
    check_companions(plan)
    with ExitStack() as stack:
        if not isinstance(store, Store):
            store = stack.enter_context(closing(Store(store, read_only=True)))
        inputs = ExamInputs.open(plan, store.hashes)
        choice = inputs.choose(plan)
        check_targets(choice.probes, plan)
        work = ExamWork(plan, choice, inputs, RunFolder(Path(out)), store, LocalEngine(), progress or SilentProgress())
        found = [work.cost_of_model(entry) for entry in plan.models if model_name(entry) not in inputs.failures]
    return DryRun(
        choice.sentence(len(plan.models)),
        tuple(cost for costs, _ in found for cost in costs),
        tuple(total for _, total in found),
        tuple(work.skips),
        inputs.failures,
    )


def _listed(names: str | Sequence[str] | None) -> tuple[str, ...] | None:
    """One name, or several, as a plan has them."""
    return None if names is None else (names,) if isinstance(names, str) else tuple(names)


def _replaced(folder: Path, plan: Plan, inputs: "ExamInputs") -> list[str]:
    """A line about finished results in the folder that are not of this plan; none where there are no such results."""
    if not (folder / "findings.parquet").is_file():
        return []
    try:
        old = read_run(folder)
    except EyechartError:  # damaged results are computed again
        return []
    gone = [name for name in old.models if name not in map(model_name, plan.models)]
    known = {dataset.name for dataset in (*inputs.datasets, *inputs.made)}
    missing = [name for name in old.datasets if name not in known and name not in old.companions]
    if not gone and not missing:
        return []
    held = f"{shortened(list(old.models))} on {shortened([name for name in old.datasets if name not in old.companions])}"
    return [f"note: {folder} held the results of {held}, which are replaced; give another --out to keep both"]


def check_targets(probes: "Iterable[Probe]", plan: Plan) -> None:
    """UsageError where a target names no metric of these probes, or none that can have a target."""
    from eyechart.verdict.targets import judged_metrics

    judged_metrics([(probe.name, metric) for probe in probes for metric in probe.metrics], plan.targets)
