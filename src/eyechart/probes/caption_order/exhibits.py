"""Chart of the probe `caption_order`: the position of the largest object in captions of two, three, four objects."""

from collections.abc import Sequence

import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent, signed_points
from eyechart.probes.tasks.number_words import ORDINALS


def position_exhibit(findings: Sequence[Finding]) -> list[Exhibit]:
    """The share of captions with the largest object at each position."""
    rows = [f for f in findings if f.metric == "largest_at_position"]
    if not rows:
        return []
    by_metric = {f.metric: f for f in findings}
    share, chance = by_metric["largest_first"], by_metric["largest_first_chance"]
    sentence = (
        f"The largest object is named first in {percent(share.value)} of captions; a random order would give "
        f"{percent(chance.value)}"
    )
    within = by_metric.get("size_effect")
    if within is not None and within.value is not None:
        change = signed_points(within.value)
        sentence += f". For the same two names, being the larger object changes the share of being first by {change}"
    table = pa.table(
        {
            "position of the largest object": [ORDINALS[int(str(f.slice["position"])) - 1] for f in rows],
            "objects in the caption": [str(f.slice["count"]) for f in rows],
            "share": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
            "captions": [f.n for f in rows],
        }
    )
    chart = charts.dots_with_intervals(
        category="position of the largest object",
        value="share",
        low="low",
        high="high",
        color="objects in the caption",
        value_title="share of captions",
        zero=True,
    )
    return [Exhibit("positions", "Position of the largest object in captions", f"{sentence}.", table, chart=chart)]
