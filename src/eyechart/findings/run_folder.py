"""The folder of an examination, and the journal that lets an interrupted one continue.

`journal/<unit>-<hash>.parquet` holds the findings of one unit of work (one probe, one model, one dataset), and the names and
hashes of its exhibits. The hash is that of its own content, so that a damaged file is noticed. Predictions are in
`journal/<unit>.predictions`. The first file is written last, so a unit is either complete or absent. The tables of the folder are
assembled from the units.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa

from eyechart.errors import StoreError, UsageError
from eyechart.files.atomic import atomic_path, remove_abandoned, write_text
from eyechart.files.hashing import hash_bytes, hash_file
from eyechart.files.parquet import read_checked, write_checked
from eyechart.findings import exhibit as exhibits
from eyechart.findings import finding, skip
from eyechart.findings.exhibit import Exhibit, PlacedExhibit, slug
from eyechart.findings.mark import is_examination, mark
from eyechart.findings.predictions import FILE as PREDICTIONS
from eyechart.findings.predictions import Predictions, write_part, write_predictions
from eyechart.findings.skip import Skip
from eyechart.findings.written_files import file_metadata
from eyechart.notice import Notice

_PART = ".predictions"
_LONG = 60


@dataclass(frozen=True)
class Unit:
    """One unit of work.

    model: The model.
    dataset: The dataset.
    probe: The probe.
    key: A hash of everything that its result depends on.
    """

    model: str
    dataset: str
    probe: str
    key: str


@dataclass(frozen=True)
class Record:
    """A finished unit of the journal.

    unit: The unit.
    findings: Its findings.
    exhibit_files: The files of its exhibits.
    notices: Its warnings.
    skipped: Why it was skipped; None where it was run.
    fresh: Whether it was computed in this run, not read from the journal.
    predicted: Whether it has predictions.
    """

    unit: Unit
    findings: pa.Table
    exhibit_files: tuple[str, ...]
    notices: tuple[Notice, ...]
    skipped: str | None
    fresh: bool = True
    predicted: bool = False


class RunFolder:
    def __init__(self, path: Path) -> None:
        self.path = path

    def prepare(self) -> None:
        """Create the folder, or check that it is an examination: other files are never overwritten."""
        if not str(self.path).isprintable():
            raise UsageError(f"{self.path}: the name contains control characters; give --out another name")
        if self.path.exists() and not self.path.is_dir():
            raise UsageError(f"{self.path} is a file; give --out a folder")
        if self.path.is_dir() and any(self.path.iterdir()) and not is_examination(self.path):
            raise UsageError(f"{self.path} contains files that are not an examination; give --out a new or empty folder")
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            mark(self.path)
            (self.path / "journal").mkdir(exist_ok=True)
            remove_abandoned(self.path)
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written: {error.strerror}; give --out another folder") from error

    def record(self, unit: Unit) -> Record | None:
        """The record of a finished unit; None where it is not finished, or its record is damaged."""
        path = next((path for path in self._written.get(unit.key, ()) if _hash_of(path) == path.stem.rpartition("-")[2]), None)
        if path is None:
            return None
        try:
            table = read_checked(path)
            about = json.loads(table.schema.metadata[b"eyechart.unit"])
            predictions, files = about["predictions"], tuple(about["exhibits"])
        except (pa.ArrowException, KeyError, TypeError, ValueError):  # of another version
            return None
        if any(self._hash(file) != expected for file, expected in about["exhibits"].items()):
            return None
        if predictions is not None and _hash_of(self._part(unit)) != predictions:
            return None
        notices = tuple(Notice(**n) for n in about["notices"])
        predicted = predictions is not None
        return Record(unit, table.cast(finding.SCHEMA), files, notices, about["skipped"], fresh=False, predicted=predicted)

    def write(
        self,
        unit: Unit,
        findings: pa.Table,
        shown: Sequence[Exhibit] = (),
        notices: Iterable[Notice] = (),
        skipped: str | None = None,
        predictions: Sequence[Predictions] = (),
        roles: Mapping[str, str] | None = None,
    ) -> Record:
        """Keep the result of a unit.

        Args:
            unit: The unit.
            findings: Its findings, as rows of the schema.
            shown: Its exhibits.
            notices: Its warnings.
            skipped: Why it was skipped; None where it was run.
            predictions: What it predicted for each picture.
            roles: The role of each dataset of the predictions.
        """
        files = tuple(self._write_exhibit(unit, exhibit, place) for place, exhibit in enumerate(shown, start=1))
        notices = tuple(notices)
        if predictions:
            with atomic_path(self._part(unit)) as path:
                write_part(path, predictions, model=unit.model, dataset=unit.dataset, roles=roles or {})
        about = {
            "unit": asdict(unit),
            "exhibits": {file: self._hash(file) for file in files},
            "predictions": _hash_of(self._part(unit)) if predictions else None,
            "notices": [asdict(n) for n in notices],
            "skipped": skipped,
        }
        content = pa.BufferOutputStream()
        write_checked(findings.replace_schema_metadata({"eyechart.unit": json.dumps(about)}), content)
        data = content.getvalue().to_pybytes()
        name = f"{unit.key}-{hash_bytes(data).hex()}.parquet"
        for damaged in self._written.pop(unit.key, ()):
            damaged.unlink(missing_ok=True)
        with atomic_path(self.path / "journal" / name) as path:
            path.write_bytes(data)
        self._written[unit.key] = [self.path / "journal" / name]
        return Record(unit, findings, files, notices, skipped, predicted=bool(predictions))

    def assemble(self, records: Sequence[Record], skips: Sequence[Skip], protocol: dict[str, Any]) -> None:
        """Write the tables of exactly these units, and delete the exhibits and predictions of all others."""
        skips = [*skips, *(Skip(r.unit.model, r.unit.dataset, r.unit.probe, r.skipped) for r in records if r.skipped)]
        with atomic_path(self.path / "skips.parquet") as path:
            write_checked(skip.to_table(skips), path)
        parts = list(dict.fromkeys(self._part(r.unit) for r in records if r.predicted))
        with atomic_path(self.path / PREDICTIONS) as path:
            write_predictions(path, parts)
        text = json.dumps(protocol, indent=1, ensure_ascii=False) + "\n"
        write_text(self.path / "protocol.json", text)
        # The findings come last: they have the hashes of the others.
        kept = {f for r in records for f in r.exhibit_files}
        written = file_metadata(self.path / PREDICTIONS, json.loads(text), kept)
        findings = pa.concat_tables([finding.empty_table(), *(r.findings for r in records)]).cast(finding.SCHEMA)
        with atomic_path(self.path / "findings.parquet") as path:
            write_checked(findings.replace_schema_metadata(dict(finding.SCHEMA.metadata) | written), path)
        (self.path / "exhibits").mkdir(exist_ok=True)
        for file in (self.path / "exhibits").glob("*/*.parquet"):
            if f"{file.parent.name}/{file.name}" not in kept:
                file.unlink()
        for file in set((self.path / "journal").glob(f"*{_PART}")).difference(parts):
            file.unlink()

    def exhibits_of(self, records: Iterable[Record]) -> list[PlacedExhibit]:
        files = [self.path / "exhibits" / name for record in records for name in record.exhibit_files]
        return [exhibits.from_table(read_checked(file)) for file in files]

    @cached_property
    def _written(self) -> dict[str, list[Path]]:
        """The records in the journal by the key of their unit; where one was damaged, there may be several."""
        found: dict[str, list[Path]] = {}
        for path in sorted((self.path / "journal").glob("*.parquet")):
            found.setdefault(path.stem.rpartition("-")[0], []).append(path)
        return found

    def _part(self, unit: Unit) -> Path:
        return self.path / "journal" / f"{unit.key}{_PART}"

    def _hash(self, exhibit_file: str) -> str | None:
        return _hash_of(self.path / "exhibits" / exhibit_file)

    def _write_exhibit(self, unit: Unit, exhibit: Exhibit, place: int) -> str:
        # The number keeps the probe's order; the unit's key separates names with the same slug.
        # Three names of 60 characters: file systems allow 255 bytes together.
        owner = f"{slug(unit.model)[:_LONG]}--{slug(unit.dataset)[:_LONG]}-{unit.key[:8]}"
        name = f"{slug(unit.probe)}/{place:02d}-{slug(exhibit.name)[:_LONG]}--{owner}.parquet"
        table = exhibits.to_table(exhibit, model=unit.model, dataset=unit.dataset, probe=unit.probe)
        with atomic_path(self.path / "exhibits" / name) as path:
            write_checked(table, path)
        return name


def _hash_of(path: Path) -> str | None:
    return hash_file(path).hex() if path.is_file() else None
