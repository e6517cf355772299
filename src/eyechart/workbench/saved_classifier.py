"""The class list on the screen as the classifier file of `repair`."""

from dataclasses import replace
from typing import Any

import numpy as np

from eyechart import __version__
from eyechart.classifier import Classifier
from eyechart.errors import ModelError, UsageError
from eyechart.workbench.design_desk import DesignDesk
from eyechart.workbench.live_design import LiveDesign


def live_classifier(desk: DesignDesk, design: LiveDesign, *, temperature: float = 1.0, threshold: float = 0.0) -> Classifier:
    """The classifier of a design, with the model's logit scale.

    Args:
        desk: The model and dataset.
        design: The classes.
        temperature: What logits are divided by.
        threshold: The least probability at which a class is predicted; below it, the classifier abstains.
    """
    if not (0.01 <= temperature <= 100 and 0 <= threshold <= 1):
        raise UsageError("temperature must be 0.01 to 100, and the threshold 0 to 1")
    if desk.opened.names is not None:
        raise ModelError(f"{desk.opened.name}: it scores names and has no class vectors, which a classifier file is made of")
    scale, bias = desk.opened.logits
    if scale is None:
        raise ModelError(f"{desk.opened.name}: it has no logit scale, so its cosines are not probabilities")
    vectors, duplicates = desk.class_vectors(design)
    return Classifier(
        labels=tuple(own_label(c.labels, c.name) for c in design.classes),
        names=tuple(c.name for c in design.classes),
        vectors=vectors[duplicates],
        logit_scale=scale,
        logit_bias=bias,
        temperature=temperature,
        thresholds=np.full(len(design.classes), threshold),
    )


def with_card(classifier: Classifier, desk: DesignDesk, design: LiveDesign, extra: dict[str, Any]) -> Classifier:
    """The classifier with its origin."""
    facts = desk.opened.run.model_facts(desk.opened.name)
    about = {
        "made_by": f"eyechart {__version__}, workbench",
        "protocol": {"classes": design.title, "templates": list(design.templates), "design": design.to_json()},
        "model": {"name": desk.opened.name, **{k: facts.get(k) for k in ("spec", "fingerprint", "logit_scale", "logit_bias")}},
        "dataset": {"name": desk.dataset, "n": len(desk.pictures.dataset)},
        **extra,
    }
    return replace(classifier, about=about)


def own_label(labels: tuple[str, ...], name: str) -> str:
    """The label that a class stands for; of merged classes, the name of the class."""
    return labels[0] if len(labels) == 1 else name
