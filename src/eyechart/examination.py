"""A finished examination, as Python and notebooks see it."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from eyechart.errors import EyechartError
from eyechart.findings.exhibit import PlacedExhibit
from eyechart.findings.run import Run, read_run
from eyechart.notice import Notice
from eyechart.report.guide import Guide, guides
from eyechart.report.notebook import notebook_html
from eyechart.report.page import write_report
from eyechart.report.summary import summary_rows
from eyechart.report.verdict import Verdict, verdicts


@dataclass(frozen=True)
class Examination:
    """Everything about it is in its folder, and this reads it from there. `failures`: models that could not be examined."""

    folder: Path
    failures: Mapping[str, EyechartError] = field(default_factory=dict)
    fresh: int = 0  # answers that were not known before

    @property
    def findings(self) -> pa.Table:
        """One row a number; `.to_pandas()` gives a DataFrame."""
        return self._read().findings

    @property
    def skips(self) -> pa.Table:
        return self._read().skips

    @property
    def exhibits(self) -> list[PlacedExhibit]:
        return list(self._read().exhibits)

    @property
    def protocol(self) -> dict[str, Any]:
        return self._read().protocol

    @property
    def notices(self) -> list[Notice]:
        """Warnings, each with a remedy."""
        return [Notice(**row) for placed in self._read().of_exam("notices") for row in placed.exhibit.table.to_pylist()]

    @property
    def set_aside(self) -> list[dict[str, str]]:
        """Pictures that could not be used, with the reason."""
        return [
            {"model": placed.model, "dataset": placed.dataset, **row}
            for placed in self._read().of_exam("set-aside")
            for row in placed.exhibit.table.to_pylist()
        ]

    def summary(self, *, most: int | None = None) -> list[tuple[str, str, str, str, str, str, int]]:
        """(model, dataset, probe, metric, value, interval, n) of the headline findings, as text; where they are more than `most`,
        the first of each question."""
        return summary_rows(self._read(), most=most)

    def guides(self) -> list[Guide]:
        """How to write captions and prompts for each model, as far as its findings decide."""
        run = self._read()
        return guides(run.findings, run.models)

    def verdicts(self) -> list[Verdict]:
        """What to know of each model before relying on it, what holds and what is not decided."""
        return verdicts(self._read())

    def report(self) -> Path:
        """Write the page anew; gives its path."""
        return write_report(self.folder)

    def _read(self) -> Run:
        return read_run(self.folder)

    def _repr_html_(self) -> str:
        return notebook_html(self._read(), self.folder / "report" / "index.html")
