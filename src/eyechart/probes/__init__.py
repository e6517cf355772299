"""What authors of probes need: `@probe`, its input and answer, and the records that it reports.

Each module and folder of this package is a probe, but for `contract`, `cross_model`, `registry`, `tasks` and `testing`. Another
package adds a probe through the entry-point group `eyechart.probes`.
"""

from typing import TYPE_CHECKING

from eyechart.exports import lazy_exports

if TYPE_CHECKING:
    from eyechart.data.role import Role
    from eyechart.findings.exhibit import Exhibit
    from eyechart.findings.finding import Finding
    from eyechart.findings.metric import Limits, Metric
    from eyechart.findings.predictions import Predictions
    from eyechart.notice import Notice
    from eyechart.probes.contract import Answer, Need, NotApplicable, OtherModel, Probe, ProbeInput, TextRequest, probe
    from eyechart.probes.cross_model import CrossModelInput, cross_model_probe
    from eyechart.probes.registry import get_probe, probe_names
    from eyechart.probes.tasks.classifier import ZeroShotClassifier, build_classifier, class_texts, known_classes

# Probes import from here too, so each name is loaded from its module when it is first used.
_HOMES = {
    "Answer": "probes.contract",
    "CrossModelInput": "probes.cross_model",
    "Exhibit": "findings.exhibit",
    "Finding": "findings.finding",
    "Limits": "findings.metric",
    "Metric": "findings.metric",
    "Need": "probes.contract",
    "NotApplicable": "probes.contract",
    "Notice": "notice",
    "OtherModel": "probes.contract",
    "Predictions": "findings.predictions",
    "Probe": "probes.contract",
    "ProbeInput": "probes.contract",
    "Role": "data.role",
    "TextRequest": "probes.contract",
    "ZeroShotClassifier": "probes.tasks.classifier",
    "build_classifier": "probes.tasks.classifier",
    "class_texts": "probes.tasks.classifier",
    "cross_model_probe": "probes.cross_model",
    "get_probe": "probes.registry",
    "known_classes": "probes.tasks.classifier",
    "probe": "probes.contract",
    "probe_names": "probes.registry",
}
__all__ = [
    "Answer",
    "CrossModelInput",
    "Exhibit",
    "Finding",
    "Limits",
    "Metric",
    "Need",
    "NotApplicable",
    "Notice",
    "OtherModel",
    "Predictions",
    "Probe",
    "ProbeInput",
    "Role",
    "TextRequest",
    "ZeroShotClassifier",
    "build_classifier",
    "class_texts",
    "cross_model_probe",
    "get_probe",
    "known_classes",
    "probe",
    "probe_names",
]

__getattr__, __dir__ = lazy_exports(__name__, {name: f"eyechart.{home}" for name, home in _HOMES.items()})
