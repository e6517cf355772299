"""The same question in other words: what the probe `prompts` compares for a model that scores answers."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from eyechart.arrays import Floats, Indices
from eyechart.metrics.calibration.logits import ListedLogits
from eyechart.metrics.calibration.readout import read
from eyechart.metrics.ranking.intervals import Scored
from eyechart.models.answering import CLASS_QUESTION, PictureQuestion
from eyechart.models.class_likelihoods import NamedClasses
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.classifier import known_classes
from eyechart.probes.tasks.ood_rows import OodRows, enough_ood, id_rows, ood_rows
from eyechart.probes.tasks.prompt_outcomes import PromptOutcome
from eyechart.prompts.prompt_set import PromptSet

# A question is a set of one; it has no place for a class name, which is scored as the reply.
WORDINGS = tuple(
    PromptSet(name, (question,), "eyechart")
    for name, question in (
        ("main object", CLASS_QUESTION),
        ("short phrase", "What is the main object in this picture? Answer with a word or a short phrase."),
        ("shown", "What does this picture show? Answer with the name only."),
        ("this", "What is this? Answer with a word."),
        ("instruction", "Name the main object in this picture."),
    )
)


def wording_outcomes(inputs: ProbeInput[Any], labeled: Indices) -> list[PromptOutcome]:
    """The predictions for the rows `labeled` under every wording: log-likelihoods of the class names as the reply."""
    inside, groups = id_rows(inputs), ood_rows(inputs)
    groups = groups if enough_ood(inside, groups) else []
    return [_outcome(inputs, wording, labeled, inside, groups) for wording in WORDINGS]


def _outcome(
    inputs: ProbeInput[Any], wording: PromptSet, labeled: Indices, inside: Indices, groups: Sequence[OodRows]
) -> PromptOutcome:
    truth = inputs.dataset.label_indices()[labeled]
    predicted, (found,) = read(_logits(inputs, inputs, wording, labeled), truth, [1.0])
    ood = None
    if groups:
        parts = [(inputs, inside), *((group.of, group.rows) for group in groups)]
        scores = [_confidence(inputs, of, wording, rows) for of, rows in parts]
        is_id = np.repeat([True, False], [len(inside), sum(map(len, groups))])
        clusters = np.concatenate([inputs.units[inside], *(group.clusters for group in groups)])
        ood = Scored(np.concatenate(scores), is_id, clusters)
    return PromptOutcome(wording, predicted, predicted == truth, found.confidence, found.nll, ood)


def _confidence(inputs: ProbeInput[Any], of: ProbeInput[Any], wording: PromptSet, rows: Indices) -> Any:
    """Maximum softmax probability over the class names."""
    return read(_logits(inputs, of, wording, rows), np.zeros(len(rows), np.int64), [1.0])[1][0].confidence


def _logits(inputs: ProbeInput[Any], of: ProbeInput[Any], wording: PromptSet, rows: Indices) -> ListedLogits:
    names = NamedClasses.of([c.names for c in known_classes(inputs)])

    def scores(chosen: Sequence[int]) -> Floats:
        assert of.log_likelihoods is not None
        asked = [PictureQuestion(int(row), wording.templates[0]) for row in chosen]
        return names.scores(of.log_likelihoods(asked, [names.options] * len(asked))).astype(np.float32)

    return ListedLogits(scores, np.asarray(rows), np.arange(len(names.places)))
