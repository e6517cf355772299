"""How to write captions and prompts for a model: advice that follows from its findings."""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.run import Run
from eyechart.verdict.advice import Advice
from eyechart.verdict.evidence import Evidence, Figure
from eyechart.verdict.guide_rules import PROBES, RULES


@dataclass(frozen=True)
class Guide:
    """Advice for one model.

    model: Its name.
    advice: What the findings decide, each with its figures.
    inconclusive: What was measured and stays open.
    """

    model: str
    advice: tuple[Advice, ...]
    inconclusive: tuple[Advice, ...]


def guides(run: Run, models: Sequence[str] | None = None) -> list[Guide]:
    """A guide for each of `models` (all by default) with findings that a rule reads, in their order."""
    made = (guide(run, name) for name in (run.models if models is None else models))
    return [one for one in made if one.advice or one.inconclusive]


def guide(run: Run, model: str) -> Guide:
    """The advice for one model; a pure function of its findings."""
    known = pc.is_in(run.findings["probe"], pa.array(PROBES))
    mine = run.findings.filter(pc.and_(pc.equal(run.findings["model"], model), known))
    evidence = Evidence(tuple(Figure.of(row, run) for row in mine.to_pylist()))
    rulings = [ruling for rule in RULES for ruling in rule(evidence)]
    return Guide(model, tuple(r for r in rulings if r.decided), tuple(r for r in rulings if not r.decided))
