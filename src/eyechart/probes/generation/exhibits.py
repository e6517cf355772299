"""Charts of the probe `generation`: prominence and presence by position in the prompt, scorer quality, and missing objects."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.data.dataset import Dataset
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.probes.generation.presence import MODEL, Presence
from eyechart.probes.tasks.number_words import number_word, ordinal

_SCORED_BY = {"model": "by the model", "objects": "by annotated objects"}


def prominent_exhibit(findings: Sequence[Finding], leading: Presence) -> Exhibit:
    first, last = _ends(findings, "prominent", leading)
    count = leading.prompted.count
    sentence = (
        f"Of {number_word(count)} objects in a prompt{_of(leading)}, the first is the most prominent in "
        f"{percent(first)} of pictures "
        f"and the last in {percent(last)}; without an effect of order, each would be in {percent(1 / count)} (the line)."
    )
    return _by_position("prominent", "Most prominent object by position in the prompt", sentence, findings, leading, 1 / count)


def present_exhibit(findings: Sequence[Finding], leading: Presence) -> Exhibit:
    first, last = _ends(findings, "present", leading)
    sentence = (
        f"The object named first{_of(leading)} is detected in {percent(first)} of pictures, the object named last in "
        f"{percent(last)}, "
        f"and objects that are not named in {percent(leading.alarms)} (the line)."
    )
    return _by_position("present", "Objects present by position in the prompt", sentence, findings, leading, leading.alarms)


def _by_position(
    metric: str, title: str, sentence: str, findings: Sequence[Finding], leading: Presence, reference: float
) -> Exhibit:
    count = leading.prompted.count
    shown = [f for f in findings if f.metric == metric and f.slice["objects"] == count]
    shown.sort(key=lambda f: int(str(f.slice["position"])))
    rows = [{"position": ordinal(int(str(f.slice["position"]))), "scored": _series(f), **_numbers(f)} for f in shown]
    several = len({row["scored"] for row in rows}) > 1
    chart = charts.dots_with_intervals(
        category="position",
        value="share",
        low="low",
        high="high",
        color="scored" if several else None,
        value_title="most prominent" if metric == "prominent" else "present",
        zero=True,
        reference=reference,
    )
    return Exhibit(metric, title, sentence, pa.Table.from_pylist(rows), chart=chart)


def control_exhibit(control: Sequence[Finding], leading: Presence) -> list[Exhibit]:
    """How well the model scores pictures whose objects are annotated."""
    mine = {**leading.prompted.slice, "objects": leading.prompted.count}
    shown = [f for f in control if mine.items() <= dict(f.slice).items()]
    if not shown:
        return []
    titles = {
        ("scorer_recall", "largest"): "detects the largest object",
        ("scorer_recall", "smaller"): "detects a smaller object",
        ("scorer_false_positive_rate", ""): "detects an absent object",
        ("scorer_agreement", ""): "ranks the largest object first",
    }
    rows = [{"scorer": titles[f.metric, str(f.slice.get("thing", ""))], **_numbers(f)} for f in shown]
    found = {f.slice.get("thing"): f.value or 0.0 for f in shown if f.metric == "scorer_recall"}
    sentence = (
        f"Against annotated objects, the model detects the largest object in {percent(found.get('largest', 0.0))} of cases and "
        f"smaller ones in {percent(found.get('smaller', 0.0))}. This difference is a bias of the scorer, not of the generator."
    )
    chart = charts.dots_with_intervals(
        category="scorer", value="share", low="low", high="high", category_title="", value_title="share", zero=True
    )
    return [Exhibit("control", "How well the model scores these pictures", sentence, pa.Table.from_pylist(rows), chart=chart)]


def missed_exhibit(leading: Presence, names: Sequence[str], dataset: Dataset, shown: int) -> list[Exhibit]:
    """The pictures with the fewest of their prompt's objects, as scored by the model."""
    prompted = leading.prompted
    order = np.argsort(leading.present.sum(axis=1), kind="stable")
    ids = dataset.ids()
    prompts = dataset.table.column("attr.prompt").to_pylist() if dataset.has("attr.prompt") else None
    rows = []
    for i in order[:shown]:
        row, objects = int(prompted.rows[i]), [names[number] for number in prompted.objects[i]]
        missing = [name for name, there in zip(objects, leading.present[i], strict=True) if not there]
        if missing:
            prompt = prompts[row] if prompts else " and ".join(objects)
            best = objects[int(leading.prominent[i].argmax())]
            rows.append({"id": ids[row], "prompt": prompt, "most prominent": best, "not detected": ", ".join(missing)})
    if not rows:
        return []
    sentence = (
        f"In the first picture, for the prompt “{rows[0]['prompt']}”, the model does not detect: {rows[0]['not detected']}."
    )
    return [Exhibit("missed", "Pictures without objects of their prompt", sentence, pa.Table.from_pylist(rows), "pictures")]


def _ends(findings: Sequence[Finding], metric: str, leading: Presence) -> tuple[float, float]:
    """The values of the first and the last position."""
    found = [f for f in findings if f.metric == metric and leading.slice.items() <= dict(f.slice).items()]
    value = {f.slice["position"]: f.value or 0.0 for f in found}
    return value[1], value[leading.prompted.count]


def _of(leading: Presence) -> str:
    return f" of {leading.prompted.generator}" if leading.prompted.generator is not None else ""


def _series(finding: Finding) -> str:
    """A short label for the legend: the generator and the scorer."""
    by = str(finding.slice["by"])
    if "generator" not in finding.slice:
        return _SCORED_BY[by]
    return str(finding.slice["generator"]) if by == MODEL else f"{finding.slice['generator']}, annotated"


def _numbers(finding: Finding) -> dict[str, object]:
    return {"share": finding.value, "low": finding.low, "high": finding.high, "n": finding.n}
