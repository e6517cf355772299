"""Datasets that an examination makes itself, in memory: corrupted copies of labeled pictures, and out-of-distribution pictures.

So robustness and OOD detection are measured on any labeled folder. What the plan gives comes first: own corrupted or
out-of-distribution pictures replace those made here.
"""

from collections.abc import Sequence

from eyechart.corruptions.copies import CorruptionSettings, corrupted_copies
from eyechart.corruptions.request import USUAL, CorruptionRequest, parse_requests
from eyechart.data.dataset import Dataset
from eyechart.data.picture import Decoding
from eyechart.data.severity import COLUMN as SEVERITY
from eyechart.errors import UsageError
from eyechart.notice import counted
from eyechart.plan import Plan
from eyechart.session.probe_choice import ProbeChoice

# Copies cost at most about as much as the dataset itself: a quarter of its pictures under each of four corruptions. Fewer than
# 100 pictures would leave the intervals too wide, more than 500 would make them hardly narrower.
LEAST_COPIED, MOST_COPIED, COPIED_SHARE = 100, 500, 0.25
CORRUPTED_SIDE = 256  # pixels of the shorter side: a model sees about as many, and would average noise on larger ones away
LEAST_OOD, MOST_OOD = 50, 200  # generated pictures: as many as the dataset has, within these limits


def default_companions(plan: Plan, datasets: Sequence[Dataset], choice: ProbeChoice, decoding: Decoding) -> list[Dataset]:
    """The datasets that are made for the probes of each examined dataset."""
    exams = [d for d in datasets if d.role == "exam" and d.classes is not None and d.reader.get("kind") != "world"]
    made = []
    for dataset in exams:
        wanted = choice.companions_for(dataset.name)
        theirs = [d for d in datasets if d is dataset or (d.role != "exam" and d.of in (None, dataset.name))]
        if "corruptions" in wanted and (requests := _corruptions(plan, dataset, theirs)):
            made.append(_corrupted(dataset, requests, plan.seed, decoding))
        if "ood" in wanted and _wants_ood(plan, theirs):
            prefix = f"{dataset.name}: " if len(exams) > 1 else ""
            made.append(_far_ood(dataset, f"{prefix}generated pictures (easy, far OOD)", plan.seed))
    _check_made(plan, made)
    return made


def check_companions(plan: Plan) -> None:
    """Check the plan's corruptions before any work begins."""
    parse_requests(plan.corruptions or ())


def refuse_companions(plan: Plan) -> None:
    """UsageError where the plan asks for pictures to be made, for models that have vectors of given pictures alone."""
    for what, wanted in (("corruptions", bool(plan.corruptions)), ("default OOD", plan.default_ood)):
        if wanted:
            raise UsageError(
                f"{what}: no model of this run can encode new pictures; add their vectors to the model's file and name "
                "the pictures with --shift or --ood"
            )


def companions_line(made: Sequence[Dataset]) -> str:
    """What was made, in one line."""
    parts = []
    for dataset in made:
        if dataset.role == "shift":
            of = f"{counted(dataset.reader['sample'], 'picture')} of {dataset.of}"
            parts.append(f"{of} under {', '.join(dataset.reader['corruptions'])} (--no-corruptions leaves them out)")
        else:
            parts.append(f"{counted(len(dataset), 'generated picture')}, an easy, far OOD set (--no-ood leaves it out)")
    return f"made to compare with: {'; '.join(parts)}"


def _check_made(plan: Plan, made: Sequence[Dataset]) -> None:
    """UsageError where the plan asks for something that was not made, since nothing would be compared with it."""
    made_for = {d.role for d in made}
    asked = {"shift": ("corruptions", "corruption", bool(plan.corruptions)), "ood": ("default OOD", "ood", plan.default_ood)}
    for role, (what, probe, wanted) in asked.items():
        if wanted and role not in made_for:
            raise UsageError(
                f"{what}: no dataset of this run can be compared with them; that needs a dataset with labels, not of the "
                f"embedded world, and the probe {probe} (--profile classify)"
            )


def _corruptions(plan: Plan, dataset: Dataset, theirs: Sequence[Dataset]) -> tuple[CorruptionRequest, ...]:
    if not dataset.has("label"):
        return ()
    if plan.corruptions is not None:
        return parse_requests(plan.corruptions)
    return () if any(d.has(SEVERITY) for d in theirs) else USUAL


def _wants_ood(plan: Plan, theirs: Sequence[Dataset]) -> bool:
    if plan.default_ood is not None:
        return plan.default_ood
    return not any(d.role == "ood" or d.has("attr.kind") for d in theirs)


def _corrupted(dataset: Dataset, requests: Sequence[CorruptionRequest], seed: int, decoding: Decoding) -> Dataset:
    size = min(MOST_COPIED, max(LEAST_COPIED, int(len(dataset) * COPIED_SHARE)))
    settings = CorruptionSettings(size=CORRUPTED_SIDE, seed=seed)
    name = f"{dataset.name}: corrupted copies"
    return corrupted_copies(dataset, requests, name=name, size=size, settings=settings, decoding=decoding)


def _far_ood(dataset: Dataset, name: str, seed: int) -> Dataset:
    from eyechart.world.datasets.far_ood import far_ood  # the renderer takes a while to load

    assert dataset.classes is not None
    n = min(MOST_OOD, max(LEAST_OOD, len(dataset)))
    return far_ood(dataset.classes, n, name=name, of=dataset.name, seed=seed)
