"""The class-wise matching margin: which classes a model confuses, seen without labels, and whether that finds the worst ones."""

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
from eyechart.probes.margin.exhibits import classes_exhibit, signals_exhibit
from eyechart.probes.margin.metrics import METRICS
from eyechart.probes.margin.signals import CHEAP, KINDS, Labelling, Labels, labellings, reference_of
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.classifier import class_titles, known_classes
from eyechart.probes.tasks.measured_classes import MeasuredClasses, measured_classes
from eyechart.probes.tasks.prompt_outcomes import said
from eyechart.prompts.library import prompt_sets
from eyechart.prompts.prompt_set import PromptSet

LEAST = 5  # classes: ranks of fewer say nothing


@dataclass(frozen=True)
class Settings:
    """reference: the prompt set whose ensemble labels pictures for the others; pool-164 asks most texts. k: how many classes are
    the worst, 0 for ten, or a tenth where there are fewer than a hundred. resamples, seed: of the bootstrap."""

    reference: str = CHEAP
    k: int = 0
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        known = [prompts.name for prompts in prompt_sets()]
        if self.reference not in known:
            raise ValueError(f"reference: {self.reference!r} is not one of {', '.join(known)}")
        if self.k < 0 or self.seed < 0 or self.resamples < 1:
            raise ValueError("k and seed are whole numbers from 0 up, resamples from 1 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    if request.dataset.classes is None:
        return ()
    references = [reference for p in request.prompts if (reference := reference_of(request, p)) is not None]
    sets = {p.name: p for p in (*request.prompts, *references)}
    return list(dict.fromkeys(text for p in sets.values() for text in said(request.dataset.classes, p)))


@probe(
    version=2,
    needs=("images", "texts", "labels", "classes"),
    wants=("logit_scale",),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    after=("zero_shot",),
    headline=("margin_rank_correlation", "margin_overlap"),
)
def margin(inputs: ProbeInput[Settings]) -> Answer:
    """Which classes does the model hardly tell from others, and can the worst be found without labels?

    A class's margin is the mean, over its pictures, of the cosine with its own text less the highest with any other. Its pictures
    are told by true labels and by those of a reference ensemble. Margin, entropy, confidence and confusion are held against the
    accuracies that zero_shot found.
    """
    parts = [_under(inputs, prompts) for prompts in inputs.prompts]
    return Answer(
        findings=[f for part in parts for f in part.findings],
        exhibits=[e for part in parts for e in part.exhibits],
        notices=[n for part in parts for n in part.notices],
    )


def _under(inputs: ProbeInput[Settings], prompts: PromptSet) -> Answer:
    measured = measured_classes(inputs, prompts.name)
    if len(measured.places) < LEAST:
        raise NotApplicable(f"pictures of {len(measured.places)} classes are too few to rank: {LEAST} are needed")
    if np.ptp(measured.accuracies) == 0:
        raise NotApplicable("all classes are equally accurate, so there is no worst to be found")
    truth = inputs.dataset.label_indices()
    rows = np.flatnonzero(truth >= 0)
    truth, clusters = truth[rows], inputs.clusters[rows]
    reference = reference_of(inputs, prompts)
    found = labellings(inputs, prompts, reference, rows, truth)
    titles = class_titles(known_classes(inputs))
    settings: Settings = inputs.settings
    k = min(settings.k or worst_count(len(measured.places)), len(measured.places))
    ranks = [f for kind in KINDS for f in _found_by(kind, found[kind], measured, k)]
    findings = [
        *_headline(ranks),
        *ranks,
        *_compared(found, measured, settings),
        _pseudo_right(found["pseudo"].labels == truth, clusters, settings, reference or prompts),
        *(f for kind in KINDS for f in _margins(kind, found[kind], clusters, titles)),
    ]
    under = {"prompts": prompts.name}
    placed = [replace(f, slice={**f.slice, **under}) for f in findings]
    exhibits = _exhibits(ranks, found, measured, titles, k, reference or prompts, under)
    return Answer(placed, exhibits, _notices(inputs, prompts, reference, found["pseudo"], titles))


def _found_by(kind: Labels, of: Labelling, measured: MeasuredClasses, k: int) -> list[Finding]:
    """How well each signal ranks the classes, and how many of the k worst are among its own."""
    findings = []
    for signal, values in of.signals.items():
        which: dict[str, object] = {"signal": signal, "labels": kind}
        here = values[measured.places]
        overlap = worst_overlap(here, measured.accuracies, k)
        rank = rank_agreement(here, measured.accuracies)
        findings.append(_finding("rank_correlation", rank, len(here), which, HOW_RANKS))
        findings.append(_finding("overlap", overlap, k, which | {"k": k}, HOW_OVERLAP))
    chance = Finding(metric="overlap_chance", value=k / len(measured.places), n=k, slice={"k": k})
    return [*findings, *([chance] if kind == "pseudo" else [])]


def _finding(metric: str, found: Estimate, n: int, which: dict[str, object], how: str) -> Finding:
    if not np.isfinite(found.value):  # a signal that is the same for all classes ranks none
        return Finding(metric=metric, value=None, n=n, slice=which)
    return Finding(metric=metric, value=found.value, n=n, low=found.low, high=found.high, slice=which, interval=how)


def _headline(ranks: list[Finding]) -> list[Finding]:
    """The margin by pseudo labels once more, under names of its own: what can be known without labels."""
    blind = [f for f in ranks if f.slice.get("signal") == "margin" and f.slice.get("labels") == "pseudo"]
    return [replace(f, metric=f"margin_{f.metric}", slice={k: v for k, v in f.slice.items() if k == "k"}) for f in blind]


def _compared(found: dict[Labels, Labelling], measured: MeasuredClasses, settings: Settings) -> list[Finding]:
    """What the margin ranks better than the other signals, and what it loses without labels."""

    def against(metric: str, first: tuple[str, Labels], second: tuple[str, Labels], baseline: str) -> Finding:
        a, b = (found[kind].signals[signal][measured.places] for signal, kind in (first, second))
        gain = agreement_difference(a, measured.accuracies, b, seed=settings.seed, resamples=settings.resamples)
        which: dict[str, object] = {"signal": first[0], "labels": first[1]}
        return replace(_finding(metric, gain, len(a), which, HOW_DIFFERENCE), baseline=baseline)

    others = [s for s in found["pseudo"].signals if s != "margin"]
    gains = [against("rank_gain", ("margin", kind), (s, kind), s) for kind in KINDS for s in others]
    return [*gains, against("pseudo_label_gain", ("margin", "pseudo"), ("margin", "true"), "true labels")]


def _pseudo_right(right: npt.NDArray[np.bool_], clusters: Indices, settings: Settings, judge: PromptSet) -> Finding:
    (low, high), how = share_interval(right, clusters=clusters, seed=settings.seed, resamples=settings.resamples)
    return Finding(
        metric="pseudo_label_accuracy",
        value=float(right.mean()),
        n=len(right),
        low=low,
        high=high,
        slice={"reference": judge.name},
        interval=how,
    )


def _margins(kind: Labels, of: Labelling, clusters: Indices, titles: list[str]) -> list[Finding]:
    half = class_mean_errors(of.margins, of.labels, clusters, len(titles))
    findings = []
    for c in np.flatnonzero(of.counts):
        value, n, which = float(of.signals["margin"][c]), int(of.counts[c]), {"class": titles[c], "labels": kind}
        low, high, how = (None, None, None) if np.isnan(half[c]) else (value - half[c], value + half[c], "Student, 95%")
        findings.append(Finding(metric="class_margin", value=value, n=n, low=low, high=high, slice=which, interval=how))
    return findings


def _exhibits(
    ranks: list[Finding],
    found: dict[Labels, Labelling],
    measured: MeasuredClasses,
    titles: list[str],
    k: int,
    judge: PromptSet,
    under: dict[str, str],
) -> list[Exhibit]:
    here = [titles[c] for c in measured.places]
    margins = {f"{kind} labels": found[kind].signals["margin"][measured.places] for kind in KINDS}
    lowest = [int(c) for c in np.argsort(margins["pseudo labels"], kind="stable")[:k]]
    of_signals = [f for f in ranks if f.metric == "rank_correlation"]
    return [signals_exhibit(of_signals, judge, under), classes_exhibit(here, measured.accuracies, margins, lowest, under)]


def _notices(
    inputs: ProbeInput[Settings], prompts: PromptSet, reference: PromptSet | None, pseudo: Labelling, titles: list[str]
) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    if reference is None:
        what = f"pictures were labelled by the examined prompts themselves ({prompts.name}), for which no margin is below 0"
        notices.append(Notice(where, what, "give a model that hears other prompts, or read the margins by true labels"))
    if len(pseudo.unseen):
        names = shortened([titles[c] for c in pseudo.unseen])
        what = f"no picture is taken for {counted(len(pseudo.unseen), 'class', 'classes')} by the reference ensemble: {names}"
        notices.append(Notice(where, what, "they stand at the lowest margin that any other class has"))
    return notices
