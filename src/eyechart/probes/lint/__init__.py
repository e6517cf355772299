"""Lint: what looks wrong about class names, labels and pictures, before any accuracy is believed."""

from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Counts, Doubles, Indices
from eyechart.data.class_name_checks import check_names
from eyechart.data.classes import ClassList
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.metrics.classification.label_errors import MeanScores, mean_scores, suspected_errors
from eyechart.metrics.classification.label_permutation import constant_shift, permuted_labels
from eyechart.metrics.classification.predictions import confusion_matrix
from eyechart.metrics.intervals import wilson
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.lint.classes import same_pictures, unknown_names
from eyechart.probes.lint.copies import Copies, conflicting_copies, leaked_copies
from eyechart.probes.lint.exhibits import copies_exhibit, errors_exhibit
from eyechart.probes.lint.metrics import METRICS
from eyechart.probes.tasks.classifier import class_cosines, class_texts, class_titles, known_classes, shared_classifier

SEPARATED = 0.75  # of the pictures must be nearest to the mean of their own class, at 95% confidence, for labels to be checked


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `lint`.

    agreement: Whether zero-shot classification must agree with a suspected label error. It then has fewer false alarms.
    copies: The lowest cosine of two pictures that are compared pixel by pixel.
    most: At most this many pictures are searched for near-duplicates.
    """

    agreement: bool = True
    copies: float = 0.95
    most: int = 20_000

    def __post_init__(self) -> None:
        if not 0 < self.copies <= 1 or self.most < 1:
            raise ValueError("copies must be above 0 and at most 1, most at least 1")


@probe(
    version=1,
    needs=("images", "texts", "labels", "classes"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("classify",),
    texts=class_texts,
    compares=True,
    headline=("suspected_label_errors", "name_issues"),
)
def lint(inputs: ProbeInput[Settings]) -> Answer:
    """Do class names, labels and pictures contain mistakes?

    Class names are checked for duplicates, spelling and words that are not split. Where the vectors of the pictures separate the
    classes, a label is suspected that lies nearer to the mean of another class (confident learning, Northcutt et al., 2021) if
    zero-shot classification agrees; and classes are checked for swapped labels, for names that the model does not know, and for
    two names of one class. Near-duplicate pictures are found by their vectors and confirmed by their pixels.
    """
    classes = known_classes(inputs)
    truth = inputs.dataset.label_indices()
    rows = np.flatnonzero(truth >= 0)
    if len(classes) < 2 or not len(rows):
        raise NotApplicable("the probe needs labeled pictures and two classes")
    parts = [_names(inputs, classes), _labels(inputs, classes, rows, truth[rows]), _pictures(inputs, rows, truth[rows])]
    return Answer(
        [f for part in parts for f in part.findings],
        [e for part in parts for e in part.exhibits],
        [n for part in parts for n in part.notices],
    )


def _names(inputs: ProbeInput[Settings], classes: ClassList) -> Answer:
    """Checks of the names alone."""
    found = [str(issue) for issue in check_names([c.name for c in classes])]
    kinds = "class name looks wrong", "class names look wrong"
    notices = _listed(inputs.dataset.name, found, *kinds, "reword them with --classes")
    return Answer([Finding(metric="name_issues", value=float(len(found)), n=len(classes))], [], notices)


def _labels(inputs: ProbeInput[Settings], classes: ClassList, rows: Indices, labels: Indices) -> Answer:
    """Checks of labels by the model's vectors; only a notice where these do not separate the classes."""
    where, count = inputs.dataset.name, len(classes)
    scores = mean_scores(inputs.images[rows], labels, count)
    by_means = confusion_matrix(labels, scores.best, count)
    pairs = same_pictures(inputs.images[rows], labels, count)
    separated, n = int(by_means.diagonal().sum()), len(rows)
    if len(pairs) <= max(1, count // 4):  # a few classes with two names are a finding, not a weakness of the model
        separated += sum(int(by_means[a, b] + by_means[b, a]) for a, b in pairs)
    if wilson(separated, n)[0] < SEPARATED:
        what = f"labels were not checked: the vectors of {inputs.model} do not separate the classes well enough"
        found = f"{percent(separated / n)} of {counted(n, 'picture')} are nearest to the mean of their own class"
        return Answer([], [], [Notice(where, f"{what} ({found})", "lint with a model that knows such pictures")])
    titles = class_titles(classes)
    predicted = class_cosines(inputs, shared_classifier(inputs, inputs.prompts[0], classes), rows).best()
    matrix = confusion_matrix(labels, predicted, count)
    moved = permuted_labels(matrix)
    unknown = unknown_names(matrix, by_means)
    errors, margin = _suspected(inputs, scores, labels, predicted, moved)
    ids = inputs.dataset.ids()
    findings = [
        _share("suspected_label_errors", len(errors), n),
        Finding(metric="unknown_names", value=float(len(unknown)), n=count),
        Finding(metric="one_class_two_names", value=float(len(pairs)), n=count),
        Finding(metric="permuted_labels", value=float((moved != np.arange(count)).sum()), n=count),
    ]
    exhibits = errors_exhibit(titles, [ids[rows[e]] for e in errors], labels[errors], scores.other[errors], margin)
    notices = [
        *_permutation(where, titles, moved),
        *_listed(
            where,
            [f"{titles[c]} ({found} of {of} found)" for c, found, of in unknown],
            "class name that the model does not seem to know, although its pictures are alike",
            "class names that the model does not seem to know, although their pictures are alike",
            "try other words with --classes",
        ),
        *_listed(
            where,
            [f"{titles[a]} = {titles[b]}" for a, b in pairs],
            "pair of classes has the same pictures",
            "pairs of classes have the same pictures",
            "merge them, or describe the difference in their names",
        ),
        *_errors(where, ids, rows[errors]),
    ]
    return Answer(findings, exhibits, notices)


def _suspected(
    inputs: ProbeInput[Settings], scores: MeanScores, labels: Indices, predicted: Indices, moved: Indices
) -> tuple[Indices, Doubles]:
    """The rows with a suspected label, the clearest first, and by how much each is nearer to the other class."""
    suspected, margin = suspected_errors(scores, labels, len(moved))
    if inputs.settings.agreement:
        suspected &= predicted == scores.other
    suspected &= moved[labels] == labels  # a swapped class is one mistake, not one for each of its pictures
    errors = np.flatnonzero(suspected)
    errors = errors[np.argsort(-margin[errors], kind="stable")]
    return errors, margin[errors]


def _pictures(inputs: ProbeInput[Settings], rows: Indices, labels: Indices) -> Answer:
    """Near-duplicates with different labels, and in the datasets that this one is compared with."""
    conflicts, leaks = conflicting_copies(inputs, rows, labels), leaked_copies(inputs, rows)
    findings = [
        *([_share("near_duplicates", conflicts.pictures, conflicts.searched)] if conflicts.searched else []),
        *([_share("leaked_pictures", leaks.pictures, leaks.searched)] if leaks.searched else []),
    ]
    exhibits = [
        *copies_exhibit("conflicting-copies", "Near-duplicates with different labels", conflicts),
        *copies_exhibit("leaked-copies", "Near-duplicates in another dataset", leaks),
    ]
    return Answer(findings, exhibits, _copies(inputs.dataset.name, conflicts, leaks))


def _share(metric: str, hits: int, n: int) -> Finding:
    low, high = wilson(hits, n)
    return Finding(metric=metric, value=hits / n, n=n, low=float(low), high=float(high), interval="Wilson, 95%")


def _listed(where: str, items: list[str], one: str, many: str, remedy: str) -> list[Notice]:
    return [Notice(where, f"{counted(len(items), one, many)}: {shortened(items)}", remedy)] if items else []


def _permutation(where: str, titles: list[str], moved: Indices) -> list[Notice]:
    """Labels that are shifted along the class list, or swapped."""
    if shift := constant_shift(moved):
        what = (
            f"labels look shifted by {counted(abs(shift), 'class', 'classes')}: pictures of {titles[0]} show {titles[moved[0]]}"
        )
        return [Notice(where, what, "check whether labels count from 0 or from 1")]
    classes = [c for c in range(len(titles)) if moved[c] != c]
    swapped = [f"{titles[c]} and {titles[moved[c]]}" for c in classes if moved[moved[c]] == c and c < moved[c]]
    others = [f"{titles[c]} shows {titles[moved[c]]}" for c in classes if moved[moved[c]] != c]
    return _listed(where, swapped, "pair of labels looks swapped", "pairs of labels look swapped", "check the labels") + _listed(
        where, others, "class has the label of another one", "classes have the labels of others", "check the labels"
    )


def _errors(where: str, ids: list[str], rows: Counts) -> list[Notice]:
    if not len(rows):
        return []
    listed = shortened([ids[row] for row in rows], 3)
    return [Notice(where, f"{counted(len(rows), 'suspected label error')}: {listed}", "look at them on the page")]


def _copies(where: str, conflicts: Copies, leaks: Copies) -> list[Notice]:
    found = []
    if conflicts.pairs:
        what = f"{counted(len(conflicts.pairs), 'pair')} of near-duplicate pictures with different labels"
        found.append(Notice(where, what, "look at them on the page, and remove one of each"))
    if leaks.pairs:
        others = sorted({pair.other_dataset for pair in leaks.pairs})
        what = f"{counted(leaks.pictures, 'picture')} also in {', '.join(others)} (near-duplicates)"
        found.append(Notice(where, what, "remove them from one of the datasets"))
    return found
