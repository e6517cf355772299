"""Requests about class designs."""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from eyechart.errors import UsageError
from eyechart.files.atomic import write_text
from eyechart.workbench.design_answer import design_answer
from eyechart.workbench.design_desk import DesignDesk, finding_json
from eyechart.workbench.heat_maps import heat_kinds
from eyechart.workbench.live_design import LiveDesign, design_toml
from eyechart.workbench.looks import Looks
from eyechart.workbench.own_folder import writing_to
from eyechart.workbench.saved_classifier import live_classifier, with_card
from eyechart.workbench.saved_designs import PROMPTS, saved_designs
from eyechart.workbench.saved_files import output_file, read_tags
from eyechart.workbench.state import WorkbenchState, place_of
from eyechart.workbench.threshold_requests import thresholds_of

Body = Mapping[str, Any]


async def open_desk(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """A model on a dataset: the class lists to start from, and what the model can do."""
    run, model, dataset = place_of(body.get("at"))

    def work() -> dict[str, Any]:
        typed = body.get("classes")
        desk = state.desk(body.get("at")) if typed is None else state.open_typed(body.get("at"), typed)
        folder = state.catalog.entry(run).folder
        starts, notices = _starts(desk, folder)
        return {
            "starts": starts,
            "notices": notices,
            "n": len(desk.pictures.dataset),
            "labels": list(desk.label_names),
            "explored": len(desk.explore.rows),
            "held_out": len(desk.held_out.rows),
            "missing_labels": {"explored": desk.missing_labels(desk.explore), "held_out": desk.missing_labels(desk.held_out)},
            "looks": Looks(folder).count(model, dataset),
            "tags": len(read_tags(folder, dataset)),
            "maps": heat_kinds(desk.opened.model),
            "prompts": desk.opened.prompts(dataset).name,
            "has_probabilities": desk.opened.logits[0] is not None,
        }

    return await state.compute(work)


async def show_design(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """All numbers of a design on the explored half."""
    number = body.get("seq")
    if not isinstance(number, int):
        raise UsageError("seq must be a whole number")

    def work() -> dict[str, Any]:
        start = time.perf_counter()
        answer = design_answer(state.desk(body.get("at")), state.design(body.get("at"), body.get("design")))
        return {**answer, "seq": number, "milliseconds": 1000 * (time.perf_counter() - start)}

    return await state.compute(work, kind=f"design {body.get('tab')}", number=number)


async def measure(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """The numbers of a design on the held-out half; counts as a look."""
    run, model, dataset = place_of(body.get("at"))

    def work() -> dict[str, Any]:
        desk, design = state.desk(body.get("at")), state.design(body.get("at"), body.get("design"))
        findings = [finding_json(f) for f in desk.measure(design)]
        looks = Looks(state.catalog.entry(run).folder).add(model, dataset, f"measured {design.title}")
        return {"findings": findings, "looks": looks, "n": len(desk.held_out.rows)}

    return await state.compute(work)


async def suggest(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """The best of several added classes on the explored half, with its held-out check; counts as a look."""
    run, model, dataset = place_of(body.get("at"))
    words, group = body.get("words"), body.get("group")
    if not isinstance(words, list) or not all(isinstance(w, str) and 0 < len(w) <= 300 for w in words):
        raise UsageError("words must be a list of class names")
    if not isinstance(group, str) or not group:
        raise UsageError("name the group of the new class")

    def work() -> dict[str, Any]:
        desk, design = state.desk(body.get("at")), state.design(body.get("at"), body.get("design"))
        findings, table = desk.suggest(design, [w.strip() for w in words if w.strip()], group)
        looks = Looks(state.catalog.entry(run).folder).add(model, dataset, f"suggestion for {design.title}")
        return {"findings": [finding_json(f) for f in findings], "table": table, "looks": looks}

    return await state.compute(work)


async def save(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """Save a design as TOML, or as a classifier file, into the folder `workbench` of the run.

    Files that exist are replaced only if the request says so; else they are named and nothing is written.
    """
    run, _, _ = place_of(body.get("at"))
    kind, name = body.get("kind"), str(body.get("name") or "")
    if kind not in ("toml", "classifier"):
        raise UsageError("kind must be toml or classifier")

    def work() -> dict[str, Any]:
        folder = state.catalog.entry(run).folder
        desk, design = state.desk(body.get("at")), state.design(body.get("at"), body.get("design"))
        save_as = _save_design if kind == "toml" else _save_classifier
        with writing_to(folder):
            return save_as(folder, name, desk, design, body)

    return await state.compute(work)


def _starts(desk: DesignDesk, run: Path) -> tuple[list[dict[str, Any]], list[str]]:
    """The class lists to start from, and a sentence for each saved one that cannot be read."""
    saved, notices = saved_designs(desk, run)
    return [{"name": name, "design": design.to_json()} for name, design in (desk.starts() | saved).items()], notices


def _save_design(folder: Path, name: str, desk: DesignDesk, design: LiveDesign, body: Body) -> dict[str, Any]:
    texts = {output_file(folder, name, ".toml"): design_toml(design)}
    if design.templates != desk.templates:
        texts[output_file(folder, name, PROMPTS)] = "\n".join(design.templates) + "\n"
    if existing := _existing(list(texts), body):
        return existing
    for path, text in texts.items():
        write_text(path, text)
    return {"files": [str(path) for path in texts], "starts": _starts(desk, folder)[0]}


def _save_classifier(folder: Path, name: str, desk: DesignDesk, design: LiveDesign, body: Body) -> dict[str, Any]:
    at = thresholds_of(body.get("thresholds") or {})
    made = live_classifier(desk, design, temperature=at.temperature, threshold=at.abstain)
    extra = {} if at.reject is None else {"ood_rejection": {"score": at.score, "least": at.reject}}
    path = output_file(folder, name, ".safetensors")
    files = [path, path.with_suffix(".json")]
    if existing := _existing(files, body):
        return existing
    with_card(made, desk, design, extra).save(path)
    return {"files": [str(file) for file in files]}


def _existing(files: Sequence[Path], body: Body) -> dict[str, Any]:
    """The names of the files that exist; nothing where they may be replaced."""
    found = [] if body.get("replace") is True else [file.name for file in files if file.exists()]
    return {"existing": found} if found else {}
