"""A repair from top to bottom: split the pictures, weigh the prompts, describe the worst classes, choose, set temperature and
thresholds, and measure before and after on what was not seen."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices
from eyechart.classifier import Classifier
from eyechart.data.class_design import read_design
from eyechart.data.classes import ClassList
from eyechart.findings.finding import Finding
from eyechart.metrics.calibration.temperature import Temperature
from eyechart.metrics.prompts.weights import Weights, weighted_classes
from eyechart.notice import Notice
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.classifier import build_classifier, class_titles
from eyechart.probes.tasks.groups import subgroups
from eyechart.prompts.prompt_set import PromptSet
from eyechart.repair.candidates import Candidate, candidates, worst_by_margin
from eyechart.repair.cautions import cautions
from eyechart.repair.choosing import CandidateScore, choose, score, worst_labels
from eyechart.repair.class_lists import Lists, class_lists, known_labels
from eyechart.repair.descriptions import Describes
from eyechart.repair.fitting import bare_classifier, calibrated, unpromised, with_temperature
from eyechart.repair.measuring import Held, harm_findings, measured
from eyechart.repair.outcome import ClassifierOutcome, ask
from eyechart.repair.parts import Parts, require_labelled, split
from eyechart.repair.record import record
from eyechart.repair.settings import Settings
from eyechart.repair.spoken import pool_of, spoken
from eyechart.repair.weighing import UNIFORM, Pool, Workplace, weigh

Labels = npt.NDArray[np.str_]

CLIP_SCALE = 100.0  # the logit scale that CLIP models end at
AS_BEFORE = "as before"


@dataclass(frozen=True, eq=False)
class Repaired:
    """The classifier before and after, and what is known of both: on held-out pictures alone, but for `scores`, which are those
    of the candidates on the part that the choice was made on."""

    before: Classifier
    after: Classifier
    chosen: Candidate
    scores: dict[str, tuple[CandidateScore, CandidateScore]]  # of each candidate, on the part looked at and on the held-out one
    aimed_at: tuple[str, ...]
    outcomes: tuple[ClassifierOutcome, ClassifierOutcome]
    held: Held
    templates: tuple[str, ...]
    findings: list[Finding]
    notices: list[Notice]


def repair(
    inputs: ProbeInput[Any], settings: Settings, describes: Describes | None = None, workplace: Workplace | None = None
) -> Repaired:
    """`inputs.prompts`: the first set makes the classifier as it was; the templates of all of them are the pool to weigh."""
    lists = class_lists(inputs.dataset.classes, settings.design, settings.change)
    labels = _labels(inputs)
    require_labelled(known_labels(labels, lists))
    parts = split(_numbers(labels), inputs.clusters, seed=settings.seed)
    scale, notices = model_scale(inputs)

    was = build_classifier(lists.before, inputs.prompts[0], inputs.texts)
    before = bare_classifier(lists.before, was.vectors[was.duplicates], scale, inputs.logit_bias, settings)
    found, worst, more = _candidates(inputs, lists.after, parts, labels, settings, describes, workplace or Workplace())
    chosen, scores = _chosen(inputs, found, before, lists.after, parts, labels, settings)

    bare = bare_classifier(lists.after, chosen.vectors, scale, inputs.logit_bias, settings)
    fit, held_out = parts.fit, parts.held_out
    scaled, fitted = with_temperature(bare, inputs.images[fit], labels[fit], inputs.clusters[fit])
    after = calibrated(scaled, inputs.images[parts.calibrate], labels[parts.calibrate], settings)

    held = _held(inputs, lists, parts, labels, settings, tuple(lists.after[int(c)].label for c in worst))
    then, now = (ask(classifier, inputs.images[held_out], labels[held_out]) for classifier in (before, after))
    findings = measured(then, now, held)
    if lists.harmful_before.any():
        findings += harm_findings(lists.harmful_before[then.answers], lists.harmful_after[now.answers], held)
    templates = pool_of(inputs.prompts)
    about = record(inputs, settings, lists, parts, found, chosen, worst, fitted, findings)
    return Repaired(
        before,
        replace(after, about=about),
        chosen,
        scores,
        tuple(held.aimed_at),
        (then, now),
        held,
        templates,
        findings,
        [
            *cautions(inputs, lists, labels, held, (then, now), findings),
            *notices,
            *more,
            *_bound(inputs, fitted),
            *unpromised(inputs, after, settings),
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
    if inputs.logit_scale is not None:
        return inputs.logit_scale, []
    what = f"the model has no logit scale: its cosines were multiplied by CLIP's {CLIP_SCALE:g} before the temperature"
    return CLIP_SCALE, [Notice(inputs.model, what, "probabilities before the repair mean nothing")]


def _candidates(
    inputs: ProbeInput[Any],
    classes: ClassList,
    parts: Parts,
    labels: Labels,
    settings: Settings,
    describes: Describes | None,
    workplace: Workplace,
) -> tuple[list[Candidate], Indices, list[Notice]]:
    """Everything that may be tried, and the classes that were taken for the worst."""
    templates, count = pool_of(inputs.prompts), settings.worst_of(len(classes))
    looked = inputs.images[np.concatenate([parts.fit, parts.unlabelled])]
    called = [c.names for c in classes]
    plain = spoken(called, templates, inputs.texts)
    weights = weigh(looked, Pool(templates, called, plain), settings, workplace)
    notices = [Notice(inputs.model, f"{name}: {of.note}") for name, of in weights.items() if of.note]
    if len(templates) == 1 and settings.weights not in ("auto", UNIFORM):
        what = f"{settings.weights}: there is one template alone, and nothing to weigh"
        notices.append(Notice(inputs.model, what, "name a set of several, such as --prompts openai-80"))
    alone = {prompts.name: _alone(prompts, templates) for prompts in inputs.prompts}
    own = alone.pop(inputs.prompts[0].name)
    if settings.weights == "auto" and alone:
        weights = {AS_BEFORE: own, **alone, **weights}
    vectors = weighted_classes(plain, own.weights)
    if settings.find == "labels":
        class_labels = np.array([c.label for c in classes])
        right = ask(bare_classifier(classes, vectors, 1.0, 0.0, settings), inputs.images[parts.fit], labels[parts.fit]).right
        worst = np.flatnonzero(np.isin(class_labels, worst_labels(right, labels[parts.fit], count)))
    else:
        reference = weighted_classes(plain, np.full(len(templates), 1 / len(templates)))
        worst = worst_by_margin(looked, vectors, reference, count)
        if own.kept.all():
            what = "the worst classes were found by the margins of a classifier under its own labels, which are never negative"
            notices.append(Notice(inputs.model, what, "name a second prompt set, or find them by labels"))
    found = candidates(weights, classes, templates, inputs.texts, worst=worst, describes=describes)
    return found, worst, notices


def _alone(prompts: PromptSet, templates: Sequence[str]) -> Weights:
    """The templates of one set, weighing the same."""
    kept = np.isin(templates, prompts.templates)
    return Weights(kept / kept.sum(), kept)


def _chosen(
    inputs: ProbeInput[Any],
    found: Sequence[Candidate],
    before: Classifier,
    classes: ClassList,
    parts: Parts,
    labels: Labels,
    settings: Settings,
) -> tuple[Candidate, dict[str, tuple[CandidateScore, CandidateScore]]]:
    """What was asked for; where that is "auto", the best on the part that was looked at."""
    class_labels, count = np.array([c.label for c in classes]), settings.worst_of(len(classes))

    def on(vectors: Floats, of_class: Labels, rows: Indices) -> CandidateScore:
        return score(vectors, of_class, inputs.images[rows], labels[rows], count, inputs.clusters[rows])

    looked = [on(c.vectors, class_labels, parts.fit) for c in found]
    held_out = [on(c.vectors, class_labels, parts.held_out) for c in found]
    as_it_was = on(before.vectors, np.array(before.labels), parts.fit)
    best = choose(found, looked, as_it_was, settings.cost) if settings.weights == "auto" else len(found) - 1
    return found[best], {c.name: (a, b) for c, a, b in zip(found, looked, held_out, strict=True)}


def _held(
    inputs: ProbeInput[Any], lists: Lists, parts: Parts, labels: Labels, settings: Settings, aimed_at: tuple[str, ...]
) -> Held:
    titles = dict(zip((c.label for c in lists.before), class_titles(lists.before), strict=True))
    attributes = read_design(settings.design).attributes if settings.design else ()
    groups = subgroups(inputs.dataset.take(parts.held_out), attributes, settings.least)
    units = np.unique(inputs.clusters[parts.held_out], return_inverse=True)[1]
    count = settings.worst_of(len(lists.after))
    return Held(labels[parts.held_out], titles, units, groups, count, tuple(dict.fromkeys(aimed_at)), settings.seed)


def _bound(inputs: ProbeInput[Any], fitted: Temperature) -> list[Notice]:
    if fitted.bound is None:
        return []
    why = "every answer is right" if fitted.bound == "coldest" else "the scores say nothing of the labels"
    return [Notice(inputs.model, f"no temperature could be fitted, since {why}", "fit it on more or harder pictures")]
