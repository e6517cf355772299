"""The class-wise matching margin: which classes a model confuses, and whether the worst can be found without labels."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Indices
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.metrics.classification.class_signals import class_mean_errors
from eyechart.metrics.classification.finding_worst import (
    HOW_DIFFERENCE,
    HOW_OVERLAP,
    HOW_RANKS,
    agreement_difference,
    rank_agreement,
    worst_overlap,
)
from eyechart.metrics.classification.worst_classes import worst_count
from eyechart.metrics.intervals import share_interval
from eyechart.metrics.intervals.mover import Estimate
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.margin.exhibits import classes_exhibit, signals_exhibit
from eyechart.probes.margin.metrics import METRICS
from eyechart.probes.margin.signals import KINDS, REFERENCE, ClassSignals, LabelKind, choose_reference, class_signals
from eyechart.probes.tasks.class_accuracies import ClassAccuracies, class_accuracies
from eyechart.probes.tasks.classifier import class_titles, known_classes, prompt_texts
from eyechart.prompts.library import prompt_sets
from eyechart.prompts.prompt_set import PromptSet

LEAST = 5  # classes that a rank correlation needs


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `margin`.

    reference: The prompt set that gives pseudo-labels; pool-164 has the most templates.
    k: How many classes are the worst; 0 for ten, or for a tenth of fewer than a hundred.
    resamples: Bootstrap resamples.
    seed: The seed of the bootstrap.
    """

    reference: str = REFERENCE
    k: int = 0
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        known = [prompts.name for prompts in prompt_sets()]
        if self.reference not in known:
            raise ValueError(f"reference is {self.reference!r}; choose one of {', '.join(known)}")
        if self.k < 0 or self.seed < 0 or self.resamples < 1:
            raise ValueError("k and seed must be at least 0, resamples at least 1")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    if request.dataset.classes is None:
        return ()
    references = [reference for p in request.prompts if (reference := choose_reference(request, p)) is not None]
    sets = {p.name: p for p in (*request.prompts, *references)}
    return list(dict.fromkeys(text for p in sets.values() for text in prompt_texts(request.dataset.classes, p)))


@probe(
    version=2,
    needs=("images", "texts", "labels", "classes"),
    wants=("logit_scale",),
    settings=Settings(),
    metrics=METRICS,
    profiles=("paper",),
    texts=texts,
    after=("zero_shot",),
    headline=("margin_rank_correlation", "margin_overlap"),
)
def margin(inputs: ProbeInput[Settings]) -> Answer:
    """Can the worst classes be found without labels?

    The matching margin of a class is the mean over its pictures of the cosine with its own text minus the highest cosine with any
    other class. Pictures are assigned to classes by true labels and by pseudo-labels of a reference prompt set. Margin, entropy,
    confidence and confusion are compared with the class accuracies of zero_shot.
    """
    parts = [_under(inputs, prompts) for prompts in inputs.prompts]
    return Answer(
        findings=[f for part in parts for f in part.findings],
        exhibits=[e for part in parts for e in part.exhibits],
        notices=[n for part in parts for n in part.notices],
    )


def _under(inputs: ProbeInput[Settings], prompts: PromptSet) -> Answer:
    measured = class_accuracies(inputs, {"prompts": prompts.name})
    if len(measured.classes) < LEAST:
        raise NotApplicable(
            f"only {counted(len(measured.classes), 'class has', 'classes have')} pictures; a rank correlation needs {LEAST}"
        )
    if np.ptp(measured.accuracies) == 0:
        raise NotApplicable("all classes are equally accurate, so there are no worst classes")
    truth = inputs.dataset.label_indices()
    rows = np.flatnonzero(truth >= 0)
    truth, clusters = truth[rows], inputs.units[rows]
    reference = choose_reference(inputs, prompts)
    found = class_signals(inputs, prompts, reference, rows, truth)
    titles = class_titles(known_classes(inputs))
    settings: Settings = inputs.settings
    k = min(settings.k or worst_count(len(measured.classes)), len(measured.classes))
    ranks = [f for kind in KINDS for f in _agreement(kind, found[kind], measured, k)]
    findings = [
        *_headline(ranks),
        *ranks,
        *_gains(found, measured, settings),
        _pseudo_label_accuracy(found["pseudo"].labels == truth, clusters, settings, reference or prompts),
        *(f for kind in KINDS for f in _margins(kind, found[kind], clusters, titles)),
    ]
    under = {"prompts": prompts.name}
    placed = [replace(f, slice={**f.slice, **under}) for f in findings]
    exhibits = _exhibits(ranks, found, measured, titles, k, reference or prompts, under)
    return Answer(placed, exhibits, _notices(inputs, prompts, reference, found["pseudo"], titles))


def _agreement(kind: LabelKind, of: ClassSignals, measured: ClassAccuracies, k: int) -> list[Finding]:
    """The rank correlation of each signal with accuracy, and how many of the k worst classes it finds."""
    findings = []
    for signal, values in of.signals.items():
        which: dict[str, object] = {"signal": signal, "labels": kind}
        here = values[measured.classes]
        overlap = worst_overlap(here, measured.accuracies, k)
        rank = rank_agreement(here, measured.accuracies)
        findings.append(_finding("rank_correlation", rank, len(here), which, HOW_RANKS))
        findings.append(_finding("overlap", overlap, k, which | {"k": k}, HOW_OVERLAP))
    chance = Finding(metric="overlap_chance", value=k / len(measured.classes), n=k, slice={"k": k})
    return [*findings, *([chance] if kind == "pseudo" else [])]


def _finding(metric: str, found: Estimate, n: int, which: dict[str, object], how: str) -> Finding:
    if not np.isfinite(found.value):  # a constant signal has no ranks
        return Finding(metric=metric, value=None, n=n, slice=which)
    return Finding(metric=metric, value=found.value, n=n, low=found.low, high=found.high, slice=which, interval=how)


def _headline(ranks: list[Finding]) -> list[Finding]:
    """The numbers of the margin with pseudo-labels, as metrics of their own."""
    unlabeled = [f for f in ranks if f.slice.get("signal") == "margin" and f.slice.get("labels") == "pseudo"]
    return [replace(f, metric=f"margin_{f.metric}", slice={k: v for k, v in f.slice.items() if k == "k"}) for f in unlabeled]


def _gains(found: dict[LabelKind, ClassSignals], measured: ClassAccuracies, settings: Settings) -> list[Finding]:
    """The rank correlation of the margin minus that of other signals, and with pseudo-labels minus with true labels."""

    def against(metric: str, first: tuple[str, LabelKind], second: tuple[str, LabelKind], baseline: str) -> Finding:
        a, b = (found[kind].signals[signal][measured.classes] for signal, kind in (first, second))
        gain = agreement_difference(a, measured.accuracies, b, seed=settings.seed, resamples=settings.resamples)
        which: dict[str, object] = {"signal": first[0], "labels": first[1]}
        return replace(_finding(metric, gain, len(a), which, HOW_DIFFERENCE), baseline=baseline)

    others = [s for s in found["pseudo"].signals if s != "margin"]
    gains = [against("rank_gain", ("margin", kind), (s, kind), s) for kind in KINDS for s in others]
    return [*gains, against("pseudo_label_gain", ("margin", "pseudo"), ("margin", "true"), "true labels")]


def _pseudo_label_accuracy(
    correct: npt.NDArray[np.bool_], clusters: Indices, settings: Settings, reference: PromptSet
) -> Finding:
    (low, high), how = share_interval(correct, clusters=clusters, seed=settings.seed, resamples=settings.resamples)
    return Finding(
        metric="pseudo_label_accuracy",
        value=float(correct.mean()),
        n=len(correct),
        low=low,
        high=high,
        slice={"reference": reference.name},
        interval=how,
    )


def _margins(kind: LabelKind, of: ClassSignals, clusters: Indices, titles: list[str]) -> list[Finding]:
    half = class_mean_errors(of.margins, of.labels, clusters, len(titles))
    findings = []
    for c in np.flatnonzero(of.counts):
        value, n, which = float(of.signals["margin"][c]), int(of.counts[c]), {"class": titles[c], "labels": kind}
        low, high, how = (None, None, None) if np.isnan(half[c]) else (value - half[c], value + half[c], "Student, 95%")
        findings.append(Finding(metric="class_margin", value=value, n=n, low=low, high=high, slice=which, interval=how))
    return findings


def _exhibits(
    ranks: list[Finding],
    found: dict[LabelKind, ClassSignals],
    measured: ClassAccuracies,
    titles: list[str],
    k: int,
    reference: PromptSet,
    under: dict[str, str],
) -> list[Exhibit]:
    here = [titles[c] for c in measured.classes]
    margins = {f"{kind} labels": found[kind].signals["margin"][measured.classes] for kind in KINDS}
    lowest = [int(c) for c in np.argsort(margins["pseudo labels"], kind="stable")[:k]]
    of_signals = [f for f in ranks if f.metric == "rank_correlation"]
    return [signals_exhibit(of_signals, reference, under), classes_exhibit(here, measured.accuracies, margins, lowest, under)]


def _notices(
    inputs: ProbeInput[Settings], prompts: PromptSet, reference: PromptSet | None, pseudo: ClassSignals, titles: list[str]
) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    if reference is None:
        what = f"the pseudo-labels come from the examined prompts themselves ({prompts.name}), so no margin is below 0"
        notices.append(Notice(where, what, "use the margins with true labels, or a model that can encode other prompts"))
    if len(pseudo.empty):
        names = shortened([titles[c] for c in pseudo.empty])
        what = f"{counted(len(pseudo.empty), 'class gets', 'classes get')} no pseudo-label: {names}"
        notices.append(Notice(where, what, "they are given the lowest margin of all other classes"))
    return notices
