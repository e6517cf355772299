"""Eyechart: an eye examination for vision-language models."""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = [
    "Classifier", "DataPlan", "Examination", "ModelPlan", "Plan", "__version__", "caption_vectors", "examine", "mend",
    "mend_captions", "read_plan", "run",
]  # fmt: skip

if TYPE_CHECKING:
    from eyechart.classifier import Classifier
    from eyechart.exam import examine, run
    from eyechart.examination import Examination
    from eyechart.mending import mend, mend_captions
    from eyechart.plan import DataPlan, ModelPlan, Plan, read_plan
    from eyechart.repair.captions.vectors import caption_vectors

_HOME = {
    "examine": "exam", "run": "exam", "Examination": "examination", "Classifier": "classifier", "mend": "mending",
    "mend_captions": "mending", "caption_vectors": "repair.captions.vectors",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    # Importing the package stays cheap; the exam and all it needs come with the first use.
    if name not in __all__:
        raise AttributeError(f"module 'eyechart' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"eyechart.{_HOME.get(name, 'plan')}"), name)
