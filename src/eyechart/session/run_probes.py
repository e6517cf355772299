"""Run the probes on one model. Answers that are in the journal are not computed again; the rest is encoded together first."""

import uuid
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from eyechart.data.picture import Decoding
from eyechart.encode.activations import PictureLost
from eyechart.errors import EyechartError
from eyechart.findings.finding import empty_table, to_table
from eyechart.findings.run_folder import Record, RunFolder, Unit
from eyechart.metrics.classification.shared_scores import SharedScores
from eyechart.models.abilities import lacks
from eyechart.probes.contract import NotApplicable
from eyechart.progress import Progress
from eyechart.session.cost import cost_of, encodes
from eyechart.session.exam_records import write_overview
from eyechart.session.keyed_dataset import KeyedDataset
from eyechart.session.pending import datasets_of, pending_work
from eyechart.session.probe_inputs import probe_input
from eyechart.session.probe_tasks import ProbeTask
from eyechart.session.session import EncodedDataset, Session
from eyechart.session.threads import threads_for


def run_probes_by_dataset(
    session: Session, tasks: Sequence[ProbeTask], folder: RunFolder, decoding: Decoding, progress: Progress
) -> tuple[list[Record], dict[str, EyechartError]]:
    """All records, and the datasets that failed with the reason.

    A dataset that fails does not cost the answers about the others. Probes that would have compared with it use the rest.
    """
    datasets = {d.dataset.name: d for d in datasets_of(tasks)}
    try:
        return run_probes(session, tasks, list(datasets.values()), folder, decoding, progress), {}
    except EyechartError as error:
        if len(datasets) == 1:
            return [], {next(iter(datasets)): error}
    failed: dict[str, EyechartError] = {}

    def attempt(name: str, of_dataset: Sequence[ProbeTask]) -> list[Record]:
        try:
            return run_probes(session, of_dataset, [datasets[name]], folder, decoding, progress)
        except EyechartError as error:
            failed[name] = error
            return []

    alone = {name: [t for t in tasks if t.unit.dataset == name and not t.probe.compares] for name in datasets}
    records = {name: attempt(name, of_dataset) for name, of_dataset in alone.items()}
    for name in [name for name in datasets if name not in failed]:
        comparing = [_without(t, set(failed)) for t in tasks if t.unit.dataset == name and t.probe.compares]
        if comparing:
            records[name] = attempt(name, [*alone[name], *comparing]) or records[name]
    return [r for of_dataset in records.values() for r in of_dataset], failed


def _without(task: ProbeTask, failed: set[str]) -> ProbeTask:
    """The task without these datasets as companions, under a key that is never looked up again."""
    if failed.isdisjoint(d.dataset.name for d in task.companions):
        return task
    companions = tuple(d for d in task.companions if d.dataset.name not in failed)
    return replace(task, companions=companions, unit=_not_kept(task.unit))


def run_probes(
    session: Session,
    tasks: Sequence[ProbeTask],
    datasets: Sequence[KeyedDataset],
    folder: RunFolder,
    decoding: Decoding,
    progress: Progress,
) -> list[Record]:
    """For every dataset a record of its usable pictures, then the record of every task."""
    pending = pending_work(session, tasks, datasets, folder, decoding)
    known = pending.known
    if pending.done:
        return [known[unit] for unit in pending.units]
    texts, with_vectors = pending.texts(), pending.with_vectors()
    without = [keyed for name, keyed in pending.datasets.items() if name not in with_vectors]
    if encodes(session):
        session.reuse_images(list(with_vectors.values()))
        # Rehearsing log-likelihoods computes every probe once more; --dry-run does that.
        rehearsed = decoding if lacks(session.model, "likelihoods") else None
        cost = cost_of(session, list(with_vectors.values()), texts, pending.tasks, decoding=rehearsed)
        progress.line(f"{session.name}: {cost.sentence(session.device)}")
    session.encode_images(list(with_vectors.values()))
    session.check_images(without)
    session.encode_texts(texts)
    encoded = {name: session.encoded(keyed, vectors_needed=name in with_vectors) for name, keyed in pending.datasets.items()}
    by_name = {d.dataset.name: d for d in datasets}
    for name, unit in pending.overviews.items():
        if unit not in known:
            keyed = by_name[name]
            known[unit] = write_overview(folder, _kept(unit, encoded[name]), keyed, encoded[name], decoding)
    with progress.task(f"{session.name}: probes", len(pending.tasks), "tasks") as bar:
        for _, of_dataset in groupby(pending.tasks, lambda task: task.unit.dataset):
            shared = SharedScores()
            for task in of_dataset:
                known[task.unit] = _run(task, tasks, session, encoded, known, folder, shared)
                bar.advance()
    return [known[unit] for unit in pending.units]


def _run(
    task: ProbeTask,
    tasks: Sequence[ProbeTask],
    session: Session,
    encoded: dict[str, EncodedDataset],
    known: dict[Unit, Record],
    folder: RunFolder,
    shared: SharedScores,
) -> Record:
    probe = task.probe
    used = [task.keyed, *(task.companions if probe.compares else ())]
    unit = _kept(task.unit, *(encoded[d.dataset.name] for d in used))
    if not encoded[unit.dataset].rows:
        return folder.write(unit, empty_table(), skipped="no picture of the dataset could be used")
    upstream = {
        t.probe.name: known[t.unit].findings
        for t in tasks
        if t.unit.dataset == unit.dataset and t.probe.name in probe.after and t.unit in known
    }
    checked: set[str] = set()  # texts that the probe checked for truncation itself: it says what it did about them
    try:
        inputs = probe_input(task, session, encoded, upstream, checked, shared)
        with threads_for(inputs.images.size * len(task.texts)):
            answer = probe.ask(inputs)
    except NotApplicable as reason:
        return folder.write(unit, empty_table(), skipped=str(reason))
    except PictureLost as reason:
        return folder.write(_not_kept(unit), empty_table(), skipped=f"a picture could not be read again: {reason}")
    findings = to_table(
        answer.findings,
        model=unit.model,
        dataset=unit.dataset,
        probe=probe.name,
        protocol=task.protocol,
        version=probe.version,
        metrics=probe.metrics,
    )
    unchecked = (text for text in task.texts if text not in checked)
    return folder.write(
        unit,
        findings,
        answer.exhibits,
        [*answer.notices, *session.truncation_notices(unchecked)],
        predictions=answer.predictions,
        roles={d.dataset.name: d.dataset.role for d in used},
    )


def _kept(unit: Unit, *encoded: EncodedDataset) -> Unit:
    """The unit as it is, unless a picture could not be read just now."""
    return unit if all(e.lasting for e in encoded) else _not_kept(unit)


def _not_kept(unit: Unit) -> Unit:
    """The unit under a key that is never looked up again."""
    return replace(unit, key=uuid.uuid4().hex)
