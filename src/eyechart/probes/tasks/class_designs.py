"""Class designs: which one applies to a dataset, and the class that each picture is predicted as."""

from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.data.class_design import ClassDesign, read_design
from eyechart.data.dataset import Dataset
from eyechart.probes.contract import NotApplicable, ProbeInput, TextRequest
from eyechart.probes.tasks.classifier import class_cosines, class_prompts, shared_classifier
from eyechart.prompts.prompt_set import PromptSet

_WORLD_DESIGNS = {"world-people": "world-people"}


def choose_design(dataset: Dataset, name: str) -> ClassDesign:
    """The design that the settings name, or the one that comes with a synthetic dataset.

    There is no default for other datasets: people are not classified by a list that nobody chose.

    Raises:
        NotApplicable: No design is named.
    """
    name = name or _WORLD_DESIGNS.get(str(dataset.reader.get("source")), "")
    if not name:
        raise NotApplicable("no class design is given; choose one with --design NAME|FILE, see docs/probes/class_groups.md")
    return read_design(name)


def design_texts(request: TextRequest[Any], designs: list[ClassDesign]) -> list[str]:
    """The prompts of all classes of these designs, each once."""
    by_set = [class_prompts(d.classes(), prompts) for d in designs for prompts in request.prompts]
    return list(dict.fromkeys(text for of_set in by_set for of_class in of_set for text in of_class))


def predict_classes(inputs: ProbeInput[Any], design: ClassDesign, prompts: PromptSet) -> Indices:
    """The number of the class that each picture is predicted as."""
    return class_cosines(inputs, shared_classifier(inputs, prompts, design.classes())).best()


def group_numbers(design: ClassDesign) -> Indices:
    """The number of the group of every class."""
    groups = list(design.groups)
    return np.array([groups.index(design.group_of[name]) for name in design.names], np.int64)
