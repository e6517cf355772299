"""The worst class: one class for tile, class table and workbench, so that no two of them name different ones."""

from dataclasses import dataclass

from eyechart.findings.metric import Area
from eyechart.findings.numbers import format_value
from eyechart.findings.run import Run
from eyechart.notice import counted
from eyechart.report.class_rows import class_rows
from eyechart.verdict.evidence import Figure
from eyechart.verdict.ruling import Outcome
from eyechart.verdict.verdict import Verdict

ORDER: tuple[Outcome, ...] = ("bad", "inconclusive", "good", "not tested")  # the ruling that an area is judged by comes first


@dataclass(frozen=True)
class WorstClass:
    """The class that the verdict on classes rests on.

    dataset: Its dataset.
    name: The class.
    text: Its accuracy.
    is_figure: Whether the deciding figure is its accuracy, and not a mean over several classes.
    ties: How many other classes of the dataset have the same accuracy.
    """

    dataset: str
    name: str
    text: str
    is_figure: bool
    ties: int = 0

    @property
    def ties_text(self) -> str:
        """', and 4 other classes'; empty where there is no tie."""
        return f", and {counted(self.ties, 'other class', 'other classes')}" if self.ties else ""


def worst_class(run: Run, model: str, verdict: Verdict) -> WorstClass | None:
    """The class of the deciding figure; where that is a mean, the class with the lowest accuracy on its dataset.

    Args:
        run: The run.
        model: The model.
        verdict: The verdict on the model, over all datasets or on one.
    """
    figure = deciding_figure(verdict, "worst classes")
    if figure is None:
        return None
    rows = class_rows(run, model, figure.dataset)
    if "class" in figure.where:
        name, text = str(figure.where["class"]), format_value(figure.value, figure.unit)
        same = sum(row["value"] == figure.value and row["class"] != name for row in rows)
        return WorstClass(figure.dataset, name, text, is_figure=True, ties=same)
    if not rows:
        return None
    same = sum(row["value"] == rows[0]["value"] for row in rows[1:])
    return WorstClass(figure.dataset, rows[0]["class"], rows[0]["text"], is_figure=False, ties=same)


def deciding_figure(verdict: Verdict, area: Area) -> Figure | None:
    """The figure that the worst ruling of an area rests on; None where there is none."""
    rulings = [r for r in verdict.rulings if r.area == area and r.figures]
    return min(rulings, key=lambda r: ORDER.index(r.outcome)).figures[0] if rulings else None
