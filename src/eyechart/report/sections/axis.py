"""Number lines drawn by the page itself: the main number with what it is compared with, and the figures of a ruling."""

import math
from collections.abc import Sequence

from eyechart.findings.numbers import format_value, number_and_unit, slice_text
from eyechart.report.html.builder import Child, Markup, bdi, div, element, li, span, ul
from eyechart.verdict.evidence import Bounds, Figure

LETTER, NARROW = 7.0, 300.0  # pixels: a letter of a label, and the line on a phone
LINE = 17  # pixels of a line of labels
ROWS = 4  # figures of a ruling that are drawn


def main_axis(figure: Figure) -> Markup:
    """The value with its interval, chance, majority and target on a line from 0 to 100%."""
    marks = _merged([(b.value, b.name, "baseline") for b in figure.baselines])
    if figure.bounds is not None and figure.bounds.low is not None:
        marks.append((figure.bounds.low, "target", "target"))
    marks = sorted((m for m in marks if 0 <= m[0] <= 1), key=lambda m: m[0])
    labels, lines = _labels([(x, f"{name} {format_value(x, figure.unit)}", kind) for x, name, kind in marks])
    value = min(max(figure.value or 0.0, 0.0), 1.0)
    low = value if figure.low is None else max(figure.low, 0.0)
    high = value if figure.high is None else min(figure.high, 1.0)
    return element(
        "svg",
        element("rect", class_="track", x="0", y="18", width="100%", height="4"),
        *(element("rect", class_="grid", x=_percent(x), y="14", width="1", height="12") for x in (0.25, 0.5, 0.75)),
        element("rect", class_="span", x=_percent(low), y="11", width=_percent(max(high - low, 0.004)), height="18"),
        *(element("line", class_=f"mark {kind}", x1=_percent(x), x2=_percent(x), y1="6", y2="34") for x, _, kind in marks),
        element("circle", class_="value", cx=_percent(value), cy="20", r="7"),
        *labels,
        class_="main-axis",
        height=38 + LINE * lines,
        role="img",
        aria_label=f"{figure.text}; {figure.compared_text}",
    )


def _merged(marks: Sequence[tuple[float, str, str]]) -> list[tuple[float, str, str]]:
    """Baselines at the same place share a label."""
    found: dict[float, list[str]] = {}
    for x, name, _ in marks:
        found.setdefault(round(x, 3), []).append(name)
    return [(x, " = ".join(names), "baseline") for x, names in found.items()]


def _labels(marks: Sequence[tuple[float, str, str]]) -> tuple[list[Markup], int]:
    """Labels below the line, on as many lines as they need on a phone; and the number of lines."""
    ends: list[float] = []  # where the last label of each line ends
    made = []
    for x, text, kind in marks:
        width = LETTER * len(text) / NARROW
        start, anchor = (x, "start") if x + width <= 1 else (x - width, "end")
        line = next((i for i, end in enumerate(ends) if start >= end + 0.02), len(ends))
        ends[line : line + 1] = [start + width]
        made.append(element("text", text, class_=kind, x=_percent(x), y=48 + LINE * line, text_anchor=anchor))
    return made, len(ends)


def ruling_chart(figures: Sequence[Figure]) -> Markup | None:
    """A line for each figure: the interval, the value and its limits, on one scale with its ends named; None without a value."""
    shown = [f for f in figures if f.value is not None][:ROWS]
    if not shown:
        return None
    start, end = _scale(shown)
    rows = [_row(f, start, end) for f in shown]
    # The unit is beside each value; of the ends, the digits are enough.
    low, high = ("".join(number_and_unit(x, shown[0].unit)).removesuffix(shown[0].unit) for x in (start, end))
    ends = li(span(), span(low, span(high), class_="ends"), span(), class_="scale")
    more = len(figures) - len(shown)
    return div(
        ul(*rows, ends, class_="mini"),
        span(f"and {more} more", class_="quiet small") if more > 0 else None,
        class_="mini-chart",
    )


def _row(figure: Figure, start: float, end: float) -> Markup:
    def at(value: float) -> float:
        return min(max((value - start) / (end - start), 0.0), 1.0)

    value = figure.value or 0.0
    low = value if figure.low is None else figure.low
    high = value if figure.high is None else figure.high
    bounds = figure.bounds or Bounds()
    limits = [b for b in (bounds.low, bounds.high) if b is not None]
    sliced = slice_text(figure.slice)
    name: list[Child] = [bdi(figure.dataset), span(" · ", bdi(sliced), class_="quiet") if sliced else None]
    drawing = element(
        "svg",
        element("rect", class_="track", x="0", y="9", width="100%", height="2"),
        *(
            element("line", class_="mark baseline", x1=_percent(at(b.value)), x2=_percent(at(b.value)), y1="4", y2="16")
            for b in figure.baselines
        ),
        element("rect", class_="span", x=_percent(at(low)), y="6", width=_percent(max(at(high) - at(low), 0.006)), height="8"),
        *(element("line", class_="mark target", x1=_percent(at(x)), x2=_percent(at(x)), y1="1", y2="19") for x in limits),
        element("circle", class_="value", cx=_percent(at(value)), cy="10", r="4.5"),
        height=20,
        role="img",
        aria_label=f"{figure.name} on {figure.dataset}: {figure.text}; {figure.compared_text}",
    )
    return li(span(*name, class_="name"), drawing, span(format_value(value, figure.unit), class_="of"))


def _scale(figures: Sequence[Figure]) -> tuple[float, float]:
    if all(f.unit == "fraction" for f in figures):
        return 0.0, 1.0
    values = [v for f in figures for v in (f.value, f.low, f.high) if v is not None and math.isfinite(v)]
    values += [b for f in figures if f.bounds for b in (f.bounds.low, f.bounds.high) if b is not None]
    values += [0.0 if figures[0].unit == "points" else min(values)]
    low, high = min(values), max(values)
    room = 0.06 * (high - low) or 0.5
    return low - room, high + room


def _percent(share: float) -> str:
    return f"{100 * share:.2f}%"
