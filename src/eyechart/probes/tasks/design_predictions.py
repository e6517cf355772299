"""Predictions among the classes of a class design, picture by picture."""

from typing import Any

import numpy as np
import pyarrow as pa

from eyechart.data.class_design import ClassDesign
from eyechart.findings.attributes import attribute_text
from eyechart.findings.predictions import Predictions
from eyechart.metrics.calibration.logits import ListedLogits
from eyechart.metrics.classification.top_classes import TopClasses, top_classes
from eyechart.models.answering import CLASS_QUESTION, PictureQuestion
from eyechart.models.class_likelihoods import NamedClasses
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.classifier import class_cosines, shared_classifier
from eyechart.probes.tasks.picture_predictions import picture_predictions
from eyechart.prompts.prompt_set import PromptSet


def top_of_design(inputs: ProbeInput[Any], design: ClassDesign, prompts: PromptSet) -> TopClasses:
    """The best classes of every picture. A class of a design is never the true one."""
    cosines = class_cosines(inputs, shared_classifier(inputs, prompts, design.classes()))
    return top_classes(cosines, np.full(len(inputs.images), -1, np.int64), scale=inputs.logit_scale)


def top_by_likelihood(inputs: ProbeInput[Any], design: ClassDesign) -> TopClasses:
    """The best classes of every picture by the log-likelihood that the reply is a name of the class."""
    assert inputs.log_likelihoods is not None
    names = NamedClasses.of([c.names for c in design.classes()])
    asked = [PictureQuestion(row, CLASS_QUESTION) for row in range(len(inputs.dataset))]
    scores = names.scores(inputs.log_likelihoods(asked, [names.options] * len(asked))).astype(np.float32)
    listed = ListedLogits(lambda rows: scores[list(rows)], np.arange(len(scores)), np.arange(len(names.places)))
    return top_classes(listed, np.full(len(scores), -1, np.int64), scale=1.0)


def design_predictions(inputs: ProbeInput[Any], design: ClassDesign, top: TopClasses, prompts: str | None) -> Predictions:
    """The record that a probe hands back, with two attributes of the predicted class: `classes`, its group, and `harmful`."""
    groups = [design.group_of[design.names[number]] for number in top.predicted]
    harmful = [attribute_text(group in design.harmful) for group in groups]
    return picture_predictions(
        inputs,
        top,
        design.classes(),
        prompts=prompts,
        labeled=False,
        design=design.name,
        attributes={"classes": pa.array(groups, pa.string()), "harmful": pa.array(harmful, pa.string())},
    )
