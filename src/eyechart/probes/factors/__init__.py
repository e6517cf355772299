"""Visual factors: how accuracy changes where a picture is said to be unusual in pose, light, size, background, …"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Flags, Indices
from eyechart.data.dataset import Dataset
from eyechart.findings.finding import Finding
from eyechart.metrics.classification.predictions import classify
from eyechart.metrics.intervals.clustered_shares import (
    HOW,
    HOW_TWO,
    ClusteredShare,
    clustered_share,
    share_difference,
    share_ratio,
)
from eyechart.metrics.intervals.slices import worst_gap_interval
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.factors.conjunctions import Conjunction, conditions, conjunctions, judged
from eyechart.probes.factors.correct_answers import COUNTS, right_answers
from eyechart.probes.factors.exhibits import ShownMistakes, conjunction_exhibit, factor_exhibits, mistakes_exhibit, paired_exhibit
from eyechart.probes.factors.metrics import METRICS
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.classifier import build_classifier, class_texts, class_titles, known_classes
from eyechart.probes.tasks.factor_columns import FactorColumns, factor_columns
from eyechart.probes.tasks.factor_pairs import scene_pairs, units_of
from eyechart.prompts.prompt_set import PromptSet


@dataclass(frozen=True)
class Settings:
    """counts: what a right answer is, see `right_answers`. least: pictures that a slice needs to be reported. conjunctions: how
    many of the worst are reported. permutations, seed: of the search for them. scene: the column that says which pictures show
    one scene with and without a factor."""

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
            raise ValueError("least and permutations are whole numbers from 1 up, conjunctions and seed from 0 up")


@dataclass(frozen=True)
class _Marked:
    """The pictures that have a label and were looked at for factors, and the factors that mark enough of them."""

    inputs: ProbeInput[Settings]
    dataset: Dataset
    rows: Indices
    truth: Indices
    factors: FactorColumns
    every: Flags  # [n, all factors], those with few marks as well: a scene is plain only where none of them is marked
    units: Indices  # pictures of one scene vary together
    pictures: Indices  # positions of one row of each different picture


@probe(
    version=3,
    needs=("images", "texts", "labels", "classes", "factors"),
    settings=Settings(),
    metrics=METRICS,
    texts=class_texts,
    headline=("overall_accuracy", "worst_factor_accuracy", "worst_factor_gap"),
)
def factors(inputs: ProbeInput[Settings]) -> Answer:
    """Under which visual factors does the model fail more often than on average?

    Accuracy where a factor is marked, beside accuracy on all annotated pictures (ImageNet-X: Idrissi et al., 2023): their
    difference, the ratio of errors, and the worst factor. Where one scene is shown with and without a factor, the paired drop.
    """
    marked, notices = _marked(inputs)
    parts = [_under(marked, prompts) for prompts in inputs.prompts]
    return Answer([f for p in parts for f in p.findings], [e for p in parts for e in p.exhibits], notices)


def _marked(inputs: ProbeInput[Settings]) -> tuple[_Marked, list[Notice]]:
    found, truth = factor_columns(inputs.dataset), inputs.dataset.label_indices()
    rows = np.flatnonzero(found.annotated & (truth >= 0))
    if not len(rows):
        raise NotApplicable(_why_not(found, truth))
    settings: Settings = inputs.settings
    count = found.marks[rows].sum(axis=0)
    enough = np.flatnonzero(count >= settings.least)
    if not len(enough):
        raise NotApplicable(f"no factor marks {settings.least} labelled pictures (the setting `least`)")
    dataset = inputs.dataset.take(rows)
    kept = FactorColumns(tuple(found.names[f] for f in enough), found.marks[rows][:, enough], found.annotated[rows], ())
    every = np.column_stack([kept.marks, np.delete(found.marks[rows], enough, axis=1)])
    _, pictures = np.unique(inputs.clusters[rows], return_index=True)
    units = units_of(dataset, settings.scene, inputs.clusters[rows])
    few = [f"{found.names[f]} ({count[f]})" for f in range(len(found.names)) if f not in enough]
    return _Marked(inputs, dataset, rows, truth[rows], kept, every, units, pictures), _notices(inputs, found, few)


def _why_not(found: FactorColumns, truth: Indices) -> str:
    """Why not one picture can be looked at for factors."""
    unread = f"factor columns that hold something else than yes and no: {shortened(found.unreadable)}; write true and false"
    if not found.names:
        return f"there are only {unread}" if found.unreadable else "no column says which pictures a factor marks (factor.NAME)"
    if not (truth >= 0).any():
        return "no usable picture has a label"
    return "no usable picture has both a label and an entry in every factor column"


def _notices(inputs: ProbeInput[Settings], found: FactorColumns, few: list[str]) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    if found.unreadable:
        what = f"factor columns that hold something else than yes and no were passed over: {shortened(found.unreadable)}"
        notices.append(Notice(where, what, "write true and false, or 1 and 0"))
    if few:
        what = (
            f"{counted(len(few), 'factor')} with fewer than {inputs.settings.least} labelled pictures left out: {shortened(few)}"
        )
        notices.append(Notice(where, what, "set factors.least lower to see them, with wide intervals"))
    return notices


def _under(marked: _Marked, prompts: PromptSet) -> Answer:
    """The whole question under one prompt set."""
    inputs, settings = marked.inputs, marked.inputs.settings
    classifier = build_classifier(known_classes(inputs), prompts, inputs.texts)
    answers = classify(inputs.images[marked.rows], classifier.vectors, marked.truth, classifier.duplicates)
    right = right_answers(inputs.dataset, known_classes(inputs), marked.rows, answers.predicted, settings.counts)

    average = clustered_share(right, marked.units)
    by_factor = _by_factor(marked, right, average)
    worst = min((f for f in by_factor if f.metric == "factor_accuracy"), key=lambda f: (f.value, -f.n))
    worst_gap = _worst_gap(marked, right, str(worst.slice["factor"]))
    paired = list(_paired(marked, right))
    together = judged(
        conjunctions(conditions(marked.dataset, marked.factors, settings.scene), settings.least),
        right,
        marked.pictures,
        marked.units,
        seed=settings.seed,
        permutations=settings.permutations,
    )
    findings = [
        _accuracy("overall_accuracy", average, {}),
        *by_factor,
        replace(worst, metric="worst_factor_accuracy"),
        worst_gap,
        *paired,
        *_of_conjunctions(marked, right, together[: settings.conjunctions], len(together)),
    ]
    under = {"prompts": prompts.name}
    titles = class_titles(known_classes(inputs))
    shown = ShownMistakes(marked.dataset.ids(), marked.truth, answers.predicted)
    exhibits = [
        *factor_exhibits(by_factor, average.value, worst_gap, under),
        *paired_exhibit(paired, under),
        *conjunction_exhibit(together, right, average.value, under),
        *mistakes_exhibit(str(worst.slice["factor"]), marked.factors, right, shown, titles, under),
    ]
    return Answer([replace(f, slice={**f.slice, **under}) for f in findings], exhibits)


def _by_factor(marked: _Marked, right: Flags, average: ClusteredShare) -> list[Finding]:
    missed = clustered_share(~right, marked.units)
    findings = []
    for f, name in enumerate(marked.factors.names):
        inside = marked.factors.marks[:, f]
        on, wrong = clustered_share(right[inside], marked.units[inside]), clustered_share(~right[inside], marked.units[inside])
        which: dict[str, object] = {"factor": name}
        gap, ratio = share_difference(on, average), share_ratio(wrong, missed)
        errors = wrong.value / missed.value if missed.value > 0 else None
        lowest, highest = _numbers(*ratio)
        findings += [
            _accuracy("factor_accuracy", on, which),
            Finding(
                metric="factor_gap",
                value=on.value - average.value,
                n=on.n,
                low=gap.low,
                high=gap.high,
                slice=which,
                interval=HOW_TWO,
            ),
            Finding(metric="error_ratio", value=errors, n=on.n, low=lowest, high=highest, slice=which, interval=HOW_TWO),
        ]
    return findings


def _accuracy(metric: str, share: ClusteredShare, which: dict[str, object]) -> Finding:
    return Finding(
        metric=metric, value=share.value, n=share.n, low=share.estimate.low, high=share.estimate.high, slice=which, interval=HOW
    )


def _numbers(low: float, high: float) -> tuple[float | None, float | None]:
    return (low, high) if np.isfinite([low, high]).all() else (None, None)


def _worst_gap(marked: _Marked, right: Flags, name: str) -> Finding:
    """The gap of the worst factor, with an interval that knows it was chosen as the worst of all."""
    inside, looked_at = marked.factors.marks[:, marked.factors.names.index(name)], len(marked.factors.names)
    low, high = worst_gap_interval(right, inside, looked_at=looked_at, clusters=marked.units)
    value = float(right[inside].mean() - right.mean())
    how = f"Jeffreys, 95% for all {looked_at} factors together"
    return Finding(
        metric="worst_factor_gap", value=value, n=int(inside.sum()), low=low, high=high, slice={"factor": name}, interval=how
    )


def _paired(marked: _Marked, right: Flags) -> Iterator[Finding]:
    """How much accuracy falls when a factor is added to a scene, over the scenes that are shown both ways."""
    settings: Settings = marked.inputs.settings
    if not marked.dataset.has(settings.scene):
        return
    for f, name in enumerate(marked.factors.names):
        pairs = scene_pairs(marked.every, f, marked.units)
        n = 0 if pairs is None else len(np.unique(marked.units[pairs.with_it]))
        if pairs is None or n < settings.least:
            continue
        plain = clustered_share(right[pairs.without], marked.units[pairs.without])
        changed = clustered_share(right[pairs.with_it], marked.units[pairs.with_it])
        low, high = share_difference(plain, changed)
        drop = plain.value - changed.value
        which: dict[str, object] = {"factor": name}
        yield Finding(
            metric="paired_drop",
            value=drop,
            n=n,
            low=low,
            high=high,
            slice=which,
            interval=HOW_TWO,
            baseline="the same scenes without the factor",
        )


def _of_conjunctions(marked: _Marked, right: Flags, found: list[Conjunction], looked_at: int) -> Iterator[Finding]:
    shares = [clustered_share(right[pair.members], marked.units[pair.members]) for pair in found]
    for pair, share in zip(found, shares, strict=True):
        yield _accuracy("conjunction_accuracy", share, pair.slice)
    if found:
        worst, share = found[0], shares[0]
        yield _accuracy("worst_conjunction", share, worst.slice)
        how = f"permutation of answers, corrected for {looked_at} conjunctions (largest deviation)"
        yield Finding(
            metric="worst_conjunction_p_value", value=worst.p, n=share.n, low=None, high=None, slice=worst.slice, interval=how
        )
