"""What linear heads for slots have to show: accuracy by rank of size, and by place."""

from collections.abc import Sequence

import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.large_object.exhibits import in_words, ordinal

_TITLES = {"size_rank": "by size", "place": "by place"}


def slot_exhibit(findings: Sequence[Finding], key: str, objects: int, names: int) -> Exhibit:
    wanted = {"objects", key}
    shown = [f for f in findings if f.metric == "object_accuracy" and set(f.slice) == wanted and f.slice["objects"] == objects]
    rows = [
        {"which": _which(key, int(str(f.slice[key])), objects), "share": f.value, "low": f.low, "high": f.high, "n": f.n}
        for f in shown
    ]
    first, last = rows[0], rows[-1]
    sentence = (
        f"A linear head names the {first['which']} of {in_words(objects)} things in {first['share']:.1%} of scenes and the "
        f"{last['which']} in {last['share']:.1%}; guessing among {names} names would get {1 / names:.1%}."
    )
    chart = charts.dots_with_intervals(
        category="which",
        value="share",
        low="low",
        high="high",
        category_title="",
        value_title="named by its head",
        zero=True,
        reference=1 / names,
    )
    title = f"What can be told of {in_words(objects)} things: {_TITLES[key]}"
    return Exhibit(f"told-{_TITLES[key].replace(' ', '-')}", title, sentence, pa.Table.from_pylist(rows), chart=chart)


def _which(key: str, slot: int, objects: int) -> str:
    if key == "place":
        return f"{ordinal(slot)} from the left"
    return "largest" if slot == 1 else "smallest" if slot == objects else f"{ordinal(slot)} largest"
