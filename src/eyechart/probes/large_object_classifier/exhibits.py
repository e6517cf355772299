"""Charts of the probe `large_object_classifier`: accuracy by size rank and by place."""

from collections.abc import Sequence

import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.probes.tasks.number_words import number_word, ordinal, size_rank_label

_TITLES = {"size_rank": "by size", "place": "by place"}


def accuracy_exhibit(findings: Sequence[Finding], key: str, objects: int, names: int) -> Exhibit:
    """The accuracy for each size rank or place, compared with chance."""
    wanted = {"objects", key}
    shown = [f for f in findings if f.metric == "object_accuracy" and set(f.slice) == wanted and f.slice["objects"] == objects]
    rows = [
        {"object": _label(key, int(str(f.slice[key])), objects), "accuracy": f.value, "low": f.low, "high": f.high, "scenes": f.n}
        for f in shown
    ]
    first, last = rows[0], rows[-1]
    sentence = (
        f"Of {number_word(objects)} objects, a linear classifier predicts the {first['object']} in "
        f"{percent(shown[0].value)} of scenes and the {last['object']} in {percent(shown[-1].value)}; chance among "
        f"{names} names is "
        f"{percent(1 / names)} (the line)."
    )
    chart = charts.dots_with_intervals(
        category="object",
        value="accuracy",
        low="low",
        high="high",
        category_title="",
        value_title="accuracy of a linear classifier",
        zero=True,
        reference=1 / names,
    )
    title = f"Accuracy for {number_word(objects)} objects, {_TITLES[key]}"
    return Exhibit(f"accuracy-{_TITLES[key].replace(' ', '-')}", title, sentence, pa.Table.from_pylist(rows), chart=chart)


def _label(key: str, slot: int, objects: int) -> str:
    return f"{ordinal(slot)} from the left" if key == "place" else size_rank_label(slot, objects)
