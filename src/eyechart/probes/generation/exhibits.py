"""What generation has to show: who stands out and who is there by turn of mention, how well the model reads, and pictures whose
first-named thing is missed."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.data.dataset import Dataset
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.probes.generation.presence import MODEL, Presence
from eyechart.probes.large_object.exhibits import in_words, ordinal

_READ_BY = {"model": "the model", "objects": "what is known"}


def prominent_exhibit(findings: Sequence[Finding], leading: Presence) -> Exhibit:
    first, last = _ends(findings, "prominent", leading)
    count = leading.prompted.count
    sentence = (
        f"Of {in_words(count)} things in a prompt{_of(leading)}, the first stands out most in {first:.0%} of pictures and the "
        f"last in {last:.0%}; if order did nothing, each would in {1 / count:.0%}."
    )
    return _by_turn("prominent", "Which of the named things stands out most", sentence, findings, leading, 1 / count)


def present_exhibit(findings: Sequence[Finding], leading: Presence) -> Exhibit:
    first, last = _ends(findings, "present", leading)
    sentence = (
        f"What the prompt names first{_of(leading)} is found in {first:.0%} of pictures, what it names last in {last:.0%}, "
        f"and what it does not name in {leading.alarms:.0%}."
    )
    return _by_turn("present", "Which of the named things are there at all", sentence, findings, leading, leading.alarms)


def _by_turn(metric: str, title: str, sentence: str, findings: Sequence[Finding], leading: Presence, reference: float) -> Exhibit:
    count = leading.prompted.count
    shown = [f for f in findings if f.metric == metric and f.slice["objects"] == count]
    shown.sort(key=lambda f: int(str(f.slice["position"])))
    rows = [{"named": ordinal(int(str(f.slice["position"]))), "pictures": _series(f), **_numbers(f)} for f in shown]
    several = len({row["pictures"] for row in rows}) > 1
    chart = charts.dots_with_intervals(
        category="named",
        value="share",
        low="low",
        high="high",
        color="pictures" if several else None,
        value_title="stands out most" if metric == "prominent" else "is there",
        zero=True,
        reference=reference,
    )
    return Exhibit(metric, title, sentence, pa.Table.from_pylist(rows), chart=chart)


def control_exhibit(control: Sequence[Finding], leading: Presence) -> list[Exhibit]:
    """How the model reads pictures of which it is known what they show."""
    mine = {**leading.prompted.slice, "objects": leading.prompted.count}
    shown = [f for f in control if mine.items() <= dict(f.slice).items()]
    if not shown:
        return []
    titles = {
        ("scorer_recall", "largest"): "finds the largest thing",
        ("scorer_recall", "smaller"): "finds a smaller thing",
        ("scorer_false_positive_rate", ""): "finds what is not there",
        ("scorer_agreement", ""): "picks the largest",
    }
    rows = [{"the model": titles[f.metric, str(f.slice.get("thing", ""))], **_numbers(f)} for f in shown]
    found = {f.slice.get("thing"): f.value or 0.0 for f in shown if f.metric == "scorer_recall"}
    sentence = (
        f"Where it is known what is seen, the model finds the largest thing in {found.get('largest', 0.0):.0%} of cases, smaller "
        f"ones in {found.get('smaller', 0.0):.0%}: by so much its own eye colours what is said of the generator."
    )
    chart = charts.dots_with_intervals(
        category="the model", value="share", low="low", high="high", category_title="", value_title="share", zero=True
    )
    return [Exhibit("control", "How well the model reads these pictures", sentence, pa.Table.from_pylist(rows), chart=chart)]


def missed_exhibit(leading: Presence, names: Sequence[str], dataset: Dataset, shown: int) -> list[Exhibit]:
    """Pictures that lack most of what was asked for, by the model's reading."""
    prompted = leading.prompted
    order = np.argsort(leading.present.sum(axis=1), kind="stable")
    ids = dataset.ids()
    prompts = dataset.table.column("attr.prompt").to_pylist() if dataset.has("attr.prompt") else None
    rows = []
    for i in order[:shown]:
        row, things = int(prompted.rows[i]), [names[number] for number in prompted.objects[i]]
        missing = [name for name, there in zip(things, leading.present[i], strict=True) if not there]
        if missing:
            said = prompts[row] if prompts else " and ".join(things)
            best = things[int(leading.prominent[i].argmax())]
            rows.append({"id": ids[row], "prompt": said, "stands out": best, "not found": ", ".join(missing)})
    if not rows:
        return []
    sentence = f"In the first, of “{rows[0]['prompt']}” the model does not find: {rows[0]['not found']}."
    return [Exhibit("missed", "Pictures that lack what was asked for", sentence, pa.Table.from_pylist(rows), "pictures")]


def _ends(findings: Sequence[Finding], metric: str, leading: Presence) -> tuple[float, float]:
    turns = [f for f in findings if f.metric == metric and leading.slice.items() <= dict(f.slice).items()]
    value = {f.slice["position"]: f.value or 0.0 for f in turns}
    return value[1], value[leading.prompted.count]


def _of(leading: Presence) -> str:
    return f" of {leading.prompted.generator}" if leading.prompted.generator is not None else ""


def _series(finding: Finding) -> str:
    """Short, for a legend: who drew, and who looked."""
    by = str(finding.slice["by"])
    if "generator" not in finding.slice:
        return _READ_BY[by]
    return str(finding.slice["generator"]) if by == MODEL else f"{finding.slice['generator']}, known"


def _numbers(finding: Finding) -> dict[str, object]:
    return {"share": finding.value, "low": finding.low, "high": finding.high, "n": finding.n}
