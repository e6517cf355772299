"""The verdict: what is bad about a model, what is good, and what is inconclusive, by the limits that the probes declare.

The limits are conventions: from where on a difference matters to most people who ship a model. docs/report.md lists them. Every
sentence comes with its figure, so that a reader with other needs can judge for themselves.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.metric import AREAS, Metric
from eyechart.findings.run import Run
from eyechart.verdict.checks import judge
from eyechart.verdict.evidence import Evidence, Figure
from eyechart.verdict.rulings import Ruling


@dataclass(frozen=True)
class Verdict:
    """The judged findings of one model.

    model: Its name.
    bad: The warnings, each with its figures, the worst first.
    good: What is within the limits on every dataset, the figure nearest to the limit first.
    inconclusive: What the intervals do not decide.
    """

    model: str
    bad: tuple[Ruling, ...]
    good: tuple[Ruling, ...]
    inconclusive: tuple[Ruling, ...]


def verdicts(run: Run, models: Sequence[str] | None = None) -> list[Verdict]:
    """One for each of `models` (all by default) that has a judged finding, under the leading prompt set."""
    made = (_verdict(run, model) for model in (run.models if models is None else models))
    return [v for v in made if v.bad or v.good or v.inconclusive]


def _verdict(run: Run, model: str) -> Verdict:
    judged = _judged(run)
    names = {name for _, metric in judged for name in (metric.name, metric.chance) if name}
    known = pc.is_in(run.findings["metric"], pa.array(sorted(names), pa.string()))
    mine = run.findings.filter(pc.and_(pc.equal(run.findings["model"], model), known))
    figures = (Figure.of(row, run) for row in mine.to_pylist())
    leading = run.prompts[:1]
    evidence = Evidence(tuple(_without_prompts(f) for f in figures if f.where.get("prompts") in {None, *leading}))
    made = [judgement for probe, metric in judged for judgement in judge(evidence, probe, metric)]
    return Verdict(
        model,
        tuple(j.ruling for j in made if j.bad),
        tuple(j.ruling for j in made if not j.bad and j.ruling.decided),
        tuple(j.ruling for j in made if not j.ruling.decided),
    )


def _judged(run: Run) -> list[tuple[str, Metric]]:
    """The metrics that have limits, with their probe, in the order of the areas."""
    found = [(AREAS.index(m.limits.area), probe, m) for probe, m in run.metrics() if m.limits is not None]
    return [(probe, metric) for _, probe, metric in sorted(found, key=lambda entry: entry[0])]


def _without_prompts(figure: Figure) -> Figure:
    """The figure without its prompt set: all figures have the same one."""
    return replace(figure, slice=json.dumps({k: v for k, v in figure.where.items() if k != "prompts"}))
