"""Areas about which nothing was measured, and the command that would test them."""

import shlex
from collections.abc import Collection, Iterator
from pathlib import PurePath

from eyechart.findings.metric import Area
from eyechart.findings.run import Run
from eyechart.verdict.ruling import Ruling

# What to add to `eyechart examine --model M --data D`. Areas that are not listed concern few users, and are mentioned only where
# something was measured.
HOW_TO_TEST: dict[Area, tuple[str, str]] = {
    "accuracy": ("Accuracy was not tested", "--column label=COLUMN"),
    "worst classes": ("Single classes were not tested", "--column label=COLUMN"),
    "groups": ("Differences between groups were not tested", "--column attr.GROUP=COLUMN"),
    "robustness": ("Robustness was not tested", "--shift FOLDER"),
    "out-of-distribution": ("Out-of-distribution detection was not tested", "--ood FOLDER"),
    "calibration": ("Calibration was not tested", "--probes calibration"),
}


def not_tested(run: Run, model: str, dataset: str | None, tested: Collection[Area]) -> Iterator[Ruling]:
    """A ruling for each main area that has none, with the reason and the command."""
    command = _command(run, model, dataset)
    for area, (sentence, added) in HOW_TO_TEST.items():
        if area not in tested:
            reason = _reason(run, model, dataset, area)
            yield Ruling(area, "not tested", f"{sentence}: {reason}." if reason else f"{sentence}.", remedy=f"{command} {added}")


def _reason(run: Run, model: str, dataset: str | None, area: Area) -> str:
    """Why the probes of an area were skipped, where they all were for one reason."""
    probes = {probe for probe, metric in run.metrics() if metric.limits is not None and metric.limits.area == area}
    skips = [s for s in run.skips.to_pylist() if s["model"] == model and s["probe"] in probes]
    reasons = {s["reason"] for s in skips if dataset is None or s["dataset"] == dataset}
    return reasons.pop().rstrip(".") if len(reasons) == 1 else ""


def _command(run: Run, model: str, dataset: str | None) -> str:
    spec = str(run.model_facts(model).get("spec") or model)
    exams = [name for name in run.datasets if name not in run.companions]
    name = dataset or (exams[0] if len(exams) == 1 else None)
    source = str(run.dataset_facts(name).get("source") or name) if name else "DATA"
    # A folder of this machine is shown by its name alone.
    shown = PurePath(source).name if PurePath(source).is_absolute() else source
    return f"eyechart examine --model {shlex.quote(spec)} --data {shlex.quote(shown)}"
