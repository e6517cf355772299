"""The repair of a classifier: split the pictures, weight the templates, describe the worst classes, select a candidate, calibrate
it, and evaluate both classifiers on held-out pictures."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices
from eyechart.classifier import Classifier
from eyechart.data.class_design import read_design
from eyechart.findings.finding import Finding
from eyechart.metrics.calibration.temperature import Temperature
from eyechart.notice import Notice
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.classifier import build_classifier, class_titles
from eyechart.probes.tasks.groups import subgroups
from eyechart.repair.candidate_search import find_candidates, select_candidate
from eyechart.repair.candidates import Candidate
from eyechart.repair.choosing import CandidateScore
from eyechart.repair.class_lists import ClassLists, class_lists, known_labels
from eyechart.repair.classifier_outcome import ClassifierOutcome, predict
from eyechart.repair.data_split import DataSplit, require_labeled, split
from eyechart.repair.descriptions import Describer
from eyechart.repair.evaluation import HeldOut, evaluate, harm_findings
from eyechart.repair.fitting import bare_classifier, calibrated, unmet_targets, with_temperature
from eyechart.repair.notices import quality_notices
from eyechart.repair.prompt_vectors import template_pool
from eyechart.repair.provenance import provenance
from eyechart.repair.settings import Settings
from eyechart.repair.template_weighting import Checkpoint

Labels = npt.NDArray[np.str_]

CLIP_SCALE = 100.0  # the logit scale of trained CLIP models


@dataclass(frozen=True, eq=False)
class Repaired:
    """The classifier before and after the repair.

    before: The original classifier.
    after: The repaired classifier.
    chosen: The selected candidate.
    scores: Of each candidate, on the fitting part and on the held-out part; only the first decides the selection.
    targeted: The labels with the worst classes on the fitting part.
    outcomes: Predictions on the held-out pictures, before and after.
    held_out: The held-out pictures.
    templates: All templates of the pool.
    findings: All metrics of the repair, on held-out pictures.
    notices: Warnings, each with a remedy.
    """

    before: Classifier
    after: Classifier
    chosen: Candidate
    scores: dict[str, tuple[CandidateScore, CandidateScore]]
    targeted: tuple[str, ...]
    outcomes: tuple[ClassifierOutcome, ClassifierOutcome]
    held_out: HeldOut
    templates: tuple[str, ...]
    findings: list[Finding]
    notices: list[Notice]


def repair(
    inputs: ProbeInput[Any], settings: Settings, describer: Describer | None = None, checkpoint: Checkpoint | None = None
) -> Repaired:
    """Repair a zero-shot classifier.

    Args:
        inputs: The pictures and prompt sets. The first prompt set makes the original classifier; the templates of all sets are
            the pool to weight.
        settings: What may be done.
        describer: Gives descriptions of classes; None for none.
        checkpoint: Where template scores are saved.
    """
    lists = class_lists(inputs.dataset.classes, settings.design, settings.change)
    labels = _labels(inputs)
    require_labeled(known_labels(labels, lists))
    parts = split(_numbers(labels), inputs.units, seed=settings.seed)
    scale, notices = model_scale(inputs)

    original = build_classifier(lists.before, inputs.prompts[0], inputs.texts)
    before = bare_classifier(lists.before, original.vectors[original.duplicates], scale, inputs.logit_bias, settings)
    found, worst, more = find_candidates(inputs, lists.after, parts, labels, settings, describer, checkpoint or Checkpoint())
    chosen, scores = select_candidate(inputs, found, before, lists.after, parts, labels, settings)

    bare = bare_classifier(lists.after, chosen.vectors, scale, inputs.logit_bias, settings)
    fit = parts.fit
    scaled, fitted = with_temperature(bare, inputs.images[fit], labels[fit], inputs.units[fit])
    after = calibrated(scaled, inputs.images[parts.calibrate], labels[parts.calibrate], settings)

    held_out = _held_out(inputs, lists, parts, labels, settings, tuple(lists.after[int(c)].label for c in worst))
    images = inputs.images[parts.held_out]
    outcomes = (predict(before, images, held_out.labels), predict(after, images, held_out.labels))
    findings = evaluate(*outcomes, held_out)
    if lists.harmful_before.any():
        findings += harm_findings(lists.harmful_before[outcomes[0].answers], lists.harmful_after[outcomes[1].answers], held_out)
    templates = template_pool(inputs.prompts)
    about = provenance(inputs, settings, lists, parts, found, chosen, worst, fitted, findings)
    return Repaired(
        before,
        replace(after, about=about),
        chosen,
        scores,
        tuple(held_out.targeted),
        outcomes,
        held_out,
        templates,
        findings,
        [
            *quality_notices(inputs, lists, labels, held_out, outcomes, findings),
            *notices,
            *more,
            *_bound(inputs, fitted),
            *unmet_targets(inputs, after, settings),
        ],
    )


def _labels(inputs: ProbeInput[Any]) -> Labels:
    if not inputs.dataset.has("label"):
        return np.full(len(inputs.images), "")
    return np.array([label or "" for label in inputs.dataset.table.column("label").to_pylist()], np.str_)


def _numbers(labels: Labels) -> Indices:
    _, numbers = np.unique(labels, return_inverse=True)
    return np.where(labels == "", -1, numbers)


def model_scale(inputs: ProbeInput[Any]) -> tuple[float, list[Notice]]:
    """The model's logit scale, or that of CLIP with a notice."""
    if inputs.logit_scale is not None:
        return inputs.logit_scale, []
    what = f"the model has no logit scale, so that of CLIP is used ({CLIP_SCALE:g})"
    return CLIP_SCALE, [Notice(inputs.model, what, "ignore the probabilities before the repair")]


def _held_out(
    inputs: ProbeInput[Any], lists: ClassLists, parts: DataSplit, labels: Labels, settings: Settings, targeted: tuple[str, ...]
) -> HeldOut:
    titles = dict(zip((c.label for c in lists.before), class_titles(lists.before), strict=True))
    attributes = read_design(settings.design).attributes if settings.design else ()
    groups = subgroups(inputs.dataset.take(parts.held_out), attributes, settings.least)
    clusters = np.unique(inputs.units[parts.held_out], return_inverse=True)[1]
    count = settings.worst_of(len(lists.after))
    return HeldOut(labels[parts.held_out], titles, clusters, groups, count, tuple(dict.fromkeys(targeted)), settings.seed)


def _bound(inputs: ProbeInput[Any], fitted: Temperature) -> list[Notice]:
    if fitted.bound is None:
        return []
    why = "every answer is correct" if fitted.bound == "coldest" else "the scores are unrelated to the labels"
    return [Notice(inputs.model, f"no temperature could be fitted: {why}", "use more or harder pictures")]
