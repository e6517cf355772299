"""A gauge: a headline number as a small chart."""

import math

from eyechart.report.html.builder import Markup, element
from eyechart.report.summary import HeadlineRow


def gauge(row: HeadlineRow) -> Markup | None:
    """A line from 0 to 100% with the interval as a bar, the value as a tick and the chance level as a thin tick.

    None for values that are not fractions: a difference may be negative.
    """
    if row.unit != "fraction" or row.value is None or not math.isfinite(row.value) or not 0 <= row.value <= 1:
        return None
    low = row.value if row.low is None else max(row.low, 0.0)
    high = row.value if row.high is None else min(row.high, 1.0)
    chance = row.chance if row.chance is not None and 0 <= row.chance <= 1 else None
    return element(
        "svg",
        element("rect", class_="track", x="0", y="6", width="100%", height="2"),
        element("rect", class_="span", x=f"{100 * low:.2f}%", y="3", width=f"{100 * max(high - low, 0.0):.2f}%", height="8"),
        None if chance is None else element("rect", class_="chance", x=f"{99.7 * chance:.2f}%", y="1", width="1.5", height="12"),
        element("rect", class_="tick", x=f"{99.3 * row.value:.2f}%", y="0", width="3", height="14"),
        class_="gauge",
        height="14",
        role="img",
        aria_label=f"{row.value_text} on a line from 0 to 100%" + (f"; {row.chance_text}" if chance is not None else ""),
    )
