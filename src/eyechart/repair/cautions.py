"""What a user should know before trusting a repair: class names that the model may not know, and classes that nothing shows."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.notice import Notice, counted, shortened
from eyechart.probes._classifier import class_titles
from eyechart.probes.probe import Given
from eyechart.repair.class_lists import Lists

Labels = npt.NDArray[np.str_]


def cautions(given: Given, lists: Lists, labels: Labels, held_out: Labels, findings: Sequence[Finding]) -> list[Notice]:
    """`labels`: of all pictures, "" where there is none; `held_out`: of those that `findings` are about."""
    return [*_guessing(given, held_out, findings), *_never_shown(given, lists, labels)]


def _guessing(given: Given, held_out: Labels, findings: Sequence[Finding]) -> list[Notice]:
    """Whoever gives the same answer to every picture is right for one label of L, so 1/L in the mean over labels, however
    often each of them occurs: what does not surely pass that is no better than guessing."""
    blind = 1 / len(set(held_out.tolist()))
    found = [f for f in findings if f.metric == "mean_per_class"]
    if any((f.low or 0.0) > blind for f in found):
        return []
    told = ", ".join(f"{f.slice['classifier']} {f.value:.1%} ({f.low:.1%} to {f.high:.1%})" for f in found)
    what = f"not surely better than guessing, which is right for {blind:.1%}: mean over classes {told}, n = {found[0].n:,}"
    return [Notice(given.model, what, "the model may not know these class names: say them in its words with --classes")]


def _never_shown(given: Given, lists: Lists, labels: Labels) -> list[Notice]:
    """Harmful classes of a class design are there to be answered wrongly, so nothing is odd about those."""
    there = set(labels.tolist())
    listed = zip(lists.after, class_titles(lists.after), lists.harmful_after, strict=True)
    never = [title for c, title, harmful in listed if c.label not in there and not harmful]
    if not never:
        return []
    share = f"{len(never)} of {counted(len(lists.after), 'class', 'classes')}"
    what = f"no picture is labelled with {share}: {shortened(never)}"
    return [Notice(given.dataset.name, what, "an answer of those is always wrong here; check their spelling, or leave them out")]
