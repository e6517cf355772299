"""Notices about a repair: accuracy that is not above chance, and classes that no picture is labeled with."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.findings.numbers import format_value
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.contract import ProbeInput
from eyechart.probes.tasks.classifier import class_titles
from eyechart.repair.class_lists import ClassLists
from eyechart.repair.classifier_outcome import ClassifierOutcome
from eyechart.repair.evaluation import HeldOut
from eyechart.repair.metrics import share_text
from eyechart.repair.shuffled_names import FEWEST, shuffled_names_p_value

Labels = npt.NDArray[np.str_]

_ALPHA = 0.025  # one side of a 95% interval


def quality_notices(
    inputs: ProbeInput[Any],
    lists: ClassLists,
    labels: Labels,
    held_out: HeldOut,
    outcomes: tuple[ClassifierOutcome, ClassifierOutcome],
    findings: Sequence[Finding],
) -> list[Notice]:
    """Notices about accuracy and labels.

    Args:
        labels: Of all pictures; "" where a picture has none.
        outcomes: Before and after, on the held-out pictures.
    """
    return [*_not_above_chance(inputs, lists, held_out, outcomes, findings), *_unused_classes(inputs, lists, labels)]


def _not_above_chance(
    inputs: ProbeInput[Any],
    lists: ClassLists,
    held_out: HeldOut,
    outcomes: tuple[ClassifierOutcome, ClassifierOutcome],
    findings: Sequence[Finding],
) -> list[Notice]:
    """A notice where neither classifier is above chance.

    A constant answer has a mean per-class accuracy of 1/L, however often each of the L labels occurs. A permutation test with
    shuffled class names finds classifiers that group pictures but name the groups by chance.
    """
    chance = 1 / len(set(held_out.labels.tolist()))
    found = [f for f in findings if f.metric == "mean_per_class"]
    class_labels = [tuple(c.label for c in classes) for classes in (lists.before, lists.after)]
    for finding, outcome, of_class in zip(found, outcomes, class_labels, strict=True):
        by_chance = (
            len(of_class) >= FEWEST and shuffled_names_p_value(outcome.answers, held_out.labels, of_class, held_out.seed) > _ALPHA
        )
        if (finding.low or 0.0) > chance and not by_chance:
            return []
    values = "; ".join(f"{f.slice['classifier']} {share_text(f)}" for f in found)
    what = (
        f"mean per-class accuracy is not above chance ({format_value(chance, 'fraction')}) or not above that of shuffled class"
        f" names, at 95% confidence: {values}"
    )
    return [Notice(inputs.model, what, "the model may not know these class names: use words that it knows with --classes")]


def _unused_classes(inputs: ProbeInput[Any], lists: ClassLists, labels: Labels) -> list[Notice]:
    """Harmful classes of a class design are not reported: no picture should be labeled with them."""
    used = set(labels.tolist())
    listed = zip(lists.after, class_titles(lists.after), lists.harmful_after, strict=True)
    unused = [title for c, title, harmful in listed if c.label not in used and not harmful]
    if not unused:
        return []
    share = f"{len(unused)} of {counted(len(lists.after), 'class', 'classes')}"
    what = f"no picture is labeled with {share}: {shortened(unused)}"
    return [Notice(inputs.dataset.name, what, "predicting them is always an error here; check their spelling, or remove them")]
