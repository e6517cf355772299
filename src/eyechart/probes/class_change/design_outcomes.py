"""Predictions under a class design: which are harmful, and which are correct."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Flags, Indices
from eyechart.data.class_design import ClassDesign
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.class_designs import predict_classes
from eyechart.prompts.prompt_set import PromptSet


@dataclass(frozen=True)
class DesignOutcome:
    """The predictions under a design.

    design: The class design.
    predicted: The number of the predicted class of each picture.
    """

    design: ClassDesign
    predicted: Indices

    @cached_property
    def names(self) -> npt.NDArray[np.str_]:
        """The name of the predicted class of each picture."""
        return np.array(self.design.names)[self.predicted]

    @cached_property
    def harmed(self) -> Flags:
        """Whether each picture is predicted as a harmful class."""
        harmful = np.array([self.design.group_of[name] in self.design.harmful for name in self.design.names])
        return np.asarray(harmful[self.predicted], np.bool_)

    def correct(self, labels: npt.NDArray[np.str_]) -> Flags:
        """Whether the predicted class is right for the label of each picture."""
        found, of_row = np.unique(labels, return_inverse=True)
        right = [set(self.design.labels_of(name)) for name in self.design.names]
        accepts = np.array([[label in known for label in found.tolist()] for known in right], np.bool_)
        return np.asarray(accepts[self.predicted, of_row])


def design_outcome(inputs: ProbeInput[Any], design: ClassDesign, prompts: PromptSet) -> DesignOutcome:
    """Classify all pictures by a design."""
    return DesignOutcome(design, predict_classes(inputs, design, prompts))


def design_labels(inputs: ProbeInput[Any], design: ClassDesign) -> npt.NDArray[np.str_] | None:
    """The label of each picture, "" where unknown; None where no class of the design is right for any of them."""
    if not inputs.dataset.has("label"):
        return None
    labels = np.array([str(label or "") for label in inputs.dataset.table.column("label").to_pylist()])
    known = [label for name in design.names for label in design.labels_of(name)]
    return labels if np.isin(labels, known).any() else None
