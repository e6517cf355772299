"""ImageNet-D's published way of asking (Zhang et al., 2024), as a variant whose traps are stated.

One question per picture with the true class listed first; the wrong option is CLIP's best wrong class for that very picture; a
reply counts where one of the two names is a substring of it, and replies with both or none are dropped from the accuracy.
"""

from collections.abc import Sequence

import numpy as np

from eyechart.arrays import Doubles, Indices
from eyechart.data.classes import ClassList
from eyechart.data.dataset import Dataset
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.models.answering import Reply
from eyechart.notice import Notice
from eyechart.probes.tasks.share_findings import share_finding

QUESTION = "What is the main object in this image? Choose from the following list: {}, {}."
DISTRACTOR = "attr.distractor"  # a column of the dataset with the label of the published wrong option


def published_pairs(dataset: Dataset, rows: Indices, truth: Indices, scores: Doubles | None) -> list[int] | None:
    """The wrong option of every row: the dataset's own, else the tower's best wrong class; None where neither is known.

    -1 where a picture has no wrong option in a dataset that has its own: that picture is not asked about.
    """
    if (own := _own_options(dataset, rows)) is not None:
        return own
    if scores is None:
        return None
    wrong = scores.copy()
    wrong[np.arange(len(truth)), truth] = -np.inf
    return [int(c) for c in wrong.argmax(axis=1)]


def _own_options(dataset: Dataset, rows: Indices) -> list[int] | None:
    """The wrong options in the dataset's own column, -1 where it has none; None where none of the rows has one."""
    if not dataset.has(DISTRACTOR) or dataset.classes is None:
        return None
    index = {c.label: number for number, c in enumerate(dataset.classes)}
    given = [index.get(label, -1) for label in dataset.table.column(DISTRACTOR).take(rows).to_pylist()]
    return given if max(given, default=-1) >= 0 else None


def published_text(classes: ClassList, true: int, wrong: int) -> str:
    return QUESTION.format(classes[true].name, classes[wrong].name)


def published_findings(
    replies: Sequence[Reply], pairs: Sequence[tuple[int, int]], classes: ClassList, clusters: Indices
) -> list[Finding]:
    """Right / (right + wrong), and the share of replies that this leaves out."""
    outcomes = [_outcome(reply, classes, *pair) for reply, pair in zip(replies, pairs, strict=True)]
    decided = np.array([outcome is not None for outcome in outcomes])
    units = np.unique(clusters, return_inverse=True)[1]
    found = [share_finding("published_dropped", clustered_share(~decided, units))]
    if decided.any():
        right = np.array([bool(outcome) for outcome in outcomes])[decided]
        found.append(
            share_finding("published_accuracy", clustered_share(right, np.unique(units[decided], return_inverse=True)[1]))
        )
    return found


def published_notice(where: str, own_mistakes: bool) -> Notice:
    trap = "the wrong option is the tower's own error, so the tower scores low by construction; " if own_mistakes else ""
    what = f"published protocol of ImageNet-D: {trap}the true class is always listed first, and undecided replies are dropped"
    return Notice(where, what, "compare models by choice_accuracy and choice_gain instead")


def without_question_notice(where: str, count: int, of: int) -> list[Notice]:
    """What is to be said of pictures that the published protocol does not ask about."""
    if not count:
        return []
    what = f"{count:,} of {of:,} pictures have no known class in {DISTRACTOR}; the published protocol leaves them out"
    return [Notice(where, what, "check that its labels are those of the classes")]


def _outcome(reply: Reply, classes: ClassList, true: int, wrong: int) -> bool | None:
    said = reply.answer.casefold()
    names_true, names_wrong = (any(name.casefold() in said for name in classes[c].names) for c in (true, wrong))
    return None if names_true == names_wrong else names_true
