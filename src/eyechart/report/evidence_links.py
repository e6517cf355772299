"""Where a judged number is proved: the pictures that it counts, else the place of its probe in a tab."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from eyechart.findings.run import Run
from eyechart.report.finding_rows import CountedRows, address, counted_rows
from eyechart.report.missed_queries import Missed, MissedQueries
from eyechart.report.picture_groups import Galleries
from eyechart.report.summary import HeadlineRow
from eyechart.report.view import View
from eyechart.verdict.evidence import Figure


@dataclass(frozen=True)
class EvidenceLinks:
    """The addresses of the evidence on a page.

    run: The run.
    tabs: Probe → tab.
    galleries: The predictions on the page.
    missed: The missed queries on the page.
    parts: Model, dataset and probe of each part of a tab.
    """

    run: Run
    tabs: Mapping[str, str]
    galleries: Galleries = field(default_factory=dict)
    missed: Missed = field(default_factory=dict)
    parts: Collection[tuple[str, str, str]] = ()

    def of(self, view: View, shown: Figure | HeadlineRow) -> str:
        """The address of what a number counts, with the leading #."""
        counted = self._counted(view, shown)
        if counted is not None:
            return f"#{address(self.run, counted)}"
        place = f"#{view.key}/{self.tabs[shown.probe]}/p{self.run.probes.index(shown.probe)}"
        has_part = (view.model, shown.dataset, shown.probe) in self.parts
        return f"{place}/d{self.run.datasets.index(shown.dataset)}" if has_part else place

    def missed_of(self, view: View, figure: Figure) -> MissedQueries | None:
        """The missed queries or trials that a number counts; of retrieval, all of its direction. None for other numbers."""
        counted = self._counted(view, figure)
        if counted is not None:
            return counted.gallery if isinstance(counted.gallery, MissedQueries) else None
        return self.missed.get((view.model, figure.dataset, figure.metric.rpartition("_r")[0]))

    def _counted(self, view: View, shown: Figure | HeadlineRow) -> CountedRows | None:
        finding: dict[str, Any] = {
            "model": view.model,
            "dataset": shown.dataset,
            "probe": shown.probe,
            "metric": shown.metric,
            "unit": None,
            "slice": shown.slice,
            "value": shown.value,
            "n": shown.n,
        }
        return counted_rows(self.run, self.galleries, finding, self.missed)
