"""The search for a better classifier: all candidates, and the selected one."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices
from eyechart.classifier import Classifier
from eyechart.data.classes import ClassList
from eyechart.metrics.prompts.weights import Weights, weighted_classes
from eyechart.notice import Notice
from eyechart.probes.contract import ProbeInput
from eyechart.prompts.prompt_set import PromptSet
from eyechart.repair.baselines import ORACLE, random_descriptions, true_classes
from eyechart.repair.candidates import Candidate, candidates, described_classes, enriched, tied, worst_by_margin
from eyechart.repair.choosing import CandidateScore, choose, score, worst_labels
from eyechart.repair.classifier_outcome import predict
from eyechart.repair.data_split import DataSplit
from eyechart.repair.descriptions import Describer, phrases, unused_descriptions
from eyechart.repair.fitting import bare_classifier
from eyechart.repair.prompt_vectors import prompt_vectors, template_pool
from eyechart.repair.settings import Settings
from eyechart.repair.template_weighting import UNIFORM, Checkpoint, TemplatePool, oracle_weights, weigh_templates

Labels = npt.NDArray[np.str_]

AS_BEFORE = "as before"  # the templates of the original classifier
COLLAPSED = 0.9  # the share of one template above which an ensemble is hardly one


def find_candidates(
    inputs: ProbeInput[Any],
    classes: ClassList,
    parts: DataSplit,
    labels: Labels,
    settings: Settings,
    describer: Describer | None,
    checkpoint: Checkpoint,
) -> tuple[list[Candidate], Indices, list[Notice]]:
    """All candidates, the indices of the worst classes, and notices."""
    templates, count = template_pool(inputs.prompts), settings.worst_of(len(classes))
    images = inputs.images[np.concatenate([parts.fit, parts.unlabeled])]
    class_names = [c.names for c in classes]
    plain = prompt_vectors(class_names, templates, inputs.texts)
    weights = weigh_templates(images, TemplatePool(templates, class_names, plain), settings, checkpoint)
    notices = [Notice(inputs.model, f"{name}: {found.note}") for name, found in weights.items() if found.note]
    if len(templates) == 1 and settings.weights not in ("auto", UNIFORM):
        what = f"{settings.weights}: there is only one template, so there is nothing to weight"
        notices.append(Notice(inputs.model, what, "choose a prompt set with several, such as --prompts openai-80"))
    single = {prompts.name: _single_set(prompts, templates) for prompts in inputs.prompts}
    own = single.pop(inputs.prompts[0].name)
    if settings.weights == "auto" and single:
        weights = {AS_BEFORE: own, **single, **weights}
    vectors = weighted_classes(plain, own.weights)
    if settings.find == "labels":
        class_labels = np.array([c.label for c in classes])
        bare = bare_classifier(classes, vectors, 1.0, 0.0, settings)
        correct = predict(bare, inputs.images[parts.fit], labels[parts.fit]).correct
        worst = np.flatnonzero(np.isin(class_labels, worst_labels(correct, labels[parts.fit], count)))
    else:
        reference = weighted_classes(plain, np.full(len(templates), 1 / len(templates)))
        worst = worst_by_margin(images, vectors, reference, count)
        if own.kept.all():
            what = "the worst classes were found by margins to the classifier's own predictions, which are never negative"
            notices.append(Notice(inputs.model, what, "add a second prompt set, or use --find labels"))
    rows = np.arange(len(classes)) if settings.describe_all else worst
    found = candidates(weights, classes, templates, inputs.texts, rows=rows, describer=describer)
    used = [classes[int(c)].name for c in rows]
    notices += [*unused_descriptions(describer, used), *weight_notices(inputs.model, weights, len(classes), len(images))]
    if settings.baselines:
        pool = TemplatePool(templates, class_names, plain)
        truth = np.array(true_classes([str(label) for label in labels[parts.fit]], classes), np.int64)
        oracle = oracle_weights(inputs.images[parts.fit], truth, pool, settings)
        found += _baselines(found, oracle, classes, rows, pool, inputs, settings, describer)
    return found, worst, notices


def weight_notices(model: str, weights: Mapping[str, Weights], classes: int, pictures: int) -> list[Notice]:
    """Warnings about weights that rest on one template, and margins that rest on fewer pictures than there are classes."""
    found = []
    for name, of in weights.items():
        share = float(of.weights.max())
        if int(of.kept.sum()) > 1 and share > COLLAPSED:
            what = f"{name}: one template has {share:.0%} of the weight, so that the ensemble is hardly one"
            found.append(Notice(model, what, "lower --scale to spread the weights"))
    if classes > pictures:
        what = f"there are {classes:,} classes and {pictures:,} pictures to weight the templates: most classes have no picture"
        found.append(Notice(model, what, "add pictures, or take the weights with caution"))
    return found


def _baselines(
    found: Sequence[Candidate],
    oracle: Weights | None,
    classes: ClassList,
    rows: Indices,
    pool: TemplatePool,
    inputs: ProbeInput[Any],
    settings: Settings,
    describer: Describer | None,
) -> list[Candidate]:
    """CPE with true labels; and, under the weights of the last candidate, descriptions that should help less or more."""
    made = []
    if oracle is not None:
        vectors = weighted_classes(pool.vectors, oracle.weights)
        made.append(Candidate(ORACLE, tied(vectors), oracle, {}, baseline="oracle"))
    last, templates, texts = found[-1], pool.templates, inputs.texts
    plain = weighted_classes(pool.vectors, last.weights.weights)
    said = random_descriptions(settings.seed)
    noise = {int(c): phrases(classes[int(c)].name, said) for c in rows}
    listed = [("random words", noise, False)]
    if described := described_classes(classes, rows, describer):
        everything = described_classes(classes, np.arange(len(classes)), describer)
        listed.append(("descriptions alone, averaged", described, True))
        if not settings.describe_all and len(everything) > len(described):
            listed.append(("descriptions of all classes", everything, False))
    for title, of, alone in listed:
        vectors = enriched(plain, of, last.weights, templates, texts, alone=alone)
        made.append(Candidate(last.weighting, vectors, last.weights, of, baseline=title))
    return made


def _single_set(prompts: PromptSet, templates: Sequence[str]) -> Weights:
    """The templates of one set, with equal weights."""
    kept = np.isin(templates, prompts.templates)
    return Weights(kept / kept.sum(), kept)


def select_candidate(
    inputs: ProbeInput[Any],
    found: Sequence[Candidate],
    before: Classifier,
    classes: ClassList,
    parts: DataSplit,
    labels: Labels,
    settings: Settings,
) -> tuple[Candidate, dict[str, tuple[CandidateScore, CandidateScore]]]:
    """The requested candidate, or with "auto" the best on the fitting part; and the scores of all candidates."""
    class_labels, count = np.array([c.label for c in classes]), settings.worst_of(len(classes))

    def on(vectors: Floats, of_class: Labels, rows: Indices) -> CandidateScore:
        return score(vectors, of_class, inputs.images[rows], labels[rows], count, inputs.units[rows])

    fitting = [on(c.vectors, class_labels, parts.fit) for c in found]
    held_out = [on(c.vectors, class_labels, parts.held_out) for c in found]
    original = on(before.vectors, np.array(before.labels), parts.fit)
    eligible = [i for i, c in enumerate(found) if not c.baseline]
    tried, scored = [found[i] for i in eligible], [fitting[i] for i in eligible]
    best = eligible[choose(tried, scored, original, settings.cost) if settings.weights == "auto" else -1]
    return found[best], {c.name: (a, b) for c, a, b in zip(found, fitting, held_out, strict=True)}
