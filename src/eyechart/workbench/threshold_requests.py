"""Requests about thresholds."""

import time
from collections.abc import Mapping
from typing import Any

from eyechart.errors import UsageError
from eyechart.workbench.looks import Looks
from eyechart.workbench.state import WorkbenchState, place_of
from eyechart.workbench.thresholds import Thresholds

Body = Mapping[str, Any]


def thresholds_of(content: Any) -> Thresholds:
    """Where the sliders of a request stand."""
    if not isinstance(content, Mapping):
        raise UsageError("thresholds must be an object")
    numbers = {key: _number(content.get(key)) for key in ("temperature", "abstain", "reject")}
    score = content.get("score") or "mcm"
    if not isinstance(score, str):
        raise UsageError("score must be a text")
    temperature, abstain = numbers["temperature"], numbers["abstain"]
    return Thresholds(1.0 if temperature is None else temperature, abstain or 0.0, score, numbers["reject"])


async def show_thresholds(state: WorkbenchState, body: Body) -> dict[str, Any]:
    """Risk, coverage, calibration and OOD rejection at these thresholds; on the held-out half it counts as a look."""
    run, model, dataset = place_of(body.get("at"))
    number = body.get("seq")
    held_out = body.get("half") == "held out"
    if not isinstance(number, int):
        raise UsageError("seq must be a whole number")

    def work() -> dict[str, Any]:
        start = time.perf_counter()
        desk, design = state.desk(body.get("at")), state.design(body.get("at"), body.get("design"))
        at = thresholds_of(body.get("thresholds") or {})
        found = state.thresholds(body.get("at"), design)
        answer = found.answer(desk.half_of(desk.held_out if held_out else desk.explore, design), at)
        if held_out:
            answer["looks"] = Looks(state.catalog.entry(run).folder).add(model, dataset, "thresholds")
        return {**answer, "notices": found.notices, "seq": number, "milliseconds": 1000 * (time.perf_counter() - start)}

    return await state.compute(work, kind="" if held_out else f"thresholds {body.get('tab')}", number=number)


def _number(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise UsageError("a threshold must be a number")
    return float(value)
