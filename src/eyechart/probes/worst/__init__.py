"""The worst classes: their accuracy, and whether it is below what chance explains."""

from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from eyechart.arrays import Counts
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
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
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.contract import Answer, ProbeInput, probe
from eyechart.probes.tasks.class_accuracies import ClassAccuracies, class_accuracies
from eyechart.probes.tasks.classifier import class_texts, class_titles, known_classes
from eyechart.probes.tasks.given_predictions import NO_CLASS
from eyechart.probes.tasks.predictors import Predictor, predictors
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.probes.worst.exhibits import WorstPredictions, confusions_exhibit, curve_exhibit, means_exhibit
from eyechart.probes.worst.metrics import METRICS


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `worst`.

    k: How many classes are the worst; 0 for ten, or for a tenth of fewer than a hundred.
    epsilon: The lowest class accuracy in smoothed means.
    resamples: Bootstrap resamples.
    seed: The seed of the bootstrap.
    """

    k: int = 0
    epsilon: float = 0.01
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.k < 0 or self.seed < 0 or self.resamples < 1 or not 0 < self.epsilon < 1:
            raise ValueError("k and seed must be at least 0, resamples at least 1, and epsilon between 0 and 1")


@probe(
    version=4,
    needs=("pictures", "labels", "classes"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("classify", "paper"),
    texts=class_texts,
    wants=("class_scores",),
    after=("zero_shot",),
    from_predictions=True,
    headline=("worst_at_k", "harmonic_mean_smoothed"),
)
def worst(inputs: ProbeInput[Settings]) -> Answer:
    """How accurate are the worst classes, and what are they confused with?

    From the class accuracies of zero_shot: worst@k, and the harmonic and geometric mean, raw and smoothed. The chance level of
    worst@k is what it would be if all classes were equally accurate.
    """
    parts = [_under(inputs, predictor) for predictor in predictors(inputs)]
    return Answer(
        findings=[f for part in parts for f in part.findings],
        exhibits=[e for part in parts for e in part.exhibits],
        notices=[n for part in parts for n in part.notices],
    )


def _under(inputs: ProbeInput[Settings], predictor: Predictor) -> Answer:
    settings, under = inputs.settings, predictor.slice
    measured = class_accuracies(inputs, under)
    k = min(settings.k or worst_count(len(measured.classes)), len(measured.classes))
    titles = [*class_titles(known_classes(inputs)), NO_CLASS]
    order = measured.classes[_lowest(measured, k)]
    predictions, clusters = _predictions(inputs, predictor, order)
    findings = [*_means(measured, k, settings), *_confusions(titles, order, predictions, clusters)]
    placed = [replace(f, slice={**f.slice, **under}) for f in findings]
    exhibits = [means_exhibit([measured.mean, *findings], k, under)]
    accuracies = np.zeros(len(titles))
    accuracies[measured.classes] = measured.accuracies
    exhibits += confusions_exhibit(titles, [int(c) for c in order], accuracies, predictions, under)
    exhibits += curve_exhibit(findings, under)
    return Answer(placed, exhibits, _notices_of(inputs, under, findings, [titles[c] for c in order]))


def curve_sizes(classes: int) -> list[int]:
    """1, 2, 5, 10, 20, 50, … up to all classes: the k of the curve of worst@k."""
    sizes = [digit * 10**power for power in range(len(str(classes))) for digit in (1, 2, 5)]
    return [*(size for size in sizes if size < classes), classes]


def _lowest(measured: ClassAccuracies, k: int) -> Counts:
    """The k classes of lowest accuracy; of ties, those with the most pictures, because their evidence is stronger."""
    return np.lexsort((-measured.pictures, measured.accuracies))[:k]


def _means(measured: ClassAccuracies, k: int, settings: Settings) -> list[Finding]:
    """Worst@k and the other means over classes. `n` is the number of pictures: those of the worst classes, or all."""
    accuracies, pictures, classes = measured.accuracies, measured.pictures, len(measured.classes)
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
    for size in curve_sizes(classes):
        low, high = worst_interval(size, accuracies, pictures, drawn, seed=settings.seed)
        value, count = float(worst_mean(accuracies, size)), int(pictures[_lowest(measured, size)].sum())
        found.append(
            Finding(metric="worst_curve", value=value, n=count, low=low, high=high, slice={"k": size}, interval=HOW_WORST)
        )
    even = float((accuracies * pictures).sum() / pictures.sum())
    by_chance = drawn_worst(k, even, pictures, np.random.default_rng(settings.seed), settings.resamples)
    low, high = percentile(by_chance, 0.95)
    how = "simulation with equally accurate classes, 95%"
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


def _predictions(inputs: ProbeInput[Settings], predictor: Predictor, worst: Counts) -> tuple[WorstPredictions, Counts]:
    """The predictions for the pictures of these classes, and their clusters."""
    truth = inputs.dataset.label_indices()
    rows = np.flatnonzero(np.isin(truth, worst))
    classes, ids = known_classes(inputs), inputs.dataset.ids()
    given = predictor.predict(inputs, rows, np.arange(len(classes)))
    predicted = np.where(given < 0, len(classes), given)  # no class of the list
    return WorstPredictions(truth[rows], predicted, [ids[row] for row in rows]), inputs.units[rows]


def _confusions(titles: list[str], worst: Counts, predictions: WorstPredictions, clusters: Counts) -> list[Finding]:
    """For each of the worst classes, the share of its pictures that are predicted as its most frequent wrong class."""
    findings = []
    for c in worst:
        for other, _ in predictions.confusions(int(c))[:1]:
            mine = predictions.truth == c
            share = clustered_share(predictions.predicted[mine] == other, np.unique(clusters[mine], return_inverse=True)[1])
            findings.append(share_finding("confusion", share, {"class": titles[c], "predicted": titles[other]}))
    return findings


def _notices_of(inputs: ProbeInput[Settings], under: dict[str, str], findings: list[Finding], worst: list[str]) -> list[Notice]:
    """A warning where worst@k is below the range that chance explains."""
    by_name = {f.metric: f for f in findings}
    found, chance = by_name["worst_at_k"], by_name["worst_at_k_chance"]
    if found.value is None or chance.low is None or found.value >= chance.low:
        return []
    which = f" with prompts {under['prompts']}" if "prompts" in under else ""
    what = (
        f"{inputs.model}{which}: the {counted(len(worst), 'worst class', 'worst classes')} "
        f"{'is' if len(worst) == 1 else 'are'} at {percent(found.value)}, where equally accurate classes would give "
        f"{percent(chance.value or 0)}: {shortened(worst)}"
    )
    return [Notice(inputs.dataset.name, what, "see their confusions; other class names or descriptions may help")]
