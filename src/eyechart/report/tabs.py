"""The tabs of the page, and the tab that each probe belongs to."""

from dataclasses import dataclass

from eyechart.findings.metric import Area
from eyechart.findings.run import Run


@dataclass(frozen=True)
class Tab:
    """A tab.

    key: Its name in addresses.
    title: What the reader sees.
    """

    key: str
    title: str


TABS = (
    Tab("accuracy", "Accuracy"),
    Tab("robustness", "Robustness"),
    Tab("confidence", "Calibration and OOD"),
    Tab("groups", "Groups"),
    Tab("words", "Words and objects"),
    Tab("compare", "Compare"),
    Tab("findings", "All findings"),
    Tab("protocol", "Protocol"),
)
_OF_AREA: dict[Area, str] = {
    "accuracy": "accuracy",
    "worst classes": "accuracy",
    "class names": "accuracy",
    "other targets": "accuracy",
    "robustness": "robustness",
    "calibration": "confidence",
    "out-of-distribution": "confidence",
    "groups": "groups",
    "harm": "groups",
    "shape and texture": "words",
    "words and objects": "words",
}


def tab_of_area(area: Area) -> str:
    """The tab with the evidence of an area."""
    return _OF_AREA[area]


def tab_of_probe(run: Run, probe: str) -> str:
    """By the area that the probe's metrics are judged in; without one, by its profiles; else it is a research probe."""
    areas = [metric.limits.area for of, metric in run.metrics() if of == probe and metric.limits is not None]
    if areas:
        return _OF_AREA[areas[0]]
    profiles = set(run.profiles(probe)) - {"paper"}
    if profiles == {"classify"}:
        return "accuracy"
    return "groups" if profiles == {"audit"} else "words"
