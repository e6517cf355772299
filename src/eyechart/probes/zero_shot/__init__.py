"""Zero-shot classification: accuracy over all pictures and for every class, and the most confused pairs of classes."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts
from eyechart.findings.finding import Finding
from eyechart.metrics.classification.class_means import mean_of_shares_interval
from eyechart.metrics.classification.predictions import confusion_matrix
from eyechart.metrics.intervals import share_interval, wilson
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.classifier import ONE_CLASS, build_classifier, class_texts, class_titles, known_classes
from eyechart.probes.tasks.picture_neighbors import neighbor_exhibit
from eyechart.probes.tasks.picture_predictions import picture_predictions, top_by_prompts
from eyechart.probes.zero_shot.exhibits import class_exhibits, confusion_exhibits, most_confused, prompt_exhibit
from eyechart.probes.zero_shot.metrics import METRICS
from eyechart.prompts.prompt_set import PromptSet


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `zero_shot`.

    pairs: Confused pairs that are reported.
    resamples: Bootstrap resamples.
    seed: The seed of the bootstrap.
    """

    pairs: int = 20
    resamples: int = 2000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.pairs < 0 or self.seed < 0 or self.resamples < 1:
            raise ValueError("pairs and seed must be at least 0, resamples at least 1")


@probe(
    version=2,
    needs=("images", "texts", "labels", "classes"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("classify", "audit", "paper"),
    texts=class_texts,
    wants=("logit_scale",),
    headline=("top1", "mean_per_class", "worst_class"),
)
def zero_shot(inputs: ProbeInput[Settings]) -> Answer:
    """How accurate is zero-shot classification, and which classes fail?

    The vector of a class is the normalized mean of the unit vectors of its prompts (Radford et al., 2021). The prediction is the
    class with the highest cosine. Duplicate classes tie: they are listed, and accuracy is reported with and without merging them.
    """
    truth = inputs.dataset.label_indices()
    if not (truth >= 0).any():
        raise NotApplicable("no readable picture has a label")
    if len(known_classes(inputs)) < 2:
        raise NotApplicable(ONE_CLASS)
    parts = [_under(inputs, prompts, truth) for prompts in inputs.prompts]
    answer = Answer(
        findings=[f for part in parts for f in part.findings],
        exhibits=[e for part in parts for e in part.exhibits],
        notices=list(dict.fromkeys(n for part in parts for n in part.notices)),
        predictions=[p for part in parts for p in part.predictions],
    )
    if len(inputs.prompts) > 1:
        answer.exhibits.insert(0, prompt_exhibit([f for f in answer.findings if f.metric == "top1"]))
    return answer


def _under(inputs: ProbeInput[Settings], prompts: PromptSet, truth: Counts) -> Answer:
    """All findings, exhibits and predictions under one prompt set."""
    classes = known_classes(inputs)
    classifier = build_classifier(classes, prompts, inputs.texts)
    labeled = np.flatnonzero(truth >= 0)
    true, clusters = truth[labeled], inputs.clusters[labeled]
    top = top_by_prompts(inputs, classifier)
    predicted, rank = top.predicted[labeled], top.rank[labeled]
    matrix = confusion_matrix(true, predicted, len(classes))
    titles = class_titles(classes)

    settings: Settings = inputs.settings
    correct = rank == 0
    findings = [
        _share("top1", correct, clusters, settings),
        *([_share("top5", rank < 5, clusters, settings)] if len(classes) > 5 else []),
        _mean_per_class("mean_per_class", correct, true, clusters, settings),
        Finding(metric="chance", value=1 / len(classes), n=len(true)),
        *_majority(titles, true),
        *_per_class(titles, matrix, _distinct(true, clusters, len(classes))),
        *_confused(titles, matrix, settings.pairs),
        _share("ties", top.tied[labeled], clusters, settings),
    ]
    duplicates = classifier.duplicates
    if len(np.unique(duplicates)) < len(classes):
        merged = duplicates[true] == duplicates[predicted]
        findings += [
            _share("top1_merged", merged, clusters, settings),
            _mean_per_class("mean_per_class_merged", merged, duplicates[true], clusters, settings),
        ]
    under = {"prompts": prompts.name}
    all_ids = inputs.dataset.ids()
    ids = [all_ids[i] for i in labeled]
    exhibits = class_exhibits([f for f in findings if f.metric == "class_accuracy"], under)
    exhibits += confusion_exhibits(titles, matrix, true, predicted, ids, under)
    if prompts == inputs.prompts[0]:
        exhibits.append(neighbor_exhibit(inputs, top, titles, under))
    notices = _notices(inputs, titles, duplicates, matrix)
    predictions = picture_predictions(inputs, top, classes, prompts=prompts.name)
    return Answer([replace(f, slice={**f.slice, **under}) for f in findings], exhibits, notices, [predictions])


def _share(metric: str, hits: npt.NDArray[np.bool_], clusters: Counts, settings: Settings) -> Finding:
    (low, high), how = share_interval(hits, clusters=clusters, seed=settings.seed, resamples=settings.resamples)
    return Finding(metric=metric, value=float(hits.mean()), n=len(hits), low=low, high=high, interval=how)


def _mean_per_class(metric: str, hits: npt.NDArray[np.bool_], classes: Counts, clusters: Counts, settings: Settings) -> Finding:
    value = float((np.bincount(classes, hits)[np.unique(classes)] / np.bincount(classes)[np.unique(classes)]).mean())
    (low, high), how = mean_of_shares_interval(hits, classes, clusters=clusters, seed=settings.seed, resamples=settings.resamples)
    return Finding(metric=metric, value=value, n=len(hits), low=low, high=high, interval=how)


def _majority(titles: list[str], true: Counts) -> list[Finding]:
    """The accuracy of always predicting the most frequent class. Where all pictures are of one class, it would say nothing."""
    counts = np.bincount(true)
    if (counts > 0).sum() < 2:
        return []
    most = int(counts.argmax())
    return [Finding(metric="majority", value=counts[most] / len(true), n=len(true), baseline=titles[most])]


def _distinct(classes: Counts, clusters: Counts, count: int) -> Counts:
    """The number of different pictures of each class; copies count once."""
    pairs = np.unique(np.column_stack([classes, clusters]), axis=0)
    return np.bincount(pairs[:, 0], minlength=count)


def _per_class(titles: list[str], matrix: Counts, distinct: Counts) -> list[Finding]:
    """The accuracy of every class that has pictures, and again that of the worst one as a metric of its own."""
    n, hits = matrix.sum(axis=1), matrix.diagonal()
    share = hits / np.maximum(n, 1)
    low, high = wilson(share * distinct, distinct)
    rows = [
        Finding(
            metric="class_accuracy",
            value=share[c],
            n=int(n[c]),
            low=low[c],
            high=high[c],
            slice={"class": titles[c]},
            interval="Wilson, 95%",
        )
        for c in np.flatnonzero(n)
    ]
    # Of classes with equal accuracy, the one with the most pictures has the strongest evidence.
    worst = min(rows, key=lambda f: (f.value, -f.n))
    return [*rows, replace(worst, metric="worst_class")]


def _confused(titles: list[str], matrix: Counts, pairs: int) -> list[Finding]:
    """For the most confused pairs, the share of a class's pictures that are predicted as the other class."""
    n = matrix.sum(axis=1)
    findings = []
    for true, predicted in most_confused(matrix, pairs):
        count = matrix[true, predicted]
        low, high = wilson(count, n[true])
        which = {"class": titles[true], "predicted": titles[predicted]}
        findings.append(
            Finding(
                metric="confusion",
                value=count / n[true],
                n=int(n[true]),
                low=float(low),
                high=float(high),
                slice=which,
                interval="Wilson, 95%",
            )
        )
    return findings


def _notices(inputs: ProbeInput[Settings], titles: list[str], duplicates: Counts, matrix: Counts) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    doubles = [f"{titles[int(t)]} = {titles[i]}" for i, t in enumerate(duplicates) if t != i]
    if doubles:
        what = f"{counted(len(doubles), 'pair')} of duplicate classes (same text vector), which tie: {shortened(doubles)}"
        notices.append(Notice(where, what, "give them distinct names; accuracy is reported with and without merging them"))
    if (matrix.sum(axis=1) > 0).sum() == 1:
        notices.append(Notice(where, "all pictures are of one class", "add pictures of other classes"))
    return notices
