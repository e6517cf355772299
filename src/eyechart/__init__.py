"""Eyechart: an eye examination for vision-language models."""

from typing import TYPE_CHECKING

from eyechart.exports import lazy_exports

if TYPE_CHECKING:
    from eyechart.classifier import Classifier
    from eyechart.comparison.compare import Comparison, compare
    from eyechart.errors import EyechartError
    from eyechart.exam import dry_run, examine, run
    from eyechart.examination import Examination
    from eyechart.plan import DataPlan, ModelPlan, Plan, read_plan
    from eyechart.repair.captions.run import repair_captions
    from eyechart.repair.captions.vectors import caption_vectors
    from eyechart.repair.run import repair_classifier

__version__ = "0.2.0"

# Importing the package stays cheap: each name is loaded from its module when it is first used.
_HOMES = {
    "Classifier": "classifier",
    "Comparison": "comparison.compare",
    "DataPlan": "plan",
    "Examination": "examination",
    "EyechartError": "errors",
    "ModelPlan": "plan",
    "Plan": "plan",
    "caption_vectors": "repair.captions.vectors",
    "compare": "comparison.compare",
    "dry_run": "exam",
    "examine": "exam",
    "read_plan": "plan",
    "repair_captions": "repair.captions.run",
    "repair_classifier": "repair.run",
    "run": "exam",
}
__all__ = [
    "Classifier",
    "Comparison",
    "DataPlan",
    "Examination",
    "EyechartError",
    "ModelPlan",
    "Plan",
    "__version__",
    "caption_vectors",
    "compare",
    "dry_run",
    "examine",
    "read_plan",
    "repair_captions",
    "repair_classifier",
    "run",
]

__getattr__, __dir__ = lazy_exports(__name__, {name: f"eyechart.{home}" for name, home in _HOMES.items()})


def _add_model_sources() -> None:
    """Add the world's models to the model sources: `models` must not know `world`, so the package joins the two."""
    from eyechart.models.sources import add_source
    from eyechart.world.model_sources import DEMO, ZOO

    add_source(ZOO)
    add_source(DEMO)


_add_model_sources()
