"""Whether a repair was shown to be worth it, on held-out pictures: said before anything else."""

from collections.abc import Sequence

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.repair.measuring import BEFORE
from eyechart.repair.repair import Repaired
from eyechart.repair.words import OVERALL, by_name, in_all, points, sure, surely_changed


def plain_words(repaired: Repaired) -> list[str]:
    """For the terminal: the verdict, and who gained and who lost."""
    return [*verdict(repaired), *in_all(repaired), *by_name(repaired)]


def opening(repaired: Repaired) -> str:
    """For the top of a page, whose charts say more of each class and group."""
    return " ".join([*verdict(repaired), *in_all(repaired), *surely_changed(repaired)])


def verdict(repaired: Repaired) -> list[str]:
    """A cost, or that nothing was shown to improve, and then what was done. The best may be to leave classes as they were."""
    if _unchanged(repaired):
        return [taken(repaired)]
    overall = [f for f in repaired.findings if f.baseline == BEFORE and f.metric.removesuffix("_change") in OVERALL]
    gained, lost = [f for f in overall if _sure(f, True)], [f for f in overall if _sure(f, False)]
    if gained:
        return [*([f"The repair has a cost: {_figures(lost)}."] if lost else []), taken(repaired)]
    said = "Nothing was shown to improve on held-out pictures"
    if lost:
        return [f"{said}, and something became worse: {_figures(lost)}. Better keep the classifier as it was.", _there(repaired)]
    return [f"{said}: the classifier as it was does as well.", *_surer(repaired), _there(repaired)]


def taken(repaired: Repaired) -> str:
    """What was done to the class vectors."""
    if _unchanged(repaired):
        return (
            "Nothing did better than the classes as they were: they answer as before, now with temperature, thresholds and sets."
        )
    if repaired.before.names != repaired.after.names:
        return f"Taken: the changed class list; prompts: {repaired.chosen.name}."
    return f"Taken: {repaired.chosen.name}."


def _unchanged(repaired: Repaired) -> bool:
    before, after = repaired.before, repaired.after
    return before.names == after.names and np.allclose(before.vectors, after.vectors, atol=1e-6)


def _there(repaired: Repaired) -> str:
    return f"The file is there all the same. {taken(repaired)}"


def _surer(repaired: Repaired) -> list[str]:
    """Right answers are one thing, and knowing how sure to be of them another."""
    change = next((f for f in repaired.findings if f.metric == "ece_change"), None)
    if change is None or not _sure(change, True):
        return []
    return [f"Only how sure it says it is improved: calibration error {points(change.value)}{sure(change)}."]


def _sure(change: Finding, better: bool) -> bool:
    """Whether it is a change for the better, or for the worse, that chance alone does not bring."""
    if change.low is None or change.high is None:
        return False
    return change.low > 0 if better == (change.higher_is_better is not False) else change.high < 0


def _figures(found: Sequence[Finding]) -> str:
    return "; ".join(f"{OVERALL[f.metric.removesuffix('_change')]} {points(f.value)}{sure(f)}" for f in found)
