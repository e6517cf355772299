"""Charts and tables of a repair: what changed, calibration, prediction sets and the candidates."""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import format_estimate, format_value
from eyechart.findings.reliability_chart import reliability_diagram
from eyechart.metrics.calibration.ece import reliability
from eyechart.notice import counted
from eyechart.repair.evaluation import AFTER, BEFORE
from eyechart.repair.metrics import CHANGE, OVERALL, estimate_text, value_text
from eyechart.repair.prediction_set_text import coverage_sentence, low_coverage_sentence
from eyechart.repair.repair import Repaired
from eyechart.repair.sentences import capital, change_sentence, class_or_group

MOST_ROWS = 30  # of a chart


def change_exhibits(repaired: Repaired) -> list[Exhibit]:
    """The paired differences with their intervals: overall, by class and by group."""
    titles = {metric.name + CHANGE: metric.title for metric in OVERALL}
    return [
        *_changes(repaired, "overall", "Overall changes", lambda f: titles.get(f.metric)),
        *_changes(repaired, "classes", "Change of accuracy by class", _row_of("class_accuracy_change")),
        *_changes(repaired, "groups", "Change of accuracy by group", _row_of("group_accuracy_change")),
        *_changes(repaired, "harm", "Change of harmful predictions by group", _row_of("group_harm_rate_change")),
    ]


def _row_of(metric: str) -> Callable[[Finding], str | None]:
    def title(finding: Finding) -> str | None:
        return class_or_group(finding) if finding.metric == metric else None

    return title


def _changes(repaired: Repaired, name: str, title: str, row_title: Callable[[Finding], str | None]) -> list[Exhibit]:
    """The largest changes where there are many, in descending order."""
    found = [(row, f) for f in repaired.findings if f.baseline == BEFORE and (row := row_title(f)) is not None]
    if not found:
        return []
    largest = sorted(found, key=lambda pair: -abs(pair[1].value or 0))[:MOST_ROWS]
    shown = sorted(largest, key=lambda pair: -(pair[1].value or 0)) if name != "overall" else found

    def values(classifier: str) -> list[float | None]:
        known = {_key(f): f.value for f in repaired.findings if f.slice.get("classifier") == classifier}
        return [known.get((f.metric.removesuffix(CHANGE), *sorted(map(str, f.slice.items())))) for _, f in shown]

    table = pa.table(
        {
            "who": [row for row, _ in shown],
            "before": values(BEFORE),
            "after": values(AFTER),
            "change": [f.value for _, f in shown],
            "low": [f.low for _, f in shown],
            "high": [f.high for _, f in shown],
            "pictures": [f.n for _, f in shown],
        }
    )
    chart = charts.dots_with_intervals(
        category="who",
        value="change",
        low="low",
        high="high",
        category_title="",
        value_title="after − before",
        unit="points",
        reference=0.0,
    )
    rest = f" Shown are the {len(shown)} largest changes of {len(found)}." if len(found) > len(shown) else ""
    sentence = f"Values right of the line are increases. {_sentence(repaired, name, found)}{rest}"
    return [Exhibit(name, title, sentence, table, chart=chart)]


def _sentence(repaired: Repaired, name: str, found: Sequence[tuple[str, Finding]]) -> str:
    if name != "overall":
        return change_sentence(repaired, found[0][1].metric)
    return capital("; ".join(f"{row} {estimate_text(f)}" for row, f in found)) + "."


def _key(finding: Finding) -> tuple[str, ...]:
    return (finding.metric, *sorted(str(item) for item in finding.slice.items() if item[0] != "classifier"))


def calibration_exhibits(repaired: Repaired) -> list[Exhibit]:
    """The reliability diagram before and after, where there are labels."""
    ece = {f.slice["classifier"]: f for f in repaired.findings if f.metric == "ece"}
    if not ece:
        return []
    tables = []
    for name, outcome in zip((BEFORE, AFTER), repaired.outcomes, strict=True):
        found = reliability(outcome.confidence, outcome.correct, clusters=repaired.held_out.clusters)
        columns = {"classifier": [name] * len(found["start"]), **found, "share": found["pictures"] / len(outcome.correct)}
        tables.append(pa.table(columns))
    chart = reliability_diagram(
        start="start", end="end", share="share", confidence="confidence", accuracy="accuracy", low="low", high="high",
        color="classifier",
    )  # fmt: skip
    sentence = (
        "On the diagonal, confidence equals accuracy. The expected calibration error (ECE) was"
        f" {value_text(ece[BEFORE])} before and is {value_text(ece[AFTER])} after, at temperature"
        f" {format_value(repaired.after.temperature, 'number')}.{_nll_sentence(repaired)}"
    )
    return [Exhibit("calibration", "Calibration", sentence, pa.concat_tables(tables), chart=chart)]


def _nll_sentence(repaired: Repaired) -> str:
    """The ECE is a noisy estimate; the paired difference of the likelihood is more sensitive."""
    change = next((f for f in repaired.findings if f.metric == "nll_change"), None)
    if change is None or change.low is None:
        return ""
    return f" The negative log-likelihood (lower is better) changed by {estimate_text(change)}."


def set_exhibits(repaired: Repaired) -> list[Exhibit]:
    """Coverage of the prediction sets by class and group, the lowest first."""
    found = [f for f in repaired.findings if f.metric in ("class_set_coverage", "group_set_coverage")]
    overall = next((f for f in repaired.findings if f.metric == "set_coverage"), None)
    if overall is None or not found:
        return []
    lowest = sorted(found, key=lambda f: f.value or 0.0)[:MOST_ROWS]
    table = pa.table(
        {
            "who": [class_or_group(f) for f in lowest],
            "coverage": [f.value for f in lowest],
            "low": [f.low for f in lowest],
            "high": [f.high for f in lowest],
            "pictures": [f.n for f in lowest],
        }
    )
    chart = charts.dots_with_intervals(
        category="who", value="coverage", low="low", high="high", category_title="", reference=repaired.after.coverage
    )
    sentence = f"{coverage_sentence(repaired, overall)} {low_coverage_sentence(repaired, found)}"
    return [Exhibit("sets", "Coverage of the prediction sets", sentence, table, chart=chart)]


def _candidates(repaired: Repaired) -> Exhibit:
    fitting, held_out = next(iter(repaired.scores.values()))
    parts = (f"fitting part (n = {fitting.n:,})", f"held out (n = {held_out.n:,})")
    rows = [
        {"candidate": name + (" (selected)" if name == repaired.chosen.name else "")}
        | {
            f"{column}, {part}": text
            for part, score in zip(parts, pair, strict=True)
            for column, text in (
                ("accuracy", format_estimate(score.accuracy, score.low, score.high, "fraction")),
                ("worst", format_value(score.worst, "fraction")),
            )
        }
        for name, pair in repaired.scores.items()
    ]
    sentence = (
        f"The candidate was selected on the fitting part alone ({fitting.n:,} pictures). Intervals are 95% CIs. The"
        f" {repaired.held_out.worst} worst classes are selected for each candidate on the pictures that they are measured on, so"
        " their accuracy has no interval."
    )
    return Exhibit("candidates", "Candidates", sentence, pa.Table.from_pylist(rows), "table")


def candidate_exhibits(repaired: Repaired) -> list[Exhibit]:
    """The scores of the candidates, and the templates and descriptions of the selected one."""
    shown = [_candidates(repaired)] if repaired.scores else []
    weights = repaired.chosen.weights.weights
    order = np.argsort(-weights, kind="stable")[: int((weights > 0).sum())]
    table = pa.table({"template": [repaired.templates[i] for i in order], "weight": weights[order]})
    sentence = f"{len(order)} of {counted(len(weights), 'template')} {'has' if len(order) == 1 else 'have'} a nonzero weight."
    shown.append(Exhibit("templates", "The templates of the repaired classifier", sentence, table, "table"))
    if repaired.chosen.described:
        names = repaired.after.names
        listed = [{"class": names[c], "descriptions": "; ".join(texts)} for c, texts in repaired.chosen.described.items()]
        sentence = "The vector of a described class is the normalized sum of its name's vector and its descriptions' mean vector."
        shown.append(Exhibit("descriptions", "Described classes", sentence, pa.Table.from_pylist(listed), "table"))
    return shown
