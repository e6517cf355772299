"""A finished examination, as Python and notebooks see it."""

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from eyechart.errors import EyechartError
from eyechart.findings.exhibit import PlacedExhibit
from eyechart.findings.run import Run, read_run
from eyechart.notice import Notice
from eyechart.report.summary import summary_rows
from eyechart.report.terminal import one_model
from eyechart.verdict.guide import Guide, guides
from eyechart.verdict.verdict import Verdict, verdicts


class Examination:
    """The results of an examination. Everything is in its folder, which is read once, when first needed.

    Args:
        folder: The folder of the results.
        failures: Models that could not be examined, with the reason.
        fresh: How many answers were computed this time, and not known before.
        run: What `folder` holds, where it was read already.

    Example:
        >>> import eyechart
        >>> made = eyechart.examine("demo:", "world-objects", limit=36, probes=["zero_shot"], out="exams/demo")
        >>> exam = eyechart.Examination(made.folder)
        >>> exam.findings.num_rows == made.findings.num_rows
        True
    """

    def __init__(
        self,
        folder: str | Path,
        failures: Mapping[str, EyechartError] | None = None,
        fresh: int = 0,
        run: Run | None = None,
    ) -> None:
        self.folder, self.failures, self.fresh = Path(folder), dict(failures or {}), fresh
        if run is not None:
            self.run = run

    @cached_property
    def run(self) -> Run:
        """Findings, exhibits, skips and protocol, as they were when first read."""
        return read_run(self.folder)

    @property
    def findings(self) -> pa.Table:
        """One row per number; `.to_pandas()` gives a DataFrame."""
        return self.run.findings

    @property
    def predictions(self) -> pa.Table:
        """One row per picture, model and prompt set: the five best classes, and the rank of the true one."""
        return self.run.predictions

    @property
    def skips(self) -> pa.Table:
        """One row per probe that could not be run, with the reason."""
        return self.run.skips

    @property
    def exhibits(self) -> list[PlacedExhibit]:
        """Charts, tables and pictures behind the numbers."""
        return list(self.run.exhibits)

    @property
    def protocol(self) -> dict[str, Any]:
        """Every setting behind every number."""
        return self.run.protocol

    @property
    def notices(self) -> list[Notice]:
        """Warnings, each with a remedy."""
        return self.run.notices

    @property
    def set_aside(self) -> list[dict[str, str]]:
        """Pictures that could not be used, with the reason."""
        return [
            {"model": placed.model, "dataset": placed.dataset, **row}
            for placed in self.run.exam_exhibits("set-aside")
            for row in placed.exhibit.table.to_pylist()
        ]

    def summary(self, *, most: int | None = None) -> list[tuple[str, str, str, str, str, str, int]]:
        """The headline findings as text: (model, dataset, probe, metric, value, interval, n).

        Args:
            most: Where there are more rows than this, only the first of each probe is given.

        Example:
            >>> import eyechart
            >>> exam = eyechart.examine("demo:", "world-objects", limit=36, probes=["zero_shot"], out="exams/demo")
            >>> exam.summary()[0][:3]
            ('demo', 'world-objects', 'zero_shot')
        """
        return summary_rows(self.run, most=most)

    def guides(self) -> list[Guide]:
        """How to write captions and prompts for each model, as far as its findings decide."""
        return guides(self.run)

    def verdicts(self) -> list[Verdict]:
        """What is bad, good and inconclusive about each model.

        Example:
            >>> import eyechart
            >>> exam = eyechart.examine("demo:", "world-objects", limit=36, probes=["zero_shot"], out="exams/demo")
            >>> [verdict.model for verdict in exam.verdicts()]
            ['demo']
        """
        return verdicts(self.run)

    def report(self) -> Path:
        """Write the page again and return its path."""
        from eyechart.report.page import write_report  # takes a while to load

        return write_report(self.folder, self.run)

    def __repr__(self) -> str:
        return f"Examination({str(self.folder)!r})"

    def __str__(self) -> str:
        """The verdict on each model, as the terminal shows it."""
        return "\n\n".join("\n".join(one_model(self.run, verdict)) for verdict in self.verdicts())

    def _repr_html_(self) -> str:
        from eyechart.report.exports.notebook import notebook_html  # takes a while to load

        return notebook_html(self.run, self.folder / "report" / "index.html")
