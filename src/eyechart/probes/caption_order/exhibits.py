"""What caption_order has to show: where the largest thing stands in captions of two, three, four names."""

from collections.abc import Sequence

import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.tasks.caption_recall import ORDINALS


def position_exhibit(findings: Sequence[Finding]) -> list[Exhibit]:
    rows = [f for f in findings if f.metric == "largest_at_position"]
    if not rows:
        return []
    by_metric = {f.metric: f for f in findings}
    share, chance = by_metric["largest_first"], by_metric["largest_first_chance"]
    told = (
        f"The largest thing is named first in {share.value:.0%} of captions, where a random order would give {chance.value:.0%}"
    )
    within = by_metric.get("size_effect")
    if within is not None and within.value is not None:
        points = f"{100 * within.value:+.0f} points".replace("-", "−")
        told += f". Of two given names, being the larger makes {points} of difference to being first"
    table = pa.table(
        {
            "position of the largest": [ORDINALS[int(str(f.slice["position"])) - 1] for f in rows],
            "names in the caption": [str(f.slice["count"]) for f in rows],
            "share": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
            "captions": [f.n for f in rows],
        }
    )
    chart = charts.dots_with_intervals(
        category="position of the largest",
        value="share",
        low="low",
        high="high",
        color="names in the caption",
        value_title="share of captions",
        zero=True,
    )
    return [Exhibit("positions", "Where captions name the largest thing", f"{told}.", table, chart=chart)]
