"""Write the table of the verdict's limits in docs/report.md, between its markers, from the metrics that the probes declare.

python scripts/write_limits_table.py
"""

from pathlib import Path

from eyechart.findings.metric import AREAS, Limits, Metric
from eyechart.findings.numbers import format_value
from eyechart.probes.registry import get_probe, probe_names

PAGE = Path(__file__).parents[1] / "docs" / "report.md"
START, END = "<!-- limits: written by scripts/write_limits_table.py -->", "<!-- end of limits -->"


def limits_table() -> str:
    """A Markdown table of all limits, in the order of the verdict."""
    judged = [(probe, metric) for probe in probe_names() for metric in get_probe(probe).metrics]
    rows = [(AREAS.index(m.limits.area), probe, m, m.limits) for probe, m in judged if m.limits is not None]
    lines = ["| probe | metric | good | area |", "| --- | --- | --- | --- |"]
    for _, probe, metric, limits in sorted(rows, key=lambda row: row[0]):
        by = f", by {limits.by}" if limits.by else ""
        lines.append(f"| `{probe}` | `{metric.name}`{by} | {good_text(metric, limits)} | {limits.area} |")
    return "\n".join(lines)


def good_text(metric: Metric, limits: Limits) -> str:
    """Where a value is good, as text."""
    unit = metric.shown_unit
    if limits.at_least == "chance":
        return "above the chance level"
    if limits.at_least == "halfway":
        return f"above `{metric.chance}` and `{metric.baseline}`, and at least halfway from the higher of them to 100%"
    if limits.at_least == "half":
        level = f"at least half of halfway from `{metric.chance}` to 100%, and at least `{metric.chance}`"
        return f"every {limits.by} {level}; none never right"
    if limits.below_chance is not None:
        return f"at most {format_value(limits.below_chance, 'points')} below `{metric.chance}`"
    if limits.above_chance is not None:
        return f"at most {format_value(limits.above_chance, 'points')} above `{metric.chance}`"
    least = None if limits.at_least is None else format_value(limits.at_least, unit)
    most = None if limits.at_most is None else format_value(limits.at_most, unit)
    if least and most:
        return f"from {least.removesuffix(f' {unit}')} to {most}"
    return f"at least {least}" if least else f"at most {most}"


def with_table(text: str) -> str:
    """The page with a new table between the markers."""
    before, _, rest = text.partition(START)
    _, _, after = rest.partition(END)
    return f"{before}{START}\n\n{limits_table()}\n\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text("utf-8")), encoding="utf-8")
