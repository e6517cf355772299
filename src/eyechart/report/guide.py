"""How to write captions and prompts for a model: advice that its own findings decide, and nothing else.

guides(examination.findings)   ->   a Guide for each model of which something was asked that advice can come from
"""

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.report.evidence import Evidence, Figure
from eyechart.report.guide_rules import PROBES, RULES
from eyechart.report.rulings import Ruling


@dataclass(frozen=True)
class Guide:
    """`advice`: what the findings decide, each with the figures that decide it. `undecided`: what was asked and stays open."""

    model: str
    advice: tuple[Ruling, ...]
    undecided: tuple[Ruling, ...]


def guides(findings: pa.Table, models: Sequence[str] | None = None) -> list[Guide]:
    """One for each of `models` (all by default) of which any rule has something to go by; in their order."""
    names = findings["model"].unique().to_pylist() if models is None else models
    made = (guide(findings, name) for name in names)
    return [one for one in made if one.advice or one.undecided]


def guide(findings: pa.Table, model: str) -> Guide:
    """The advice for one model, a pure function of its findings."""
    known = pc.is_in(findings["probe"], pa.array(PROBES))
    mine = findings.filter(pc.and_(pc.equal(findings["model"], model), known))
    evidence = Evidence(tuple(Figure.of(row) for row in mine.to_pylist()))
    rulings = [ruling for rule in RULES for ruling in rule(evidence)]
    return Guide(model, tuple(r for r in rulings if r.decided), tuple(r for r in rulings if not r.decided))
