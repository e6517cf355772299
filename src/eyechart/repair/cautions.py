"""What a user should know before trusting a repair: class names that the model may not know, and classes that nothing shows."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.notice import Notice, counted, shortened
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.classifier import class_titles
from eyechart.repair.class_lists import Lists
from eyechart.repair.measuring import Held
from eyechart.repair.outcome import ClassifierOutcome
from eyechart.repair.shuffled_names import FEWEST, names_by_chance

Labels = npt.NDArray[np.str_]

_UNLIKELY = 0.025  # as one side of a 95% interval


def cautions(
    inputs: ProbeInput[Any],
    lists: Lists,
    labels: Labels,
    held: Held,
    outcomes: tuple[ClassifierOutcome, ClassifierOutcome],
    findings: Sequence[Finding],
) -> list[Notice]:
    """`labels`: of all pictures, "" where there is none; `outcomes`: before and after, of the held-out ones."""
    return [*_guessing(inputs, lists, held, outcomes, findings), *_never_shown(inputs, lists, labels)]


def _guessing(
    inputs: ProbeInput[Any],
    lists: Lists,
    held: Held,
    outcomes: tuple[ClassifierOutcome, ClassifierOutcome],
    findings: Sequence[Finding],
) -> list[Notice]:
    """Whoever gives the same answer to every picture is right for one label of L, so 1/L in the mean over labels, however
    often each of them occurs: what does not surely pass that is no better than guessing. Nor is what would pass it as well with
    the names of its classes shuffled."""
    blind = 1 / len(set(held.labels.tolist()))
    found = [f for f in findings if f.metric == "mean_per_class"]
    of_lists = [tuple(c.label for c in of) for of in (lists.before, lists.after)]
    for finding, outcome, of_class in zip(found, outcomes, of_lists, strict=True):
        lucky = len(of_class) >= FEWEST and names_by_chance(outcome.answers, held.labels, of_class, held.seed) > _UNLIKELY
        if (finding.low or 0.0) > blind and not lucky:
            return []
    told = ", ".join(f"{f.slice['classifier']} {f.value:.1%} ({f.low:.1%} to {f.high:.1%})" for f in found)
    what = (
        f"not surely better than guessing or than shuffled class names, which are right for {blind:.1%}: mean over classes"
        f" {told}, n = {found[0].n:,}"
    )
    return [Notice(inputs.model, what, "the model may not know these class names: say them in its words with --classes")]


def _never_shown(inputs: ProbeInput[Any], lists: Lists, labels: Labels) -> list[Notice]:
    """Harmful classes of a class design are there to be answered wrongly, so nothing is odd about those."""
    there = set(labels.tolist())
    listed = zip(lists.after, class_titles(lists.after), lists.harmful_after, strict=True)
    never = [title for c, title, harmful in listed if c.label not in there and not harmful]
    if not never:
        return []
    share = f"{len(never)} of {counted(len(lists.after), 'class', 'classes')}"
    what = f"no picture is labelled with {share}: {shortened(never)}"
    return [Notice(inputs.dataset.name, what, "an answer of those is always wrong here; check their spelling, or leave them out")]
