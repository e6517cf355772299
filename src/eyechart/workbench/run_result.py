"""The result of a run, as on the first screen of its page: the decision, the main number, the areas, the worst class."""

from dataclasses import asdict
from typing import Any

from eyechart.errors import UsageError
from eyechart.findings.numbers import format_interval, format_value, number_and_unit, slice_text
from eyechart.findings.run import Run
from eyechart.report.class_rows import class_rows
from eyechart.report.sections.tiles import TILES
from eyechart.report.view import main_figures
from eyechart.report.worst_class import ORDER, worst_class
from eyechart.verdict.evidence import Figure
from eyechart.verdict.verdict import Verdict, verdict_of


def run_result(run: Run, model: str, dataset: str) -> dict[str, Any]:
    """The verdict on a model over all datasets of the run with its worst class, and the accuracy and the classes of one of them.

    Args:
        run: The run.
        model: The model.
        dataset: The dataset of the main number and of the classes.
    """
    if model not in run.models:
        raise UsageError(f"the run has no model {model!r}")
    if dataset not in run.datasets:
        raise UsageError(f"the run has no dataset {dataset!r}")
    exams = [name for name in run.datasets if name not in run.companions]
    verdict = verdict_of(run, model, exams[0] if len(exams) == 1 else None)
    worst = worst_class(run, model, verdict)
    main = next((f for f in main_figures(verdict) if f.dataset == dataset), None)
    return {
        "model": model,
        "dataset": dataset,
        "datasets": len(exams),
        "decision": verdict.decision,
        "outcome": min(verdict.areas.values(), key=ORDER.index, default="not tested"),
        "number": None if main is None else _main_number(main),
        "tiles": [_tile(title, area, verdict) for title, area in TILES],
        "classes": class_rows(run, model, dataset),
        "worst": None if worst is None else asdict(worst),
        "view": f"m{run.models.index(model)}",
    }


def _main_number(figure: Figure) -> dict[str, Any]:
    target = None if figure.bounds is None else figure.bounds.low
    marks = [{"name": b.name, "value": b.value} for b in figure.baselines]
    return {
        "title": figure.title,
        "value": figure.value,
        "low": figure.low,
        "high": figure.high,
        "n": figure.n,
        "text": format_value(figure.value, figure.unit),
        "interval": format_interval(figure.low, figure.high, figure.unit),
        "marks": [*marks, *([] if target is None else [{"name": "target", "value": target}])],
    }


def _tile(title: str, area: str, verdict: Verdict) -> dict[str, Any]:
    """The worst ruling of an area, with the figure that decides it."""
    rulings = [(place, r) for place, r in enumerate(verdict.rulings) if r.area == area]
    place, ruling = min(rulings, key=lambda pair: ORDER.index(pair[1].outcome), default=(None, None))
    made: dict[str, Any] = {"title": title, "outcome": "not tested", "place": place}
    made |= {"figure": None, "remedy": "", "not_judged": ""}
    if ruling is None:
        return made
    made |= {"outcome": ruling.outcome, "remedy": ruling.remedy if ruling.outcome == "not tested" else ""}
    made["not_judged"] = ruling.remedy if ruling.not_judged else ""
    if ruling.figures:
        figure = ruling.figures[0]
        number, unit = number_and_unit(figure.value, figure.unit)
        made["figure"] = {
            "number": number,
            "unit": unit,
            "short": figure.short,
            "interval": "" if figure.low is None else format_interval(figure.low, figure.high, figure.unit),
            "n": figure.short_size_text,
            "where": slice_text(figure.slice),
            "dataset": figure.dataset,
        }
    return made
