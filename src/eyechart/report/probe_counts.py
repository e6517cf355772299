"""How many probes gave results and how many were skipped: the same numbers on the page and in the terminal."""

from collections.abc import Collection
from dataclasses import dataclass

from eyechart.findings.run import ALL_MODELS, Run
from eyechart.notice import counted
from eyechart.report.sections.exclusions import Exclusions


@dataclass(frozen=True)
class ProbeCounts:
    """Probes of one model.

    answered: Those with a finding or an exhibit.
    skipped: Those that were skipped, on some dataset at least.
    datasets: On how many datasets some were skipped.
    """

    answered: int
    skipped: int
    datasets: int

    @property
    def skipped_text(self) -> str:
        """'4 probes skipped'; empty where none was."""
        return f"{counted(self.skipped, 'probe')} {self._skipped}" if self.skipped else ""

    @property
    def text(self) -> str:
        """'8 probes (4 skipped)'."""
        return counted(self.answered, "probe") + (f" ({self.skipped:,} {self._skipped})" if self.skipped else "")

    @property
    def _skipped(self) -> str:
        return "skipped on some datasets" if self.datasets > 1 else "skipped"


def probe_counts(
    run: Run, excluded: Exclusions, model: str | None, dataset: str | None, datasets: Collection[str]
) -> ProbeCounts:
    """The probes of one model on one dataset.

    Args:
        run: The run.
        excluded: What was left out.
        model: The model; None where none could be examined.
        dataset: The examined dataset; None for all.
        datasets: All examined datasets. What concerns a companion of them concerns each of them.
    """
    others = set() if dataset is None else set(datasets) - {dataset}
    if model is None:
        return ProbeCounts(len(run.probes), *_skipped(excluded))
    rows = run.findings.select(["model", "dataset", "probe"]).group_by(["model", "dataset", "probe"]).aggregate([])
    found = {(r["model"], r["dataset"], r["probe"]) for r in rows.to_pylist()}
    found |= {(e.model, e.dataset, e.probe) for e in run.exhibits}
    mine = {probe for of, on, probe in found if of in {model, ALL_MODELS} and on not in others}
    return ProbeCounts(len(mine & set(run.probes)), *_skipped(excluded.of_view(model, dataset, datasets)))


def _skipped(excluded: Exclusions) -> tuple[int, int]:
    return len({s.probe for s in excluded.skips}), len({s.dataset for s in excluded.skips})
