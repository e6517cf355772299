"""What a repair changed, as sentences and as rows of the terminal's table."""

from collections.abc import Sequence

from eyechart.findings.finding import Finding
from eyechart.findings.metric import find_metric
from eyechart.notice import counted
from eyechart.repair.evaluation import BEFORE
from eyechart.repair.metrics import (
    CHANGE,
    METRICS,
    OVERALL,
    estimate_text,
    interval_text,
    is_better,
    is_worse,
    metric_of,
    value_text,
)
from eyechart.repair.repair import Repaired

# The changes that are reported for each class or group: metric → singular, plural.
BY_CLASS_OR_GROUP = {
    "class_accuracy_change": ("class", "classes"),
    "group_accuracy_change": ("group", "groups"),
    "group_harm_rate_change": ("group", "groups"),
}
NAMED = 8  # classes or groups named in a sentence


def overall_changes(repaired: Repaired) -> list[Finding]:
    """The paired differences of the overall metrics, in their order."""
    found = {f.metric: f for f in repaired.findings if f.baseline == BEFORE}
    return [found[m.name + CHANGE] for m in OVERALL if m.name + CHANGE in found]


def overall_sentences(repaired: Repaired) -> list[str]:
    """Top-1 accuracy, the targeted classes and the harm rate, before and after."""
    return [_before_after(repaired, f) for f in overall_changes(repaired) if f.metric.removesuffix(CHANGE) in _IN_SENTENCES]


_IN_SENTENCES = ("top1", "targeted_classes", "harm_rate")


def _before_after(repaired: Repaired, change: Finding) -> str:
    name = change.metric.removesuffix(CHANGE)
    before, after = (value_text(f) for f in repaired.findings if f.metric == name)
    title = capital(title_of(name))
    if name == "targeted_classes":
        title += f" ({', '.join(repaired.held_out.titles.get(label, label) for label in repaired.targeted)})"
    return f"{title}: {before} before, {after} after, a change of {estimate_text(change)}."


def class_and_group_sentences(repaired: Repaired) -> list[str]:
    """How many classes and groups gained or lost, with the significant ones by name."""
    present = {f.metric for f in repaired.findings}
    return [change_sentence(repaired, metric) for metric in BY_CLASS_OR_GROUP if metric in present]


def significant_sentences(repaired: Repaired) -> list[str]:
    """Only the classes and groups with a significant change, by name."""
    present = {f.metric for f in repaired.findings}
    return [
        f"{capital(title_of(metric.removesuffix(CHANGE)))}, significant changes: {_significant(repaired, metric)}."
        for metric in BY_CLASS_OR_GROUP
        if metric in present
    ]


def change_sentence(repaired: Repaired, metric: str) -> str:
    """How many classes or groups improved or got worse, and the significant ones by name."""
    one, many = BY_CLASS_OR_GROUP[metric]
    changes = [f for f in repaired.findings if f.metric == metric]
    sign = -1 if metric_of(changes[0]).higher_is_better is False else 1
    better, worse = (sum((f.value or 0) * side > 0 for f in changes) for side in (sign, -sign))
    return (
        f"{capital(title_of(metric.removesuffix(CHANGE)))}: {counted(better, one, many)} better, {worse} worse,"
        f" {len(changes) - better - worse} unchanged. Significant: {_significant(repaired, metric)}. By chance alone, about"
        f" {0.05 * len(changes):.1f} of {len(changes)} would be significant."
    )


def _significant(repaired: Repaired, metric: str) -> str:
    changes = [f for f in repaired.findings if f.metric == metric]
    better = [class_or_group(f) for f in changes if is_better(f)]
    worse = [class_or_group(f) for f in changes if is_worse(f)]
    return f"better: {listed(better)}; worse: {listed(worse)}"


def listed(names: Sequence[str], separator: str = ", ") -> str:
    """The first names and how many more there are, or "none"."""
    return (separator.join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")) or "none"


def class_or_group(finding: Finding) -> str:
    """The class or group of a finding: 'tabby cat' or 'age: child × gender: female'."""
    return " × ".join(str(value) if key == "class" else f"{key}: {value}" for key, value in finding.slice.items())


def title_of(name: str) -> str:
    """The title of a metric's record."""
    metric = find_metric(METRICS, name)
    return metric.title if metric else name


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def summary_rows(findings: Sequence[Finding]) -> list[list[str]]:
    """For the terminal: each overall number before, after, its change and the interval of the change."""
    rows = []
    for change in findings:
        if change.baseline != BEFORE or set(change.slice) - {"k"} or change.low is None or change.high is None:
            continue
        name = change.metric.removesuffix(CHANGE)
        pair = [f for f in findings if f.metric == name and not set(f.slice) - {"classifier", "k"}]
        if len(pair) == 2:
            rows.append([title_of(name), *map(value_text, pair), value_text(change), interval_text(change), f"{change.n:,}"])
    return rows
