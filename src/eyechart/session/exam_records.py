"""Records of the examination itself: usable pictures, pictures set aside, notices and thumbnails."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

import numpy as np
import pyarrow as pa

from eyechart import __version__
from eyechart.data.dataset import Dataset
from eyechart.data.independent_units import independent_units
from eyechart.data.picture import Decoding
from eyechart.findings.exhibit import Exhibit
from eyechart.findings.finding import Finding, empty_table, to_table
from eyechart.findings.metric import DIFFERENT_PICTURES, Metric
from eyechart.findings.run import EXAM
from eyechart.findings.run_folder import Record, RunFolder, Unit
from eyechart.notice import Notice, counted, shortened
from eyechart.progress import Progress
from eyechart.session.keyed_dataset import KeyedDataset
from eyechart.session.session import EncodedDataset, Session
from eyechart.session.stable_hash import stable_hash
from eyechart.session.thumbnails import thumbnails, wanted_pictures

VERSION = 2
METRICS = (
    Metric(name="usable_pictures", title="usable pictures", unit="count", higher_is_better=None),
    Metric(name=DIFFERENT_PICTURES, title="different pictures", unit="count", higher_is_better=None),
)

NAMED = 3  # pictures that a notice names for each reason
REASONS = 3  # reasons that a notice has
_TEXT = pa.string()


def exam_protocol(decoding: Decoding) -> dict[str, Any]:
    return {"probe": EXAM, "version": VERSION, "decoding": decoding.describe()}


def overview_unit(session: Session, keyed: KeyedDataset, decoding: Decoding) -> Unit:
    name = keyed.dataset.name
    about = [__version__, EXAM, VERSION, session.name, session.identity(), name, keyed.fingerprint, decoding.describe()]
    return Unit(session.name, name, EXAM, stable_hash(about))


def write_overview(folder: RunFolder, unit: Unit, keyed: KeyedDataset, encoded: EncodedDataset, decoding: Decoding) -> Record:
    """How many pictures of a dataset a model could use, how many of them are different, and why the others could not be used."""
    total = len(keyed.dataset)
    usable = len(encoded.rows)
    different = len(np.unique(independent_units(keyed.dataset.take(encoded.rows), encoded.clusters)))
    findings = [
        Finding(metric="usable_pictures", value=float(usable), n=total),
        Finding(metric=DIFFERENT_PICTURES, value=float(different), n=usable),
    ]
    table = to_table(
        findings,
        model=unit.model,
        dataset=unit.dataset,
        probe=EXAM,
        protocol=stable_hash(exam_protocol(decoding)),
        version=VERSION,
        metrics=METRICS,
    )
    pictures = keyed.dataset.pictures
    rows = [{"id": s.id, "place": _place(pictures.place(s.row), s.id), "reason": s.reason} for s in encoded.set_aside]
    schema = pa.schema([("id", _TEXT), ("place", _TEXT), ("reason", _TEXT)])
    sentence = f"{len(rows)} of {total} pictures could not be used; no number includes them."
    shown = [Exhibit("set-aside", "Pictures set aside", sentence, pa.Table.from_pylist(rows, schema), "table")] if rows else []
    notices = _lost_classes(keyed.dataset, encoded)
    if rows:
        what = f"{len(rows)} of {counted(total, 'picture')} set aside: {_reasons(rows)}"
        notices.append(Notice(unit.dataset, what, "repair or remove the files; the table of set-aside pictures lists them all"))
    return folder.write(unit, table, shown, notices)


def _reasons(rows: Sequence[Mapping[str, str]]) -> str:
    """'not a JPEG picture: 5 (a/0.png, a/1.png, a/2.png, …); empty file: 1 (b/1.jpg)', the most frequent reason first"""
    ids: dict[str, list[str]] = {}
    for row in rows:
        ids.setdefault(row["reason"], []).append(row["id"])
    frequent = sorted(ids.items(), key=lambda item: -len(item[1]))
    parts = []
    for reason, mine in frequent[:REASONS]:
        named = ", ".join([*mine[:NAMED], *(["…"] if len(mine) > NAMED else [])])
        parts.append(f"{reason}: {len(mine):,} ({named})")
    left = sum(len(mine) for _, mine in frequent[REASONS:])
    return "; ".join([*parts, *([f"other reasons: {left:,}"] if left else [])])


def _place(place: str, id: str) -> str:
    """The path of a picture, unless its id is the path: results are shared, and a user's folders are private."""
    return "" if place.endswith(id) else place


def _lost_classes(dataset: Dataset, encoded: EncodedDataset) -> list[Notice]:
    """A notice of classes that have no usable picture, because of a limit or of broken files."""
    if dataset.classes is None or not dataset.has("label"):
        return []
    labels = dataset.label_indices()
    limited = dataset.reader.get("limit") is not None
    had = set(range(len(dataset.classes))) if limited else {int(c) for c in labels if c >= 0}
    lost = [dataset.classes[c].name for c in sorted(had - {int(c) for c in labels[encoded.rows]})]
    if not lost:
        return []
    what = f"{counted(len(lost), 'class', 'classes')} without a usable picture: {shortened(lost)}"
    return [Notice(dataset.name, what, "raise the limit" if limited else "add pictures, or take them out of the class list")]


def write_notices_and_thumbnails(
    folder: RunFolder,
    records: Sequence[Record],
    datasets: Sequence[Dataset],
    warnings: Sequence[Notice],
    decoding: Decoding,
    progress: Progress,
) -> Record:
    """The notices of the whole run, and small copies of every picture that an exhibit shows."""
    # Pictures that could not be used come first: they are missing in every number.
    unusable = [n for r in records if r.unit.probe == EXAM for n in r.notices]
    of_data = [n for d in datasets for n in d.notices]
    notices = list(dict.fromkeys([*unusable, *of_data, *(n for r in records for n in r.notices), *warnings]))
    unit = Unit("all", "all", EXAM, stable_hash([__version__, sorted(r.unit.key for r in records), [asdict(n) for n in notices]]))
    known = folder.record(unit)
    if known:
        return known
    wanted = wanted_pictures(folder.exhibits_of(records))
    copied = [(dataset, wanted[dataset.name]) for dataset in datasets if dataset.name in wanted]
    shown = []
    if copied:
        with progress.task("small copies", sum(len(ids) for _, ids in copied), "pictures") as task:
            shown = [thumbnails(dataset, ids, decoding, task) for dataset, ids in copied]
    if notices:
        schema = pa.schema([("where", _TEXT), ("what", _TEXT), ("remedy", _TEXT)])
        table = pa.Table.from_pylist([asdict(n) for n in notices], schema)
        shown.append(Exhibit("notices", "Notices", "Warnings, each with a remedy.", table, "table"))
    return folder.write(unit, empty_table(), shown)
