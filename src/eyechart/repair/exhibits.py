"""What a repair did, to be looked at: who gained and who lost, how sure the classifier is, what its sets hold, what was tried."""

from collections.abc import Callable, Sequence

import numpy as np
import pyarrow as pa

from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.reliability_chart import reliability_diagram
from eyechart.metrics.calibration.ece import reliability
from eyechart.notice import counted
from eyechart.repair.measuring import AFTER, BEFORE
from eyechart.repair.repair import Repaired
from eyechart.repair.set_words import covered, missed
from eyechart.repair.words import OVERALL, points, who, who_changed

READABLE = 30  # rows of a chart


def change_exhibits(repaired: Repaired) -> list[Exhibit]:
    """The whole, every class, every group: the change with its interval."""
    return [
        *_changes(repaired, "overall", "What changed in all", lambda f: OVERALL.get(f.metric.removesuffix("_change"))),
        *_changes(repaired, "classes", "Who gained and who lost, class by class", _of("class_accuracy_change")),
        *_changes(repaired, "groups", "Who gained and who lost, group by group", _of("group_accuracy_change")),
        *_changes(repaired, "harm", "Who is put into harmful classes more or less often", _of("group_harm_change")),
    ]


def _of(metric: str) -> Callable[[Finding], str | None]:
    def named(finding: Finding) -> str | None:
        return who(finding) if finding.metric == metric else None

    return named


def _changes(repaired: Repaired, name: str, title: str, named: Callable[[Finding], str | None]) -> list[Exhibit]:
    """Where there are too many, those that changed most; the best first."""
    found = [(whose, f) for f in repaired.findings if f.baseline == BEFORE and (whose := named(f)) is not None]
    if not found:
        return []
    most = sorted(found, key=lambda pair: -abs(pair[1].value or 0))[:READABLE]
    shown = sorted(most, key=lambda pair: -(pair[1].value or 0)) if name != "overall" else found

    def values(of: str) -> list[float | None]:
        known = {_key(f): f.value for f in repaired.findings if f.slice.get("classifier") == of}
        return [known.get((f.metric.removesuffix("_change"), *sorted(map(str, f.slice.items())))) for _, f in shown]

    table = pa.table(
        {
            "who": [title for title, _ in shown],
            "before": values(BEFORE),
            "after": values(AFTER),
            "change": [f.value for _, f in shown],
            "low": [f.low for _, f in shown],
            "high": [f.high for _, f in shown],
            "pictures": [f.n for _, f in shown],
        }
    )
    chart = charts.dots_with_intervals(
        category="who", value="change", low="low", high="high", category_title="", value_title="after − before", reference=0.0
    )
    rest = f" The {len(shown)} that changed most of {len(found)}." if len(found) > len(shown) else ""
    sentence = f"To the right of the line is a rise. {_sentence(repaired, name, found)}{rest}"
    return [Exhibit(name, title, sentence, table, chart=chart)]


def _sentence(repaired: Repaired, name: str, found: Sequence[tuple[str, Finding]]) -> str:
    if name != "overall":
        return who_changed(repaired, found[0][1].metric)
    said = "; ".join(f"{title} {points(f.value)}" for title, f in found[:5])
    return f"{said[0].upper()}{said[1:]}."


def _key(finding: Finding) -> tuple[str, ...]:
    return (finding.metric, *sorted(str(item) for item in finding.slice.items() if item[0] != "classifier"))


def sureness_exhibits(repaired: Repaired) -> list[Exhibit]:
    """The reliability diagram before and after, where there are labels to hold it to."""
    ece = {f.slice["classifier"]: f.value for f in repaired.findings if f.metric == "ece"}
    if not ece:
        return []
    tables = []
    for name, outcome in zip((BEFORE, AFTER), repaired.outcomes, strict=True):
        found = reliability(outcome.confidence, outcome.right, clusters=repaired.held.units)
        columns = {"classifier": [name] * len(found["start"]), **found, "share": found["pictures"] / len(outcome.right)}
        tables.append(pa.table(columns))
    chart = reliability_diagram(
        start="start", end="end", share="share", confidence="confidence", accuracy="accuracy", low="low", high="high",
        color="classifier",
    )  # fmt: skip
    sentence = (
        f"On the line, answers given with 80% are right in 80 of 100 cases. The mean distance from it was"
        f" {ece[BEFORE]:.1%} and is {ece[AFTER]:.1%}, at temperature {repaired.after.temperature:.3g}.{_loss(repaired)}"
    )
    return [Exhibit("sureness", "Does it keep its word?", sentence, pa.concat_tables(tables), chart=chart)]


def _loss(repaired: Repaired) -> str:
    """Distances from the line are rough; the loss of the same pictures says sooner whether a classifier is surer of the truth."""
    change = next((f for f in repaired.findings if f.metric == "nll_change"), None)
    if change is None or change.value is None or change.low is None or change.high is None:
        return ""
    chance = ", which chance alone may bring" if change.low <= 0 <= change.high else ""
    said = f" The loss (negative log-likelihood, lower is better) changed by {change.value:+.3f} nats"
    return f"{said} ({change.low:+.3f} to {change.high:+.3f}{chance}).".replace("-", "−").replace("log−", "log-")


def set_exhibits(repaired: Repaired) -> list[Exhibit]:
    """Coverage of prediction sets, where they hold the right class least often."""
    found = [f for f in repaired.findings if f.metric in ("class_set_coverage", "group_set_coverage")]
    overall = next((f for f in repaired.findings if f.metric == "set_coverage"), None)
    if overall is None or not found:
        return []
    lowest = sorted(found, key=lambda f: f.value or 0.0)[:READABLE]
    table = pa.table(
        {
            "who": [who(f) for f in lowest],
            "coverage": [f.value for f in lowest],
            "low": [f.low for f in lowest],
            "high": [f.high for f in lowest],
            "pictures": [f.n for f in lowest],
        }
    )
    chart = charts.dots_with_intervals(
        category="who", value="coverage", low="low", high="high", category_title="", reference=repaired.after.coverage
    )
    sentence = f"{covered(repaired, overall)} {missed(repaired, found)}"
    return [Exhibit("sets", "Whose right class do the prediction sets hold?", sentence, table, chart=chart)]


def _tried(repaired: Repaired) -> Exhibit:
    looked, held = next(iter(repaired.scores.values()))
    halves = (f"{looked.n:,} looked at", f"{held.n:,} held out")
    rows = [
        {"candidate": name + (" (taken)" if name == repaired.chosen.name else "")}
        | {
            f"{what}, {half}": said
            for half, of in zip(halves, pair, strict=True)
            for what, said in (
                ("accuracy", f"{of.accuracy:.1%} ({100 * of.low:.1f} to {100 * of.high:.1f})"),
                ("worst", f"{of.worst:.1%}"),
            )
        }
        for name, pair in repaired.scores.items()
    ]
    sentence = (
        f"The choice was made by the {looked.n:,} pictures looked at alone; intervals are of 95%. The worst classes"
        f" ({repaired.held.worst}) are picked for each candidate on the very pictures they are counted on, so they have none."
    )
    return Exhibit("tried", "What was tried", sentence, pa.Table.from_pylist(rows), "table")


def trial_exhibits(repaired: Repaired) -> list[Exhibit]:
    """What was tried, and the templates and descriptions of what was taken."""
    shown = [_tried(repaired)] if repaired.scores else []
    weights = repaired.chosen.weights.weights
    order = np.argsort(-weights, kind="stable")[: int((weights > 0).sum())]
    table = pa.table({"template": [repaired.templates[i] for i in order], "weight": weights[order]})
    sentence = f"{len(order)} of {counted(len(weights), 'template')} {'has' if len(order) == 1 else 'have'} a weight."
    shown.append(Exhibit("templates", "The templates of the repaired classifier", sentence, table, "table"))
    if repaired.chosen.described:
        names = repaired.after.names
        listed = [{"class": names[c], "said of it": "; ".join(said)} for c, said in repaired.chosen.described.items()]
        sentence = "These classes stand half way between their name and the mean of what is said of them."
        shown.append(Exhibit("descriptions", "Classes that were described", sentence, pa.Table.from_pylist(listed), "table"))
    return shown
