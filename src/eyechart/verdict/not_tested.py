"""Areas about which nothing was measured, and the command that would test them."""

import shlex
from collections.abc import Collection, Iterator, Mapping, Sequence

from eyechart.findings.metric import LEAST_N, Area
from eyechart.findings.run import Run
from eyechart.verdict.ruling import Ruling

_LABELLED = "--data FOLDER  # one subfolder for each class"
_CLASSIFY = "--profile classify"  # accuracy, calibration, corrupted copies and a default OOD set
_STATED = "--probes verbal_confidence"
_MORE = f"--data FOLDER  # two classes or more, {LEAST_N} labeled pictures or more"
_MORE_OOD = f"--ood FOLDER  # {LEAST_N} pictures or more"
_FEW_ID, _FEW_OOD = "in-distribution pictures, and", "out-of-distribution pictures, and"  # in the reason of the probe `ood`
# For the areas that concern everybody: what to say where nothing was measured, and what to give to `eyechart examine`. The other
# areas are mentioned only where something was measured.
HOW_TO_TEST: dict[Area, tuple[str, str]] = {
    "accuracy": ("Accuracy was not tested", _LABELLED),
    "worst classes": ("The accuracy of single classes was not tested", _LABELLED),
    "groups": (
        "Differences between groups were not tested",
        "--data TABLE.csv  # with a group column",
    ),
    "robustness": ("Robustness was not tested", "--shift FOLDER"),
    "out-of-distribution": ("Out-of-distribution detection was not tested", "--ood FOLDER"),
    "calibration": ("Calibration was not tested", "--probes calibration"),
}
# The embedded world has datasets of its own for these areas.
_OF_THE_WORLD: dict[Area, str] = {"robustness": "--data world-shifts", "out-of-distribution": "--data world-ood"}
# How a reason begins that lies in the model: no other data would help.
_OF_THE_MODEL = ("it has no ", "it gives no ", "it does not ", "it is a ")
_NO_LABELS = "the dataset has no labels"
# The probes of an area, where a run was told to leave them out and does not know them.
_PROBES_OF: dict[Area, tuple[str, ...]] = {
    "accuracy": ("zero_shot", "answers"),
    "worst classes": ("zero_shot", "worst"),
    "robustness": ("corruption", "shift"),
    "out-of-distribution": ("ood",),
    "calibration": ("calibration",),
}
# The probe whose documentation explains what would be tested.
PROBE_TO_READ: dict[Area, str] = {
    "accuracy": "zero_shot",
    "worst classes": "zero_shot",
    "groups": "skew",
    "robustness": "corruption",
    "out-of-distribution": "ood",
    "calibration": "calibration",
}
# What a model behind a chat server cannot be asked: it has no class scores.
_BY_CLASS_SCORES: tuple[Area, ...] = ("worst classes", "groups", "robustness")
# With one class every prediction is correct, whatever the pictures are compared with.
_COMPARES_CLASSES: tuple[Area, ...] = ("accuracy", "worst classes", "robustness", "out-of-distribution", "calibration")


def not_tested(run: Run, model: str, dataset: str | None, tested: Collection[Area]) -> Iterator[Ruling]:
    """A ruling for each main area that has none, with the reason and the command."""
    for area, (sentence, _) in HOW_TO_TEST.items():
        if area not in tested:
            reason = _reason(run, model, dataset, area)
            said = f"{sentence}: {reason}." if reason else f"{sentence}."
            yield Ruling(area, "not tested", said, remedy=next(iter(commands_for(run, model, dataset, [area])), ""))


def commands_for(run: Run, model: str, dataset: str | None, areas: Sequence[Area]) -> list[str]:
    """The commands that would test these areas: one for all that need more flags, and one for those that need other data.

    Where the model lacks what the probes of an area need, no command would help, and there is none."""
    testable = (area for area in areas if not _reason(run, model, dataset, area).startswith(_OF_THE_MODEL))
    tried = {s["probe"] for s in run.skips.to_pylist() if s["model"] == model}
    stated = _in_words_alone(run, model) and "verbal_confidence" in tried
    testable = (area for area in testable if not (area == "calibration" and stated))
    added = list(dict.fromkeys(_needed(run, model, dataset, area) for area in testable))
    start = f"eyechart examine --model {shlex.quote(str(run.model_facts(model).get('spec') or model))}"
    flags = [text.partition("  # ") for text in added if not text.startswith("--data")]
    same = []
    if flags:
        notes = "; ".join(note for _, _, note in flags if note)
        given = [flag for flag, _, _ in flags]
        line = " ".join([start, "--data", shlex.quote(_source(run, dataset)), *_opened_with(run, dataset), *given])
        same = [f"{line}  # {notes}" if notes else line]
    return [*same, *(f"{start} {text}" for text in added if text.startswith("--data"))]


def _needed(run: Run, model: str, dataset: str | None, area: Area) -> str:
    """What to give to `eyechart examine`. To ask for a probe again that these data do not suffice for would change nothing."""
    needed = HOW_TO_TEST[area][1]
    if area == "calibration" and _in_words_alone(run, model):
        return _STATED
    exams = [dataset] if dataset else [name for name in run.datasets if name not in run.companions]
    if area in _COMPARES_CLASSES and exams and all(run.dataset_facts(name).get("classes") == 1 for name in exams):
        return _MORE
    if area in _COMPARES_CLASSES and (_without_labels(run, exams) or _reason(run, model, dataset, area).startswith(_NO_LABELS)):
        return _LABELLED
    if area in _COMPARES_CLASSES and exams and not _asked(run, model, area) and all(_has_classes(run, name) for name in exams):
        return _CLASSIFY
    if area in _OF_THE_WORLD and exams and all(_of_the_world(run, name) for name in exams):
        return _OF_THE_WORLD[area]
    skipped = dict(_skipped(run, model, dataset))
    if area == "robustness" and _backend(run, model) == "predictions":
        return f"{needed}  # with rows for its pictures in the file of predictions"
    if area == "out-of-distribution":
        reason = skipped.get("ood", "")
        return _MORE_OOD if _FEW_OOD in reason else _MORE if _FEW_ID in reason else needed
    return _MORE if needed.removeprefix("--probes ") in skipped else needed


def _asked(run: Run, model: str, area: Area) -> bool:
    """Whether a probe of the area was run, or was skipped: to name the profile again would change nothing."""
    probes = _probes_of(run, area) | set(_PROBES_OF.get(area, ()))
    tried = {s["probe"] for s in run.skips.to_pylist() if s["model"] == model}
    found = run.findings.select(["model", "probe"]).group_by(["model", "probe"]).aggregate([]).to_pylist()
    return bool(probes & (tried | {row["probe"] for row in found if row["model"] == model}))


def _probes_of(run: Run, area: Area) -> set[str]:
    return {probe for probe, metric in run.metrics() if metric.limits is not None and metric.limits.area == area}


def _without_labels(run: Run, exams: Sequence[str]) -> bool:
    """Whether the run says that no examined dataset has labels."""
    return bool(exams) and all(run.dataset_facts(name).get("labelled") is False for name in exams)


def _of_the_world(run: Run, dataset: str) -> bool:
    reader = run.dataset_facts(dataset).get("reader")
    return isinstance(reader, Mapping) and reader.get("kind") == "world"


def _has_classes(run: Run, dataset: str) -> bool:
    count = run.dataset_facts(dataset).get("classes")
    return isinstance(count, int) and count > 1


def _source(run: Run, dataset: str | None) -> str:
    exams = [name for name in run.datasets if name not in run.companions]
    name = dataset or (exams[0] if len(exams) == 1 else None)
    return str(run.dataset_facts(name).get("source") or name) if name else "DATA"


def _opened_with(run: Run, dataset: str | None) -> list[str]:
    """The flags with which the dataset was opened, without which the same data could not be read again."""
    exams = [name for name in run.datasets if name not in run.companions]
    name = dataset or (exams[0] if len(exams) == 1 else None)
    record = run.dataset_facts(name).get("opened_with") if name else None
    if not isinstance(record, Mapping):
        return []
    given = {flag: record.get(flag) for flag in ("classes", "split", "root")}
    flags = [part for flag, value in given.items() if isinstance(value, str) for part in (f"--{flag}", shlex.quote(value))]
    columns = record.get("columns")
    for role, column in columns.items() if isinstance(columns, Mapping) else ():
        flags += ["--column", shlex.quote(f"{role}={column}")]
    return [*flags, *(["--limit", str(record["limit"])] if isinstance(record.get("limit"), int) else [])]


def _reason(run: Run, model: str, dataset: str | None, area: Area) -> str:
    """Why the probes of an area were skipped on the examined data, where they all were for one reason."""
    stated = area == "calibration" and _in_words_alone(run, model)
    probes = {"verbal_confidence"} if stated else _probes_of(run, area)
    reasons = {reason for probe, reason in _skipped(run, model, dataset) if probe in probes}
    if len(reasons) == 1:
        return str(reasons.pop()).rstrip(".")
    return "it gives no log-likelihoods of answers" if _in_words_alone(run, model) and area in _BY_CLASS_SCORES else ""


def _skipped(run: Run, model: str, dataset: str | None) -> Iterator[tuple[str, str]]:
    """(probe, reason) of every skip on this dataset, or on the examined ones. What a companion lacks is no reason."""
    for skip in run.skips.to_pylist():
        if skip["model"] == model and (skip["dataset"] == dataset if dataset else skip["dataset"] not in run.companions):
            yield skip["probe"], skip["reason"]


def _in_words_alone(run: Run, model: str) -> bool:
    """Whether the model is behind a chat server, which gives no scores."""
    return _backend(run, model) == "chat"


def _backend(run: Run, model: str) -> str | None:
    card = run.model_facts(model).get("card")
    return card.get("backend") if isinstance(card, dict) else None
