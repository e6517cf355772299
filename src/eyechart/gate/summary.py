"""A gate as Markdown, for the summary of a GitHub Actions job."""

from collections.abc import Sequence

from eyechart.gate.config import OnInconclusive
from eyechart.gate.decide import Decision
from eyechart.notice import one_line

_MARKS = {"fails": "❌ fails", "passes": "✅ passes", "inconclusive": "❔ inconclusive"}


def gate_summary(decisions: Sequence[Decision], title: str, on_inconclusive: OnInconclusive) -> str:
    """A table with one row for each condition, model and dataset."""
    met = any(d.outcome == "fails" for d in decisions)
    unsure = any(d.outcome == "inconclusive" for d in decisions)
    outcome = "failed" if met or (unsure and on_inconclusive == "fail") else "passed"
    rows = [
        f"| {_cell(d.condition.text)} | {_MARKS[check.outcome]} | {_cell(check.model)} | {_cell(check.dataset)} | "
        f"{_cell(check.shown)} | {check.n:,} |"
        for d in decisions
        for check in d.checks
    ]
    note = f"\nInconclusive conditions let the gate {on_inconclusive}.\n" if unsure else ""
    head = "| fail if | outcome | model | dataset | value (95% interval) | n |\n| --- | --- | --- | --- | --- | --- |\n"
    return f"## Gate {outcome}: {_cell(title)}\n\n{head}" + "\n".join(rows) + f"\n{note}"


def _cell(text: str) -> str:
    """Text in a table: no markup, no line end, no column."""
    escaped = one_line(text)
    for sign in "\\`*_{}[]<>#|":
        escaped = escaped.replace(sign, f"\\{sign}")
    return escaped
