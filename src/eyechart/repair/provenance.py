"""Everything that was done to make a repaired classifier, as its card records it."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart import __version__
from eyechart.findings.finding import Finding
from eyechart.metrics.calibration.temperature import Temperature
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.classifier import class_titles
from eyechart.repair.candidates import Candidate
from eyechart.repair.class_lists import ClassLists
from eyechart.repair.data_split import DataSplit
from eyechart.repair.metrics import finding_dict
from eyechart.repair.prompt_vectors import template_pool
from eyechart.repair.settings import Settings


def provenance(
    inputs: ProbeInput[Any],
    settings: Settings,
    lists: ClassLists,
    parts: DataSplit,
    candidates: Sequence[Candidate],
    chosen: Candidate,
    worst: npt.NDArray[np.int64],
    fitted: Temperature | None,
    findings: Sequence[Finding],
) -> dict[str, Any]:
    """The version, the protocol and the findings of a repair, ready for JSON."""
    names = class_titles(lists.after)
    described = next((c.described for c in candidates if c.described and not c.baseline), {})
    weights = zip(template_pool(inputs.prompts), chosen.weights.weights, strict=True)
    protocol = {
        "settings": asdict(settings),
        "before": {"prompts": inputs.prompts[0].name, "classes": lists.before.name},
        "classes": lists.after.name,
        "weighting": chosen.name,
        "templates": {template: float(weight) for template, weight in weights if weight > 0},
        "worst_classes": [names[int(c)] for c in worst],
        "descriptions": {names[c]: texts for c, texts in chosen.described.items()},
        "descriptions_tried": {names[c]: texts for c, texts in described.items()},
        "pictures": {name: len(getattr(parts, name)) for name in ("fit", "calibrate", "held_out", "unlabeled")},
        "fitted_temperature": None if fitted is None else asdict(fitted),
    }
    return {"made_by": f"eyechart {__version__}", "protocol": protocol, "findings": [finding_dict(f) for f in findings]}
