"""The worst classes: how low they are, and whether more than chance put them there."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from eyechart.arrays import Counts
from eyechart.findings.finding import Finding
from eyechart.metrics.classification.predictions import best_classes
from eyechart.metrics.classification.worst_classes import (
    HOW_SUMMARY,
    HOW_WORST,
    drawn_accuracies,
    drawn_worst,
    geometric_mean,
    harmonic_mean,
    summary_interval,
    worst_count,
    worst_interval,
    worst_mean,
)
from eyechart.metrics.intervals import percentile, wilson
from eyechart.metrics.intervals.clustered_shares import HOW, clustered_share
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.probe import Answer, ProbeInput, probe
from eyechart.probes.tasks.classifier import build_classifier, class_texts, class_titles, known_classes
from eyechart.probes.tasks.measured_classes import MeasuredClasses, measured_classes
from eyechart.probes.worst.exhibits import Mistaken, means_exhibit, partners_exhibit
from eyechart.probes.worst.metrics import METRICS
from eyechart.prompts.prompt_set import PromptSet


@dataclass(frozen=True)
class Settings:
    """k: how many classes are the worst, 0 for ten, or a tenth where there are fewer than a hundred. epsilon: what a class of
    lower accuracy counts as in smoothed means. resamples, seed: of the draws."""

    k: int = 0
    epsilon: float = 0.01
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.k < 0 or self.seed < 0 or self.resamples < 1 or not 0 < self.epsilon < 1:
            raise ValueError("k and seed are whole numbers from 0 up, resamples from 1 up, epsilon lies between 0 and 1")


@probe(
    version=2,
    needs=("images", "texts", "labels", "classes"),
    settings=Settings(),
    metrics=METRICS,
    texts=class_texts,
    after=("zero_shot",),
    headline=("worst_at_k", "harmonic_mean_smoothed"),
)
def worst(inputs: ProbeInput[Settings]) -> Answer:
    """How low are the worst classes that a good average hides, and what are they taken for?

    The accuracies are those that zero_shot found. Worst@k, the harmonic and the geometric mean, raw and smoothed; beside worst@k
    stands what chance alone would show if all classes were alike.
    """
    parts = [_under(inputs, prompts) for prompts in inputs.prompts]
    return Answer(
        findings=[f for part in parts for f in part.findings],
        exhibits=[e for part in parts for e in part.exhibits],
        notices=[n for part in parts for n in part.notices],
    )


def _under(inputs: ProbeInput[Settings], prompts: PromptSet) -> Answer:
    settings: Settings = inputs.settings
    measured = measured_classes(inputs, prompts.name)
    k = min(settings.k or worst_count(len(measured.places)), len(measured.places))
    under = {"prompts": prompts.name}
    titles = class_titles(known_classes(inputs))
    order = measured.places[_lowest(measured, k)]
    mistaken, clusters = _mistaken(inputs, prompts, order)
    findings = [*_means(measured, k, settings), *_taken_for(titles, order, mistaken, clusters)]
    placed = [replace(f, slice={**f.slice, **under}) for f in findings]
    exhibits = [means_exhibit([measured.mean, *findings], k, under)]
    accuracies = np.zeros(len(titles))
    accuracies[measured.places] = measured.accuracies
    exhibits += partners_exhibit(titles, [int(c) for c in order], accuracies, mistaken, under)
    return Answer(placed, exhibits, _notices_of(inputs, prompts, findings, [titles[c] for c in order]))


def _lowest(measured: MeasuredClasses, k: int) -> Counts:
    """Among classes of equal accuracy those with most pictures are the surest to be bad."""
    return np.lexsort((-measured.pictures, measured.accuracies))[:k]


def _means(measured: MeasuredClasses, k: int, settings: Settings) -> list[Finding]:
    """n is the number of pictures that a mean was measured on: those of the worst classes, or all."""
    accuracies, pictures, classes = measured.accuracies, measured.pictures, len(measured.places)
    n, of_worst = int(pictures.sum()), int(pictures[_lowest(measured, k)].sum())
    drawn = drawn_accuracies(accuracies, pictures, seed=settings.seed, resamples=settings.resamples)
    low, high = worst_interval(k, accuracies, pictures, drawn, seed=settings.seed)
    found = [
        Finding(
            metric="worst_at_k",
            value=float(worst_mean(accuracies, k)),
            n=of_worst,
            low=low,
            high=high,
            slice={"k": k},
            interval=HOW_WORST,
        )
    ]
    for name, mean in (("harmonic_mean", harmonic_mean), ("geometric_mean", geometric_mean)):
        for epsilon, ending, of in ((0.0, "", {}), (settings.epsilon, "_smoothed", {"epsilon": settings.epsilon})):
            summary = partial(mean, least=epsilon)
            low, high = summary_interval(summary, accuracies, drawn)
            found.append(
                Finding(
                    metric=name + ending,
                    value=float(summary(accuracies)),
                    n=n,
                    low=low,
                    high=high,
                    slice=of,
                    interval=HOW_SUMMARY,
                )
            )
    even = float((accuracies * pictures).sum() / pictures.sum())
    by_chance = drawn_worst(k, even, pictures, np.random.default_rng(settings.seed), settings.resamples)
    low, high = percentile(by_chance, 0.95)
    how = "draws in which all classes are alike, 95%"
    found.append(
        Finding(metric="worst_at_k_chance", value=float(by_chance.mean()), n=n, low=low, high=high, slice={"k": k}, interval=how)
    )
    never = int((accuracies == 0).sum())
    few, many = wilson(never, classes)
    how = "Wilson over classes, 95%"
    return [
        *found,
        Finding(
            metric="zero_accuracy_share",
            value=never / classes,
            n=classes,
            low=float(few),
            high=float(many),
            slice={},
            interval=how,
        ),
    ]


def _mistaken(inputs: ProbeInput[Settings], prompts: PromptSet, worst: Counts) -> tuple[Mistaken, Counts]:
    """What the pictures of these classes are taken for, and which of them are copies. Only they are looked at again."""
    truth = inputs.dataset.label_indices()
    rows = np.flatnonzero(np.isin(truth, worst))
    classifier = build_classifier(known_classes(inputs), prompts, inputs.texts)
    ids = inputs.dataset.ids()
    predicted = best_classes(inputs.images[rows], classifier.vectors, classifier.duplicates)
    return Mistaken(truth[rows], predicted, [ids[row] for row in rows]), inputs.clusters[rows]


def _taken_for(titles: list[str], worst: Counts, mistaken: Mistaken, clusters: Counts) -> list[Finding]:
    """The share of each worst class's pictures that its first partner takes."""
    findings = []
    for c in worst:
        for taken, _ in mistaken.partners(int(c))[:1]:
            mine = mistaken.truth == c
            share = clustered_share(mistaken.predicted[mine] == taken, np.unique(clusters[mine], return_inverse=True)[1])
            which = {"class": titles[c], "predicted": titles[taken]}
            value, low, high = share.estimate
            findings.append(Finding(metric="confusion", value=value, n=share.n, low=low, high=high, slice=which, interval=HOW))
    return findings


def _notices_of(inputs: ProbeInput[Settings], prompts: PromptSet, findings: list[Finding], worst: list[str]) -> list[Notice]:
    """Said where the worst classes are lower than chance would put the worst of classes that are alike."""
    by_name = {f.metric: f for f in findings}
    found, chance = by_name["worst_at_k"], by_name["worst_at_k_chance"]
    if found.value is None or chance.low is None or found.value >= chance.low:
        return []
    what = (
        f"{inputs.model} with prompts {prompts.name}: {counted(len(worst), 'class', 'classes')} far below the others, at "
        f"{found.value:.1%} where chance would leave {chance.value or 0:.1%}: {shortened(worst)}"
    )
    return [Notice(inputs.dataset.name, what, "see what they are taken for; other names or richer descriptions may part them")]
