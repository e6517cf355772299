"""Visual factors: accuracy on pictures with unusual pose, light, size, background, … (ImageNet-X, Idrissi et al., 2023)."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.dataset import Dataset
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import HOW_TWO, ClusteredShare, clustered_share, share_ratio
from eyechart.metrics.intervals.slices import worst_gap_interval
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.factors.conjunctions import Conjunction, conditions, conjunctions, with_p_values
from eyechart.probes.factors.correct_predictions import COUNTS, correct_predictions
from eyechart.probes.factors.exhibits import (
    PredictedPictures,
    conjunction_exhibit,
    errors_exhibit,
    factor_exhibits,
    paired_exhibit,
)
from eyechart.probes.factors.metrics import METRICS
from eyechart.probes.tasks.classifier import class_texts, class_titles, known_classes
from eyechart.probes.tasks.factor_columns import FactorColumns, factor_columns
from eyechart.probes.tasks.factor_pairs import scene_pairs, scene_units
from eyechart.probes.tasks.given_predictions import NO_CLASS, SLICE, given_predictions
from eyechart.probes.tasks.predictors import predictors
from eyechart.probes.tasks.share_findings import difference_finding, share_finding


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `factors`.

    counts: What counts as correct: "label", "metaclass" or "real", see `correct_predictions`.
    least: Pictures that a factor or combination needs to be reported.
    conjunctions: How many of the worst combinations are reported.
    permutations: Permutations of the test of combinations.
    scene: The column with the scene of each picture, for pairs with and without a factor.
    seed: The seed of the permutations.
    """

    counts: str = "label"
    least: int = 30
    conjunctions: int = 200
    permutations: int = 1000
    scene: str = "attr.scene"
    seed: int = 0

    def __post_init__(self) -> None:
        if self.counts not in COUNTS:
            raise ValueError(f"counts is {self.counts!r}; choose one of {', '.join(COUNTS)}")
        if self.least < 1 or self.permutations < 1 or self.conjunctions < 0 or self.seed < 0:
            raise ValueError("least and permutations must be at least 1, conjunctions and seed at least 0")


@dataclass(frozen=True)
class _AnnotatedPictures:
    """The labeled pictures with annotated factors, and the factors that mark enough of them.

    inputs: The probe's input.
    dataset: These pictures.
    rows: Their rows in the input.
    truth: Their classes.
    factors: The factors that mark enough pictures.
    every: The marks of all factors [n, F]; pairs of one scene must agree in all other factors, rare ones included.
    units: Pictures of one number show one scene.
    pictures: Positions of one row of each different picture.
    """

    inputs: ProbeInput[Settings]
    dataset: Dataset
    rows: Indices
    truth: Indices
    factors: FactorColumns
    every: Flags
    units: Indices
    pictures: Indices


@probe(
    version=3,
    needs=("pictures", "labels", "classes", "factors"),
    settings=Settings(),
    metrics=METRICS,
    among="all classes of the dataset, for pictures with a factor and for all",
    profiles=("classify", "paper"),
    texts=class_texts,
    wants=("class_scores",),
    from_predictions=True,
    headline=("overall_accuracy", "worst_factor_accuracy", "worst_factor_gap"),
)
def factors(inputs: ProbeInput[Settings]) -> Answer:
    """Which visual factors cost accuracy?

    Accuracy where a factor is marked is compared with accuracy on all annotated pictures (ImageNet-X, Idrissi et al., 2023): the
    difference, the ratio of error rates, and the worst factor. Where one scene is shown with and without a factor, the paired
    drop is reported too.
    """
    annotated, notices = _annotated(inputs)
    if inputs.predictions is not None:
        given = given_predictions(inputs, known_classes(inputs), annotated.rows)
        parts = [_under(annotated, given.predicted, SLICE)]
        notices += given.notices(inputs.dataset.name, inputs.model)
    else:
        every = np.arange(len(known_classes(inputs)))
        parts = [_under(annotated, p.predict(inputs, annotated.rows, every), p.slice) for p in predictors(inputs)]
    return Answer([f for p in parts for f in p.findings], [e for p in parts for e in p.exhibits], notices)


def _annotated(inputs: ProbeInput[Settings]) -> tuple[_AnnotatedPictures, list[Notice]]:
    found, truth = factor_columns(inputs.dataset), inputs.dataset.label_indices()
    rows = np.flatnonzero(found.annotated & (truth >= 0))
    if not len(rows):
        raise NotApplicable(_why_not(found, truth))
    settings: Settings = inputs.settings
    count = found.marks[rows].sum(axis=0)
    enough = np.flatnonzero(count >= settings.least)
    if not len(enough):
        raise NotApplicable(f"no factor marks {settings.least} labeled pictures; the setting factors.least lowers this")
    dataset = inputs.dataset.take(rows)
    kept = FactorColumns(tuple(found.names[f] for f in enough), found.marks[rows][:, enough], found.annotated[rows], ())
    every = np.column_stack([kept.marks, np.delete(found.marks[rows], enough, axis=1)])
    _, pictures = np.unique(inputs.units[rows], return_index=True)
    units = scene_units(dataset, settings.scene, inputs.units[rows])
    few = [f"{found.names[f]} ({count[f]})" for f in range(len(found.names)) if f not in enough]
    return _AnnotatedPictures(inputs, dataset, rows, truth[rows], kept, every, units, pictures), _notices(inputs, found, few)


def _why_not(found: FactorColumns, truth: Indices) -> str:
    """Why there are no annotated pictures."""
    if not found.names and found.unreadable:
        return f"no factor column has only yes and no values: {shortened(found.unreadable)}; write true and false"
    if not found.names:
        return "the dataset has no factor columns (factor.NAME)"
    if not (truth >= 0).any():
        return "no readable picture has a label"
    return "no readable picture has both a label and a value in every factor column"


def _notices(inputs: ProbeInput[Settings], found: FactorColumns, few: list[str]) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    if found.unreadable:
        what = f"factor columns with values other than yes and no are left out: {shortened(found.unreadable)}"
        notices.append(Notice(where, what, "write true and false, or 1 and 0"))
    if few:
        what = (
            f"{counted(len(few), 'factor')} with fewer than {inputs.settings.least} labeled pictures left out: {shortened(few)}"
        )
        notices.append(Notice(where, what, "lower factors.least to include them, with wide intervals"))
    return notices


def _under(annotated: _AnnotatedPictures, predicted: Indices, under: dict[str, str]) -> Answer:
    """All findings and exhibits of one classifier."""
    inputs, settings = annotated.inputs, annotated.inputs.settings
    correct = correct_predictions(inputs.dataset, known_classes(inputs), annotated.rows, predicted, settings.counts)

    average = clustered_share(correct, annotated.units)
    by_factor = _by_factor(annotated, correct, average)
    worst = min((f for f in by_factor if f.metric == "factor_accuracy"), key=lambda f: (f.value, -f.n))
    worst_gap = _worst_gap(annotated, correct, str(worst.slice["factor"]))
    paired = list(_paired(annotated, correct))
    together = with_p_values(
        conjunctions(conditions(annotated.dataset, annotated.factors, settings.scene), settings.least),
        correct,
        annotated.pictures,
        annotated.units,
        seed=settings.seed,
        permutations=settings.permutations,
    )
    of_pairs = list(_of_conjunctions(annotated, correct, together[: settings.conjunctions], len(together)))
    findings = [
        share_finding("overall_accuracy", average),
        *by_factor,
        replace(worst, metric="worst_factor_accuracy"),
        worst_gap,
        *paired,
        *of_pairs,
    ]
    titles = [*class_titles(known_classes(inputs)), NO_CLASS]  # NO_CLASS is also titles[-1]
    predictions = PredictedPictures(annotated.dataset.ids(), annotated.truth, predicted)
    exhibits = [
        *factor_exhibits(by_factor, average.value, worst_gap, under),
        *paired_exhibit(paired, under),
        *conjunction_exhibit(
            together, [f for f in of_pairs if f.metric == "conjunction_accuracy"], correct, average.value, under
        ),
        *errors_exhibit(str(worst.slice["factor"]), annotated.factors, correct, predictions, titles, under),
    ]
    return Answer([replace(f, slice={**f.slice, **under}) for f in findings], exhibits)


def _by_factor(annotated: _AnnotatedPictures, correct: Flags, average: ClusteredShare) -> list[Finding]:
    """Accuracy, gap and error ratio of every factor."""
    all_errors = clustered_share(~correct, annotated.units)
    findings = []
    for f, name in enumerate(annotated.factors.names):
        inside = annotated.factors.marks[:, f]
        units = annotated.units[inside]
        accuracy, errors = clustered_share(correct[inside], units), clustered_share(~correct[inside], units)
        which: dict[str, object] = {"factor": name}
        ratio = errors.value / all_errors.value if all_errors.value > 0 else None
        low, high = _finite(*share_ratio(errors, all_errors))
        findings += [
            share_finding("factor_accuracy", accuracy, which),
            difference_finding("factor_gap", accuracy, average, which),
            Finding(metric="error_ratio", value=ratio, n=accuracy.n, low=low, high=high, slice=which, interval=HOW_TWO),
        ]
    return findings


def _finite(low: float, high: float) -> tuple[float | None, float | None]:
    return (low, high) if np.isfinite([low, high]).all() else (None, None)


def _worst_gap(annotated: _AnnotatedPictures, correct: Flags, name: str) -> Finding:
    """The gap of the worst factor, with an interval that is corrected for the choice."""
    inside, looked_at = annotated.factors.marks[:, annotated.factors.names.index(name)], len(annotated.factors.names)
    low, high = worst_gap_interval(correct, inside, looked_at=looked_at, clusters=annotated.units)
    value = float(correct[inside].mean() - correct.mean())
    how = f"Jeffreys, 95% for all {looked_at} factors together"
    return Finding(
        metric="worst_factor_gap", value=value, n=int(inside.sum()), low=low, high=high, slice={"factor": name}, interval=how
    )


def _paired(annotated: _AnnotatedPictures, correct: Flags) -> Iterator[Finding]:
    """The accuracy drop when a factor is added to a scene, over scenes that are shown with and without it."""
    settings: Settings = annotated.inputs.settings
    if not annotated.dataset.has(settings.scene):
        return
    for f, name in enumerate(annotated.factors.names):
        pairs = scene_pairs(annotated.every, f, annotated.units)
        n = 0 if pairs is None else len(np.unique(annotated.units[pairs.with_factor]))
        if pairs is None or n < settings.least:
            continue
        without, with_factor = (
            clustered_share(correct[rows], annotated.units[rows]) for rows in (pairs.without_factor, pairs.with_factor)
        )
        baseline = "the same scenes without the factor"
        yield difference_finding("paired_drop", without, with_factor, {"factor": name}, n=n, baseline=baseline)


def _of_conjunctions(
    annotated: _AnnotatedPictures, correct: Flags, found: list[Conjunction], looked_at: int
) -> Iterator[Finding]:
    shares = [clustered_share(correct[pair.members], annotated.units[pair.members]) for pair in found]
    for pair, share in zip(found, shares, strict=True):
        yield share_finding("conjunction_accuracy", share, pair.slice)
    if found:
        worst, share = found[0], shares[0]
        yield share_finding("worst_conjunction_accuracy", share, worst.slice)
        how = f"permutation of predictions, corrected for {looked_at} combinations (largest deviation)"
        yield Finding(
            metric="worst_conjunction_p_value", value=worst.p, n=share.n, low=None, high=None, slice=worst.slice, interval=how
        )
