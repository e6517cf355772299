"""Requests about runs: the list, comparisons, encoding what is missing, and examinations that are started here."""

from collections.abc import Mapping
from typing import Any

from eyechart.errors import UsageError
from eyechart.workbench.compared_models import MOST_SIDES, compared
from eyechart.workbench.run_result import run_result
from eyechart.workbench.state import WorkbenchState, place_of

Body = Mapping[str, Any]


async def runs(state: WorkbenchState, _: Body) -> dict[str, Any]:
    def work() -> dict[str, Any]:
        listed = state.catalog.listing()
        for row in listed:
            row["page"] = f"/pages/{state.pages}/{row['id']}/index.html" if row["page"] else None
        return {"opened": str(state.catalog.opened), "runs": listed, "can_start": state.examinations.can_start}

    return await state.compute(work)


async def result(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """The decision about a model, its worst class, and the classes of a dataset. It needs no vectors."""
    run, model, dataset = place_of(body.get("at"))

    def work() -> dict[str, Any]:
        return run_result(state.catalog.run(run), model, dataset)

    return await state.compute(work)


async def compare(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """Models on the pictures that all of them have classified. With `shown`, the pictures of another than the second."""
    sides, dataset, shown = body.get("sides"), body.get("dataset"), body.get("shown", 1)
    if not isinstance(sides, list) or not isinstance(shown, int) or isinstance(shown, bool):
        raise UsageError("sides must be a list of models, and shown the place of one")

    def work() -> dict[str, Any]:
        chosen = [_side(state, side) for side in sides[: MOST_SIDES + 1]]
        return compared(chosen, dataset if isinstance(dataset, str) and dataset else None, shown)

    return await state.compute(work)


async def encode(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """Encode the pictures of a dataset that have no vector. Answers when it has ended; `encoding` tells the progress."""
    run, model, dataset = place_of(body.get("at"))
    if state.encoding.running:
        raise UsageError("pictures are being encoded already")
    state.encoding.running = True

    def work() -> dict[str, Any]:
        state.model(run, model).encode(dataset, state.encoding)
        return {"encoded": state.encoding.done}

    try:
        return await state.compute(work)
    finally:
        state.encoding.running = False


async def encoding(state: WorkbenchState, _: Body) -> dict[str, Any]:
    now = state.encoding
    return {"running": now.running, "done": now.done, "total": now.total}


async def examinations(state: WorkbenchState, _: Body) -> dict[str, Any]:
    choices, running = await state.compute(lambda: (state.examinations.choices(), state.catalog.running()))
    children = state.examinations.states()
    own = {child["name"] for child in children}
    elsewhere = [row for row in running if row["title"] not in own]
    return {"can_start": state.examinations.can_start, "choices": choices, "children": children, "elsewhere": elsewhere}


async def start(state: WorkbenchState, body: Body) -> dict[str, Any]:
    return await state.compute(lambda: state.examinations.start(body))


async def stop(state: WorkbenchState, body: Body) -> dict[str, Any]:
    state.examinations.stop(str(body.get("name") or ""))
    return {"stopped": True}


def _side(state: WorkbenchState, content: Any) -> Any:
    if not isinstance(content, Mapping) or not all(isinstance(content.get(key), str) for key in ("run", "model")):
        raise UsageError("name a run and a model on every side")
    run = state.catalog.run(content["run"])
    if content["model"] not in run.models:
        raise UsageError(f"the run has no model {content['model']!r}")
    return run, content["model"]
