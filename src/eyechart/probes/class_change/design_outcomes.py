"""The same pictures under several class designs: who is harmed, who is named rightly, who moves."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Flags, Indices
from eyechart.data.class_design import ClassDesign
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.class_designs import called
from eyechart.prompts.prompt_set import PromptSet


@dataclass(frozen=True)
class DesignOutcome:
    """What every picture is called under a design."""

    design: ClassDesign
    answers: Indices

    @cached_property
    def names(self) -> npt.NDArray[np.str_]:
        return np.array(self.design.names)[self.answers]

    @cached_property
    def harmed(self) -> Flags:
        harmful = np.array([self.design.group_of[name] in self.design.harmful for name in self.design.names])
        return np.asarray(harmful[self.answers], np.bool_)

    def right(self, labels: npt.NDArray[np.str_]) -> Flags:
        return np.asarray(self.names == labels, np.bool_)


def outcome(inputs: ProbeInput[Any], design: ClassDesign, prompts: PromptSet) -> DesignOutcome:
    return DesignOutcome(design, called(inputs, design, prompts))


def labels_of(inputs: ProbeInput[Any], design: ClassDesign) -> npt.NDArray[np.str_] | None:
    """What the pictures show, "" where it is not told; None where no label is a class of the design: none could be right."""
    if not inputs.dataset.has("label"):
        return None
    labels = np.array([str(label or "") for label in inputs.dataset.table.column("label").to_pylist()])
    return labels if np.isin(labels, design.names).any() else None
