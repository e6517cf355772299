"""Zero-shot classification: accuracy over all pictures and for every class, and the most confused pairs of classes."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Counts
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding
from eyechart.metrics.classification.class_means import mean_of_shares_interval
from eyechart.metrics.classification.predictions import confusion_matrix
from eyechart.metrics.classification.top_classes import TopClasses
from eyechart.metrics.intervals import share_interval, wilson
from eyechart.metrics.intervals.clustered_shares import HOW, effective_counts
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.class_answers import ClassAnswers, class_answers
from eyechart.probes.tasks.classifier import ONE_CLASS, class_texts, class_titles, known_classes
from eyechart.probes.tasks.given_predictions import NO_CLASS, SLICE, given_predictions
from eyechart.probes.tasks.picture_neighbors import neighbor_exhibit
from eyechart.probes.tasks.picture_predictions import picture_predictions
from eyechart.probes.zero_shot.exhibits import class_exhibits, confusion_exhibits, most_confused, prompt_exhibit
from eyechart.probes.zero_shot.metrics import METRICS
from eyechart.probes.zero_shot.unlabeled import classify_unlabeled


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
    version=3,
    needs=("pictures", "classes"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("classify", "audit", "paper"),
    texts=class_texts,
    wants=("logit_scale", "class_scores"),
    from_predictions=True,
    headline=("top1", "mean_per_class", "worst_class"),
)
def zero_shot(inputs: ProbeInput[Settings]) -> Answer:
    """How accurate is zero-shot classification, and which classes fail?

    The vector of a class is the normalized mean of the unit vectors of its prompts (Radford et al., 2021). The prediction is the
    class with the highest cosine. A classifier of these classes answers by its own scores, a multimodal language model by the
    log-likelihoods of the class names. Duplicate classes tie: accuracy is reported with and without merging them. Pictures
    without labels get predictions and the share of each class.
    """
    truth = inputs.dataset.label_indices()
    if len(known_classes(inputs)) < 2:
        raise NotApplicable(ONE_CLASS)
    if not inputs.dataset.has("label") and inputs.predictions is None:
        return classify_unlabeled(inputs)
    if not (truth >= 0).any():
        raise NotApplicable("no readable picture has a label")
    if inputs.predictions is not None:
        return _from_file(inputs, truth)
    ways = class_answers(inputs)
    parts = [_under(inputs, way, truth, first=way is ways[0]) for way in ways]
    answer = Answer(
        findings=[f for part in parts for f in part.findings],
        exhibits=[e for part in parts for e in part.exhibits],
        notices=list(dict.fromkeys(n for part in parts for n in part.notices)),
        predictions=[p for part in parts for p in part.predictions],
    )
    by_prompts = [f for f in answer.findings if f.metric == "top1" and "prompts" in f.slice]
    if len(by_prompts) > 1:
        answer.exhibits.insert(0, prompt_exhibit(by_prompts))
    return answer


def _under(inputs: ProbeInput[Settings], way: ClassAnswers, truth: Counts, *, first: bool) -> Answer:
    """All findings, exhibits and predictions of one way of answering."""
    classes, top = known_classes(inputs), way.top
    judged = _Judged(inputs, top, truth, class_titles(classes), len(classes))
    findings, settings = judged.findings(top5=len(classes) > 5), inputs.settings
    true, predicted, clusters, titles = judged.true, judged.predicted, judged.clusters, judged.titles
    findings.append(_share("ties", top.tied[judged.labeled], clusters, settings))
    duplicates = way.duplicates
    if len(np.unique(duplicates)) < len(classes):
        merged = duplicates[true] == duplicates[predicted]
        findings += [
            _share("top1_merged", merged, clusters, settings),
            _mean_per_class("mean_per_class_merged", merged, duplicates[true], clusters, settings),
        ]
    under = way.slice
    exhibits = judged.exhibits(findings, under)
    if first:
        exhibits.append(neighbor_exhibit(inputs, top, titles, under))
    notices = _notices(inputs, titles, duplicates, judged.matrix)
    predictions = picture_predictions(inputs, top, classes, prompts=way.prompts)
    return Answer([replace(f, slice={**f.slice, **under}) for f in findings], exhibits, notices, [predictions])


def _from_file(inputs: ProbeInput[Settings], truth: Counts) -> Answer:
    """All findings, exhibits and predictions of a file of predictions. An answer outside the class list is an error."""
    classes = known_classes(inputs)
    given = given_predictions(inputs, classes)
    top = given.top(truth, len(classes))
    titles = [*class_titles(classes), *([NO_CLASS] if (given.predicted[truth >= 0] < 0).any() else [])]
    judged = _Judged(inputs, top, truth, titles, len(classes))
    findings = judged.findings(top5=len(classes) > 5 and given.listed >= 5)
    if given.scores is not None and given.listed > 1:
        findings.append(_share("ties", top.tied[judged.labeled], judged.clusters, inputs.settings))
    different = np.arange(len(classes))  # no class is a duplicate of another
    notices = given.notices(inputs.dataset.name, inputs.model) + _notices(inputs, judged.titles, different, judged.matrix)
    predictions = picture_predictions(inputs, top, classes, prompts=None)
    predictions = replace(predictions, labels=[*predictions.labels, NO_CLASS], titles=[*predictions.titles, NO_CLASS])
    exhibits = [*judged.exhibits(findings, SLICE), neighbor_exhibit(inputs, top, [*class_titles(classes), NO_CLASS], SLICE)]
    return Answer([replace(f, slice={**f.slice, **SLICE}) for f in findings], exhibits, notices, [predictions])


@dataclass(frozen=True, eq=False)
class _Judged:
    """Predictions for the labeled pictures, beside their true classes.

    inputs: The probe's input.
    top: The predictions for all pictures.
    truth: The true class of all pictures.
    titles: The titles of all classes that can be predicted.
    class_count: How many classes there are to choose from.
    """

    inputs: ProbeInput[Settings]
    top: TopClasses
    truth: Counts
    titles: list[str]
    class_count: int

    @cached_property
    def labeled(self) -> Counts:
        return np.flatnonzero(self.truth >= 0)

    @cached_property
    def true(self) -> Counts:
        return self.truth[self.labeled]

    @cached_property
    def clusters(self) -> Counts:
        return self.inputs.units[self.labeled]

    @cached_property
    def predicted(self) -> Counts:
        return self.top.predicted[self.labeled]

    @cached_property
    def matrix(self) -> Counts:
        return confusion_matrix(self.true, self.predicted, len(self.titles))

    def findings(self, *, top5: bool) -> list[Finding]:
        settings, rank = self.inputs.settings, self.top.rank[self.labeled]
        correct = rank == 0
        return [
            _share("top1", correct, self.clusters, settings),
            *([_share("top5", rank < 5, self.clusters, settings)] if top5 else []),
            _mean_per_class("mean_per_class", correct, self.true, self.clusters, settings),
            Finding(metric="chance", value=1 / self.class_count, n=len(self.true)),
            *_majority(self.titles, self.true),
            *self._per_class(),
            *self._confused(settings.pairs),
        ]

    def _per_class(self) -> list[Finding]:
        """The accuracy of every class that has pictures, and again that of the worst one as a metric of its own."""
        n, hits = self.matrix.sum(axis=1), self.matrix.diagonal()
        share = hits / np.maximum(n, 1)
        counts = effective_counts(self.true == self.predicted, self.true, self.clusters, len(n))
        low, high = wilson(share * counts, counts)
        rows = [
            Finding(
                metric="class_accuracy",
                value=share[c],
                n=int(n[c]),
                low=low[c],
                high=high[c],
                slice={"class": self.titles[c]},
                interval=self._how,
            )
            for c in np.flatnonzero(n)
        ]
        # Of classes with equal accuracy, the one with the most pictures has the strongest evidence.
        worst = min(rows, key=lambda f: (f.value, -f.n))
        return [*rows, replace(worst, metric="worst_class")]

    def _confused(self, pairs: int) -> list[Finding]:
        """For the most confused pairs, the share of a class's pictures that are predicted as the other class."""
        findings = []
        for true, predicted in most_confused(self.matrix, pairs):
            rows = self.true == true
            taken = self.predicted[rows] == predicted
            (count,) = effective_counts(taken, np.zeros(len(taken), np.int64), self.clusters[rows], 1)
            share = float(taken.mean())
            low, high = wilson(share * count, count)
            which = {"class": self.titles[true], "predicted": self.titles[predicted]}
            findings.append(
                Finding(
                    metric="confusion",
                    value=share,
                    n=len(taken),
                    low=float(low),
                    high=float(high),
                    slice=which,
                    interval=self._how,
                )
            )
        return findings

    @cached_property
    def _how(self) -> str:
        """Where no two pictures belong together, the plain interval has its plain name."""
        return "Wilson, 95%" if len(np.unique(self.clusters)) == len(self.clusters) else HOW

    def exhibits(self, findings: list[Finding], under: dict[str, str]) -> list[Exhibit]:
        ids = self.inputs.dataset.ids()
        shown = [ids[i] for i in self.labeled]
        return [
            *class_exhibits([f for f in findings if f.metric == "class_accuracy"], under),
            *confusion_exhibits(self.titles, self.matrix, self.true, self.predicted, shown, under),
        ]


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


def _notices(inputs: ProbeInput[Settings], titles: list[str], duplicates: Counts, matrix: Counts) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    doubles = [f"{titles[int(t)]} = {titles[i]}" for i, t in enumerate(duplicates) if t != i]
    if doubles:
        what = f"{counted(len(doubles), 'pair')} of duplicate classes (same text vector), which tie: {shortened(doubles)}"
        notices.append(Notice(where, what, "give them distinct names; accuracy is reported with and without merging them"))
    originals, pictures = len(np.unique(inputs.units)), len(np.unique(inputs.clusters))
    if originals < pictures:
        what = f"{counted(pictures, 'picture')} are versions of {counted(originals, 'original')} (attr.source_id)"
        notices.append(Notice(where, f"{what}; intervals keep versions together", "add other originals to narrow them"))
    if (matrix.sum(axis=1) > 0).sum() == 1:
        notices.append(Notice(where, "all pictures are of one class", "add pictures of other classes"))
    return notices
