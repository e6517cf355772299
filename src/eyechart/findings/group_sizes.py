"""How many of the n pictures behind a number are out-of-distribution, where n counts both groups."""

import json
from collections.abc import Mapping
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.run import Run

_OF_SET = ("ood", "class")  # slice keys that choose out-of-distribution pictures: their set, and what they show


class OutsideCounts:
    """The numbers of out-of-distribution pictures that the probes of a run report.

    Args:
        run: The run.
    """

    def __init__(self, run: Run) -> None:
        self._run = run
        names = pa.array(sorted({metric.outside for _, metric in run.metrics() if metric.outside}), pa.string())
        rows = run.findings.filter(pc.is_in(run.findings["metric"], names)).to_pylist() if len(names) else []
        self._counts = {_key(row, row["metric"]): int(row["value"]) for row in rows if row["value"] is not None}

    def of(self, row: Mapping[str, Any]) -> int | None:
        """The out-of-distribution pictures among the n of a finding; None where n counts one group, or the run does not say.

        Args:
            row: A row of the findings.
        """
        counted = self._run.metric(row["probe"], row["metric"], row["unit"]).outside
        return None if counted is None else self._counts.get(_key(row, counted))


def _key(row: Mapping[str, Any], metric: str) -> tuple[str, ...]:
    where = json.loads(row["slice"])
    return (row["model"], row["dataset"], row["probe"], metric, *(str(where.get(name, "")) for name in _OF_SET))


def size_text(n: int, outside: int | None, *, short: bool = False) -> str:
    """The sample size as text, with both groups where there are two.

    >>> size_text(1200, 200), size_text(30, 30), size_text(1200, None)
    ('1,000 in-distribution + 200 out-of-distribution', '30 out-of-distribution', '1,200')
    >>> size_text(1200, 200, short=True)
    '1,000 ID + 200 OOD'
    """
    if outside is None or outside > n:
        return f"{n:,}"
    known, others = ("ID", "OOD") if short else ("in-distribution", "out-of-distribution")
    inside = f"{n - outside:,} {known} + " if outside < n else ""
    return f"{inside}{outside:,} {others}"
