"""Which class design a dataset is asked with, and what each picture is called under it."""

from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.data.class_design import ClassDesign, read_design
from eyechart.data.dataset import Dataset
from eyechart.metrics.classification.predictions import best_classes
from eyechart.probes.probe import NotApplicable, ProbeInput, TextRequest
from eyechart.probes.tasks.classifier import build_classifier, class_prompts
from eyechart.prompts.prompt_set import PromptSet

_OF_THE_WORLD = {"world-people": "world-people"}


def design_for(dataset: Dataset, named: str) -> ClassDesign:
    """The one that is named; else the one that comes with a dataset of the world. Nobody is sorted by a list that was not asked
    for."""
    name = named or _OF_THE_WORLD.get(str(dataset.reader.get("source")), "")
    if not name:
        raise NotApplicable("no class design was named; see docs/probes/class_groups.md for those there are and for your own")
    return read_design(name)


def design_texts(request: TextRequest[Any], designs: list[ClassDesign]) -> list[str]:
    said = [class_prompts(d.classes(), prompts) for d in designs for prompts in request.prompts]
    return list(dict.fromkeys(text for of_set in said for of_class in of_set for text in of_class))


def called(inputs: ProbeInput[Any], design: ClassDesign, prompts: PromptSet) -> Indices:
    """The number of the class that each picture is put in."""
    classifier = build_classifier(design.classes(), prompts, inputs.texts)
    return np.asarray(best_classes(inputs.images, classifier.vectors, classifier.duplicates))


def group_numbers(design: ClassDesign) -> Indices:
    """Of every class the number of its group."""
    groups = list(design.groups)
    return np.array([groups.index(design.group_of[name]) for name in design.names], np.int64)
