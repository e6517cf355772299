"""What a run could not examine: models that failed, questions that were not asked, pictures set aside; and what looked odd."""

from dataclasses import dataclass

from eyechart.findings.run import Run
from eyechart.findings.skip import Skip
from eyechart.notice import Notice


@dataclass(frozen=True)
class SetAsidePictures:
    """A picture that could not be used, and the models that could not use it."""

    dataset: str
    id: str
    place: str
    reason: str
    models: tuple[str, ...]


@dataclass(frozen=True)
class LeftOut:
    failed: dict[str, str]  # model → reason
    skips: tuple[Skip, ...]  # of the models that did not fail
    set_aside: tuple[SetAsidePictures, ...]
    notices: tuple[Notice, ...]

    @property
    def pictures(self) -> dict[str, int]:
        """Dataset → how many of its pictures some model could not use."""
        return {
            dataset: len({(s.id, s.place) for s in self.set_aside if s.dataset == dataset})
            for dataset in dict.fromkeys(s.dataset for s in self.set_aside)
        }

    def __bool__(self) -> bool:
        return bool(self.failed or self.skips or self.set_aside or self.notices)


def left_out(run: Run) -> LeftOut:
    skips = [Skip(**row) for row in run.skips.to_pylist()]
    # A model that could not be opened or broke down is not among the protocol's; all its questions were skipped for one reason.
    known = {*(run.protocol.get("models") or {}), *run.findings.column("model").unique().to_pylist()}
    failed = {s.model: s.reason for s in skips if s.model not in known}
    notices = [Notice(**row) for placed in run.of_exam("notices") for row in placed.exhibit.table.to_pylist()]
    return LeftOut(failed, tuple(s for s in skips if s.model not in failed), _set_aside(run), tuple(notices))


def _set_aside(run: Run) -> tuple[SetAsidePictures, ...]:
    """Each picture once: most are unusable for every model alike."""
    models: dict[tuple[str, str, str, str], list[str]] = {}
    for placed in run.of_exam("set-aside"):
        for row in placed.exhibit.table.to_pylist():
            models.setdefault((placed.dataset, row["id"], row["place"], row["reason"]), []).append(placed.model)
    return tuple(SetAsidePictures(*key, models=tuple(mine)) for key, mine in models.items())
