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
TAB_OF_AREA: dict[Area, str] = {
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
    "retrieval": "words",
}


def tabs_of_probes(run: Run) -> dict[str, str]:
    """Probe → tab: by the area that its metrics are judged in; without one, by its profiles; else it is a research probe."""
    areas: dict[str, Area] = {}
    for probe, metric in run.metrics():
        if metric.limits is not None:
            areas.setdefault(probe, metric.limits.area)
    return {probe: TAB_OF_AREA[areas[probe]] if probe in areas else _by_profiles(run.profiles(probe)) for probe in run.probes}


def _by_profiles(profiles: list[str]) -> str:
    own = set(profiles) - {"paper"}
    return "accuracy" if own == {"classify"} else "groups" if own == {"audit"} else "words"
