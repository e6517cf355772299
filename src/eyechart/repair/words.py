"""What a repair did, in sentences and lines of text: who gained, who lost, and what chance may have done."""

from collections.abc import Sequence

from eyechart.findings.finding import Finding
from eyechart.notice import counted
from eyechart.repair.measuring import BEFORE
from eyechart.repair.repair import Repaired

_OF_EACH = ("class_accuracy_change", "group_accuracy_change", "group_harm_change")
NAMED = 8  # classes or groups in a sentence
OVERALL = {
    "top1": "all pictures",
    "mean_per_class": "mean over classes",
    "aimed_at": "the classes aimed at",
    "worst_classes": "the worst classes of each",
    "harm": "put into harmful classes",
}


def points(value: float | None) -> str:
    return f"{100 * (value or 0.0):+.1f} points".replace("-", "−")


def by_name(repaired: Repaired) -> list[str]:
    """Who gained and who lost, class by class and group by group, in sentences."""
    there = {f.metric for f in repaired.findings}
    return [who_changed(repaired, metric) for metric in _OF_EACH if metric in there]


def surely_changed(repaired: Repaired) -> list[str]:
    """The same in short: only those of which chance alone is no likely reason."""
    there = {f.metric for f in repaired.findings}
    return [
        f"{_kind(metric)[1].capitalize()} that changed beyond their own 95% interval: {_surely(repaired, metric)}."
        for metric in _OF_EACH
        if metric in there
    ]


def in_all(repaired: Repaired) -> list[str]:
    """All pictures, the classes aimed at, and harm."""
    found = {f.metric: f for f in repaired.findings if f.baseline == BEFORE}
    said = []
    for metric, what in (("top1", "Held-out pictures that are named rightly"), ("harm", "Pictures put into harmful classes")):
        if change := found.get(f"{metric}_change"):
            was, now = (f.value or 0.0 for f in repaired.findings if f.metric == metric)
            said.append(f"{what}: {was:.1%}, after {now:.1%}: {points(change.value)}{sure(change)}.")
    if "aimed_at_change" in found:
        aimed = ", ".join(repaired.held.titles.get(label, label) for label in repaired.aimed_at)
        change = found["aimed_at_change"]
        said.insert(1, f"The classes that were taken for the worst ({aimed}): {points(change.value)}{sure(change)}.")
    return said


def sure(change: Finding) -> str:
    """The interval of a change behind its value, and whether it holds 0."""
    if change.low is None or change.high is None:
        return ""
    interval = f"{points(change.low).removesuffix(' points')} to {points(change.high).removesuffix(' points')}"
    return f" ({interval}" + (", which chance alone may bring" if change.low <= 0 <= change.high else "") + ")"


def who_changed(repaired: Repaired, metric: str) -> str:
    """How many changed which way, and by name those of which chance alone is no likely reason."""
    one, many = _kind(metric)
    up, down = _ways(metric)
    changes = [f for f in repaired.findings if f.metric == metric]
    rose, fell = (sum((f.value or 0) * sign > 0 for f in changes) for sign in (1, -1))
    return (
        f"{counted(rose, one, many)} {up}, {fell} {down}, {len(changes) - rose - fell} as before. Beyond their own 95% interval"
        f" {_surely(repaired, metric)}. Chance alone would bring about {0.05 * len(changes):.1f} of these."
    )


def _kind(metric: str) -> tuple[str, str]:
    return ("class", "classes") if metric.startswith("class") else ("group", "groups")


def _ways(metric: str) -> tuple[str, str]:
    return ("harmed more often", "harmed less often") if "harm" in metric else ("gained", "lost")


def _surely(repaired: Repaired, metric: str) -> str:
    """By name who went up and who went down; "none" is said too."""
    (up, down), changes = _ways(metric), [f for f in repaired.findings if f.metric == metric]
    above = [who(f) for f in changes if (f.low or 0) > 0]
    below = [who(f) for f in changes if (f.high or 0) < 0]
    return f"{up}: {listed(above)}; {down}: {listed(below)}"


def listed(names: Sequence[str], between: str = ", ") -> str:
    """The first of them by name, or "none"."""
    return (between.join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")) or "none"


def who(finding: Finding) -> str:
    """The class or group that a finding is about."""
    return " × ".join(str(value) if key == "class" else f"{key}: {value}" for key, value in finding.slice.items())


_ROWS = {
    **{m: f"right: {what}" for m, what in OVERALL.items() if m != "harm"},
    "harm": OVERALL["harm"],
    "ece": "calibration error",
}


def summary_rows(findings: Sequence[Finding]) -> list[list[str]]:
    """For the terminal: each overall number before, after, the change and its interval."""
    rows = []
    for change in findings:
        if change.baseline != BEFORE or set(change.slice) - {"k"} or change.low is None or change.high is None:
            continue
        metric = change.metric.removesuffix("_change")
        of = [f for f in findings if f.metric == metric and not set(f.slice) - {"classifier", "k"}]
        if len(of) == 2:
            values = [f"{100 * (f.value or 0):.1f}%" for f in of]
            rows.append([_ROWS.get(metric, metric), *values, points(change.value), sure(change).strip(" ()"), str(change.n)])
    return rows
