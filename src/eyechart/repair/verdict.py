"""Whether a repair improved the classifier on the pictures it was judged on. Costs come first."""

from collections.abc import Sequence

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.repair.metrics import CHANGE, estimate_text, is_better, is_worse
from eyechart.repair.repair import Repaired
from eyechart.repair.sentences import (
    class_and_group_sentences,
    overall_changes,
    overall_sentences,
    significant_sentences,
    title_of,
)


def terminal_sentences(repaired: Repaired) -> list[str]:
    """The verdict, the overall changes, and the changes of each class and group."""
    return [*verdict(repaired), *overall_sentences(repaired), *class_and_group_sentences(repaired)]


def page_summary(repaired: Repaired) -> str:
    """The paragraph at the top of the page; its charts show every class and group."""
    return " ".join([*verdict(repaired), *overall_sentences(repaired), *significant_sentences(repaired)])


def verdict(repaired: Repaired) -> list[str]:
    """A cost, or that nothing improved, and then what was selected."""
    if _is_unchanged(repaired):
        return [selection_sentence(repaired)]
    overall = overall_changes(repaired)
    gained, lost = [f for f in overall if is_better(f)], [f for f in overall if is_worse(f)]
    if gained:
        return [*([f"The repair has a cost: {_figures(lost)}."] if lost else []), selection_sentence(repaired)]
    nothing = f"No metric improved significantly on {repaired.held_out.title}"
    if lost:
        return [f"{nothing}, and some got worse: {_figures(lost)}. Keep the original classifier.", _saved(repaired)]
    return [f"{nothing}. The original classifier is as good.", *_calibration(repaired), _saved(repaired)]


def selection_sentence(repaired: Repaired) -> str:
    """What was done to the class vectors."""
    if _is_unchanged(repaired):
        return (
            "No candidate was better than the original class vectors. They are kept, now with temperature, thresholds and"
            " prediction sets."
        )
    if repaired.before.names != repaired.after.names:
        return f"Selected: the changed class list; prompts: {repaired.chosen.name}."
    return f"Selected: {repaired.chosen.name}."


def _is_unchanged(repaired: Repaired) -> bool:
    before, after = repaired.before, repaired.after
    return before.names == after.names and np.allclose(before.vectors, after.vectors, atol=1e-6)


def _saved(repaired: Repaired) -> str:
    return f"The repaired classifier was saved anyway. {selection_sentence(repaired)}"


def _calibration(repaired: Repaired) -> list[str]:
    """Calibration may improve where accuracy does not."""
    change = next((f for f in repaired.findings if f.metric == "ece_change"), None)
    if change is None or not is_better(change):
        return []
    return [f"Only its calibration improved: {_figures([change])}."]


def _figures(changes: Sequence[Finding]) -> str:
    return "; ".join(f"{title_of(f.metric.removesuffix(CHANGE))} {estimate_text(f)}" for f in changes)
