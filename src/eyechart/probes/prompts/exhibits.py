"""Charts of the probe `prompts`: accuracy under each set, differences from the first set, and unstable predictions."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from eyechart.data.dataset import Dataset
from eyechart.findings import charts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent, points
from eyechart.notice import counted
from eyechart.probes.tasks.classifier import class_titles
from eyechart.probes.tasks.prompt_outcomes import PromptOutcome

PICTURES = 12
READABLE = 40  # rows in one chart
# All of them are fractions, so they share one axis.
_CHANGES = {
    "top1_difference": "top-1 accuracy", "ece_difference": "ECE", "ood_auroc_difference": "OOD AUROC",
    "ood_fpr95_difference": "FPR95",
}  # fmt: skip


def prompts_exhibits(findings: Sequence[Finding], found: Sequence[PromptOutcome], dataset: Dataset) -> list[Exhibit]:
    """All exhibits. `dataset`: the labeled pictures."""
    return [
        _accuracy(findings, found),
        _differences(findings, found[0].name),
        *_factors(findings, found[0].name),
        *_disagreements(found, dataset),
    ]


def _accuracy(findings: Sequence[Finding], found: Sequence[PromptOutcome]) -> Exhibit:
    """Top-1 under every set, from the fewest templates to the most."""
    templates = {o.name: len(o.prompts) for o in found}
    rows = sorted((f for f in findings if f.metric == "top1"), key=lambda f: templates[_set(f)])
    table = pa.table(
        {
            "prompts": [_set(f) for f in rows],
            "accuracy": [f.value for f in rows],
            "low": [f.low for f in rows],
            "high": [f.high for f in rows],
            "templates": [templates[_set(f)] for f in rows],
        }
    )
    best, worst = max(rows, key=lambda f: f.value or 0.0), min(rows, key=lambda f: f.value or 0.0)
    low, high = f"{percent(worst.value or 0.0)}", f"{percent(best.value or 0.0)}"
    span = f"ranges from {low} with {_set(worst)} to {high} with {_set(best)}" if low != high else f"is {low} with all sets"
    return Exhibit(
        "accuracy",
        "Accuracy under each prompt set",
        f"On the same pictures, top-1 accuracy {span}. Compare sets by the paired differences below.",
        table,
        chart=charts.dots_with_intervals(
            category="prompts", value="accuracy", low="low", high="high", value_title="top-1 accuracy"
        ),
    )


def _differences(findings: Sequence[Finding], first: str) -> Exhibit:
    """Every other set minus the first, paired by picture."""
    rows = [f for f in findings if f.metric in _CHANGES]
    return Exhibit(
        "differences",
        f"Differences from the prompt set {first}",
        f"{_significant(rows)} Lower is better for ECE, higher for the others.",
        _changed(rows, "prompts", [_set(f) for f in rows], "measure", [_CHANGES[f.metric] for f in rows]),
        chart=_beside_zero("prompts", "measure", first),
    )


def _factors(findings: Sequence[Finding], first: str) -> list[Exhibit]:
    """Accuracy by factor under every other set, the factors that change most first."""
    rows = [f for f in findings if f.metric == "factor_difference"]
    if not rows:
        return []
    most: dict[str, float] = {}
    for f in rows:
        most[str(f.slice["factor"])] = max(most.get(str(f.slice["factor"]), 0.0), abs(f.value or 0.0))
    order = sorted(most, key=lambda name: -most[name])
    shown = order[: max(1, READABLE // (len(rows) // len(order)))]
    kept = sorted((f for f in rows if f.slice["factor"] in shown), key=lambda f: shown.index(str(f.slice["factor"])))
    return [
        Exhibit(
            "factors",
            f"Accuracy under visual factors, difference from {first}",
            f"{_significant(rows)} {shown[0]} changes most, by up to {points(most[shown[0]])}.",
            _changed(kept, "factor", [str(f.slice["factor"]) for f in kept], "prompts", [_set(f) for f in kept]),
            chart=_beside_zero("factor", "prompts", first),
        )
    ]


def _significant(rows: Sequence[Finding]) -> str:
    found = [f for f in rows if f.low is not None and f.high is not None and (f.low > 0 or f.high < 0)]
    if not found:
        return f"None of the {counted(len(rows), 'difference')} is significant at 95% confidence."
    return f"{len(found)} of the {counted(len(rows), 'difference')} are significant at 95% confidence; by chance, expect 1 in 20."


def _changed(rows: Sequence[Finding], by: str, names: Sequence[str], color: str, groups: Sequence[str]) -> pa.Table:
    difference, low, high = ([getattr(f, part) for f in rows] for part in ("value", "low", "high"))
    return pa.table({by: names, color: groups, "difference": difference, "low": low, "high": high})


def _beside_zero(category: str, color: str, first: str) -> charts.Spec:
    return charts.dots_with_intervals(
        category=category,
        value="difference",
        low="low",
        high="high",
        color=color,
        value_title=f"difference from {first}",
        reference=0.0,
    )


def _disagreements(found: Sequence[PromptOutcome], dataset: Dataset) -> list[Exhibit]:
    """The pictures with the most different predictions."""
    predicted = np.stack([o.predicted for o in found])
    different = 1 + (np.diff(np.sort(predicted, axis=0), axis=0) != 0).sum(axis=0)
    shown = np.argsort(-different, kind="stable")[:PICTURES]
    shown = shown[different[shown] > 1]
    if not len(shown) or dataset.classes is None:
        return []
    titles, ids, truth = class_titles(dataset.classes), dataset.ids(), dataset.label_indices()
    table = pa.table(
        {
            "id": [ids[i] for i in shown],
            "class": [titles[truth[i]] for i in shown],
            "predictions": [", ".join(dict.fromkeys(titles[c] for c in predicted[:, i])) for i in shown],
        }
    )
    sentence = (
        f"The prediction for {percent((different > 1).mean())} of the pictures is not the same under all {len(found)} sets; "
        f"the first picture here has {counted(int(different[shown[0]]), 'different prediction')}."
    )
    return [Exhibit("disagreements", "Pictures whose prediction depends on the prompts", sentence, table, "pictures")]


def _set(finding: Finding) -> str:
    return str(finding.slice["prompts"])
