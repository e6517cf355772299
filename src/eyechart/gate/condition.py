"""Conditions of a gate, and their grammar:

    METRIC[@PROBE] [of DATASET] (< | <= | > | >=) VALUE
    METRIC[@PROBE] [of DATASET] (drops | rises) [by] AMOUNT

VALUE is a number or a percentage (0.8, 80%), AMOUNT a number or points (0.05, 5 points). A condition says when the gate fails.
"""

import math
import re
from dataclasses import dataclass
from typing import Literal

from eyechart.errors import UsageError, did_you_mean

Relation = Literal["<", "<=", ">", ">=", "drops", "rises"]
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_CONDITION = re.compile(
    r"\s*(?P<metric>[A-Za-z_][\w.]*)(?:@(?P<probe>\w+))?"
    r"(?:\s+of\s+(?:\"(?P<quoted>[^\"]+)\"|(?P<dataset>.+?)))?"
    rf"\s*(?P<relation><=|>=|<|>|\s(?:drops|rises)(?:\s+by)?)\s*(?P<number>{_NUMBER})\s*(?P<unit>%|points?|)\s*"
)
_EXAMPLES = "'top1 < 0.8', 'ece@calibration of photos > 5%' or 'worst_class drops 5 points'"


@dataclass(frozen=True)
class Condition:
    """When a gate fails.

    text: As it was given.
    metric: The metric.
    probe: Its probe; None where only one reports it.
    dataset: The dataset; None for every exam dataset.
    relation: A comparison with a value, or with a baseline.
    value: The value, or the smallest change that fails.
    unit: "%", "points" or "" for a number.
    """

    text: str
    metric: str
    probe: str | None
    dataset: str | None
    relation: Relation
    value: float
    unit: Literal["%", "points", ""]

    @property
    def needs_baseline(self) -> bool:
        return self.relation in ("drops", "rises")


def parse_condition(text: str) -> Condition:
    """Read a condition.

    Raises:
        UsageError: If it does not follow the grammar.

    Example:
        >>> parse_condition("worst_class drops 5 points").value
        0.05
    """
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise UsageError(f"--fail-if {text!r}: this is not a condition{_hint(text)} (examples: {_EXAMPLES})")
    relation = found["relation"].split()[0]
    unit: Literal["%", "points", ""] = "%" if found["unit"] == "%" else "points" if found["unit"] else ""
    value = float(found["number"])
    if not math.isfinite(value):
        raise UsageError(f"--fail-if {text!r}: {found['number']} is too large")
    if relation in ("drops", "rises") and unit == "%":
        raise UsageError(f"--fail-if {text!r}: a change in percent is ambiguous; write points, such as {value:g} points")
    if relation in ("drops", "rises") and value <= 0:
        raise UsageError(f"--fail-if {text!r}: the change must be above 0")
    if relation not in ("drops", "rises") and unit == "points":
        raise UsageError(f"--fail-if {text!r}: a value is a number or a percentage; points are for drops and rises")
    return Condition(
        text=" ".join(text.split()),
        metric=found["metric"],
        probe=found["probe"],
        dataset=found["quoted"] or found["dataset"],
        relation=relation,  # type: ignore[arg-type]
        value=value / 100 if unit else value,
        unit=unit,
    )


def _hint(text: str) -> str:
    """A suggestion for a misspelt relation."""
    words = [word for word in re.findall(r"[A-Za-z]+", text) if word not in ("of", "by", "point", "points")]
    hints = (did_you_mean(word, ("drops", "rises"), cutoff=0.6) for word in words[1:])
    return next((hint for hint in hints if hint), "")
