"""What a run excluded: models that failed, probes that were skipped and pictures that could not be used; and its notices."""

from collections.abc import Collection
from dataclasses import dataclass

from eyechart.findings.run import ALL_MODELS, Run
from eyechart.findings.skip import Skip
from eyechart.notice import Notice


@dataclass(frozen=True)
class ExcludedPicture:
    """A picture that could not be used.

    dataset: Its dataset.
    id: Its id in the dataset.
    place: Its path or place.
    reason: Why it could not be used.
    models: The models that could not use it.
    """

    dataset: str
    id: str
    place: str
    reason: str
    models: tuple[str, ...]


@dataclass(frozen=True)
class Exclusions:
    """Everything that a run excluded, and its notices.

    failed: Model → reason.
    skips: Skipped probes of the models that did not fail.
    excluded: Pictures that could not be used.
    notices: Warnings, each with a remedy.
    """

    failed: dict[str, str]
    skips: tuple[Skip, ...]
    excluded: tuple[ExcludedPicture, ...]
    notices: tuple[Notice, ...]

    @property
    def pictures(self) -> dict[str, int]:
        """Dataset → number of its pictures that a model could not use."""
        return {
            dataset: len({(s.id, s.place) for s in self.excluded if s.dataset == dataset})
            for dataset in dict.fromkeys(s.dataset for s in self.excluded)
        }

    def of_view(self, model: str, dataset: str | None, datasets: Collection[str]) -> "Exclusions":
        """What concerns one model, and one dataset where it is given.

        Args:
            model: The model.
            dataset: The examined dataset; None for all.
            datasets: All examined datasets. What concerns a companion, or no dataset, concerns each of them.
        """
        others = set() if dataset is None else set(datasets) - {dataset}
        return Exclusions(
            self.failed,
            tuple(s for s in self.skips if s.model == model and s.dataset not in others),
            tuple(s for s in self.excluded if model in s.models and s.dataset not in others),
            tuple(n for n in self.notices if n.where not in others),
        )

    def __bool__(self) -> bool:
        return bool(self.failed or self.skips or self.excluded or self.notices)


def exclusions_of(run: Run) -> Exclusions:
    skips = [Skip(**row) for row in run.skips.to_pylist()]
    # A model that failed is not in the protocol; all its probes were skipped for one reason.
    known = {ALL_MODELS, *(run.protocol.get("models") or {}), *run.findings.column("model").unique().to_pylist()}
    failed = {s.model: s.reason for s in skips if s.model not in known}
    notices = run.notices
    return Exclusions(failed, tuple(s for s in skips if s.model not in failed), _excluded(run), tuple(notices))


def _excluded(run: Run) -> tuple[ExcludedPicture, ...]:
    """Each picture once: most are unusable for all models."""
    models: dict[tuple[str, str, str, str], list[str]] = {}
    for placed in run.exam_exhibits("set-aside"):
        for row in placed.exhibit.table.to_pylist():
            models.setdefault((placed.dataset, row["id"], row["place"], row["reason"]), []).append(placed.model)
    return tuple(ExcludedPicture(*key, models=tuple(mine)) for key, mine in models.items())
