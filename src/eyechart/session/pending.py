"""What is left to do for one model: answers that the journal has are not computed again."""

from collections.abc import Sequence
from dataclasses import dataclass

from eyechart.data.picture import Decoding
from eyechart.findings.run_folder import Record, RunFolder, Unit
from eyechart.session.exam_records import overview_unit
from eyechart.session.keyed_dataset import KeyedDataset
from eyechart.session.probe_tasks import ProbeTask, uses_vectors
from eyechart.session.session import Session


@dataclass(frozen=True)
class PendingWork:
    """The work on some tasks and datasets.

    units: All units, in the order of the records.
    known: The records that the journal has.
    overviews: The unit of usable pictures of every dataset that the examination did not make itself, by name.
    tasks: The tasks without a record.
    datasets: The datasets that have to be encoded for them, by name.
    """

    units: list[Unit]
    known: dict[Unit, Record]
    overviews: dict[str, Unit]
    tasks: list[ProbeTask]
    datasets: dict[str, KeyedDataset]

    @property
    def done(self) -> bool:
        return len(self.known) == len(self.units)

    def with_vectors(self) -> dict[str, KeyedDataset]:
        """The datasets that need vectors. Probes of patches or attention run the network themselves, and need none."""
        used = [d for t in self.tasks if uses_vectors(t.probe) for d in (t.keyed, *(t.companions if t.probe.compares else ()))]
        asked = {t.keyed.dataset.name for t in self.tasks} | {d.dataset.name for d in used}
        names = {d.dataset.name for d in used} | (self.datasets.keys() - asked)
        return {name: keyed for name, keyed in self.datasets.items() if name in names}

    def texts(self) -> set[str]:
        """The texts that the open tasks need."""
        return {text for task in self.tasks for text in task.texts}


def pending_work(
    session: Session, tasks: Sequence[ProbeTask], datasets: Sequence[KeyedDataset], folder: RunFolder, decoding: Decoding
) -> PendingWork:
    """What the journal lacks of these tasks, and of the overviews of these datasets."""
    overviews = {d.dataset.name: overview_unit(session, d, decoding) for d in datasets if not d.dataset.made}
    units = [*overviews.values(), *(t.unit for t in tasks)]
    known = {unit: record for unit in units if (record := folder.record(unit))}
    open_tasks = [t for t in tasks if t.unit not in known]
    compared = [d for t in open_tasks if t.probe.compares for d in t.companions]
    unencoded = [d for d in datasets if d.dataset.name in overviews and overviews[d.dataset.name] not in known]
    needed = {d.dataset.name: d for d in [*compared, *(t.keyed for t in open_tasks), *unencoded]}
    return PendingWork(units, known, overviews, open_tasks, needed)


def datasets_of(tasks: Sequence[ProbeTask]) -> list[KeyedDataset]:
    """The datasets of the tasks and those that they compare with, each once."""
    named = {d.dataset.name: d for t in tasks for d in (t.keyed, *(t.companions if t.probe.compares else ()))}
    return list(named.values())
