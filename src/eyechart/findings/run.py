"""The content of a run folder, as report, study and exports read it: findings, exhibits, skips and protocol."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from eyechart.errors import StoreError
from eyechart.files.parquet import read_checked
from eyechart.files.readable import readable, require_regular
from eyechart.files.records import parse_json, read_json
from eyechart.findings import finding, skip
from eyechart.findings.checked_exhibit import checked_exhibit
from eyechart.findings.exhibit import PlacedExhibit
from eyechart.findings.metric import Metric, find_metric, is_record, unknown_metric
from eyechart.findings.predictions import FILE as PREDICTIONS
from eyechart.findings.predictions import read_predictions
from eyechart.findings.written_files import check_exhibits, check_predictions, check_protocol, written_hashes
from eyechart.notice import Notice

EXAM = "exam"  # the probe name of exhibits that the exam itself writes
ALL_MODELS = "all models"  # the model name of findings about several models

_NOTICE = {"where", "what", "remedy"}  # columns of the table of notices


@dataclass(frozen=True)
class Run:
    """A run.

    findings: One row per number.
    skips: One row per probe that was not run.
    exhibits: Charts, pictures and tables.
    protocol: All settings, models, datasets and probes.
    folder: The folder that it was read from; None where it was made in memory.
    hashes: The hashes of other files of the folder, from the metadata of the findings.
    """

    findings: pa.Table
    skips: pa.Table
    exhibits: tuple[PlacedExhibit, ...]
    protocol: dict[str, Any]
    folder: Path | None = None
    hashes: Mapping[str, str] = field(default_factory=dict)

    @cached_property
    def predictions(self) -> pa.Table:
        """One row per picture and classifier; read when first needed, with texts as dictionaries."""
        with readable(self.predictions_file, error=StoreError, remedy="examine again to write it"):
            table = self.open_predictions().read()
            table.validate(full=True)
            return table

    def open_predictions(self) -> pq.ParquetFile:
        """The predictions, to be read by row group.

        Raises:
            StoreError: If they are missing or damaged.
        """
        _ = self._sound_predictions
        return read_predictions(self.predictions_file)

    @cached_property
    def _sound_predictions(self) -> None:
        """Compared with their hash once."""
        require_regular(self.predictions_file, error=StoreError)
        check_predictions(self.predictions_file, self.hashes)

    @property
    def predictions_file(self) -> Path:
        """The file of the predictions, which may be missing."""
        if self.folder is None:
            raise StoreError("this run was not read from a folder, so it has no predictions")
        return self.folder / PREDICTIONS

    @cached_property
    def _records(self) -> dict[str, list[Metric]]:
        return {}

    @cached_property
    def _metrics(self) -> dict[tuple[str, str, str | None], Metric]:
        return {}

    @property
    def models(self) -> list[str]:
        """The examined models."""
        return [name for name in self.finding_models if name != ALL_MODELS]

    @cached_property
    def finding_models(self) -> list[str]:
        """The model names of findings: the examined models, and "all models"."""
        return self._named("models", "model")

    @cached_property
    def datasets(self) -> list[str]:
        return self._named("datasets", "dataset")

    @cached_property
    def probes(self) -> list[str]:
        """Probes with results, in the order of the protocol."""
        answered = {*self.findings.column("probe").unique().to_pylist(), *(e.probe for e in self.exhibits)} - {EXAM}
        known = [probe for probe in self.protocol.get("probes") or {} if probe in answered]
        return known + sorted(answered.difference(known))

    @cached_property
    def prompts(self) -> list[str]:
        """Prompt sets in the order of the findings; the first is the leading one."""
        slices = (json.loads(key) for key in self.findings.column("slice").unique().to_pylist())
        return list(dict.fromkeys(str(s["prompts"]) for s in slices if "prompts" in s))

    @cached_property
    def companions(self) -> list[str]:
        """Datasets that others are compared with: shifted, out-of-distribution and gallery pictures."""
        return [name for name in self.datasets if self.dataset_facts(name).get("role", "exam") != "exam"]

    @property
    def targets(self) -> dict[str, float]:
        """The limits that the user set for metrics."""
        given = self.protocol.get("targets")
        return {str(name): float(v) for name, v in given.items() if isinstance(v, int | float)} if isinstance(given, dict) else {}

    def model_facts(self, model: str) -> dict[str, Any]:
        return self._about("models", model)

    def dataset_facts(self, dataset: str) -> dict[str, Any]:
        return self._about("datasets", dataset)

    def question(self, probe: str) -> str:
        about = self._about("probes", probe)
        return str(about.get("question") or probe.replace("_", " "))

    def headline(self, probe: str) -> list[str]:
        return [str(m) for m in self._about("probes", probe).get("headline") or ()]

    def profiles(self, probe: str) -> list[str]:
        """The profiles that a probe belongs to; empty in results of an older version."""
        return [str(name) for name in self._about("probes", probe).get("profiles") or ()]

    def needs(self, probe: str) -> set[str]:
        """What a probe needs of model and data; empty in results of an older version."""
        return {str(need) for need in self._about("probes", probe).get("needs") or ()}

    def metric(self, probe: str, name: str, unit: str | None = None) -> Metric:
        """The record of a metric from the run's protocol; one made from its name where the protocol has none.

        Args:
            probe: The probe.
            name: The id of the metric.
            unit: The unit of the finding, which may differ from the metric's.
        """
        if (probe, name, unit) not in self._metrics:
            found = find_metric(self._declared(probe), name) or unknown_metric(name, unit or "fraction")
            self._metrics[probe, name, unit] = replace(found, unit=unit or found.unit)
        return self._metrics[probe, name, unit]

    def metrics(self) -> Iterator[tuple[str, Metric]]:
        """All metrics that the run's probes declare, with the probe."""
        for probe in self.protocol.get("probes") or {}:
            for metric in self._declared(probe):
                yield probe, metric

    def exam_exhibits(self, start: str) -> list[PlacedExhibit]:
        """The exhibits of the exam with this start of their name: pictures, set-aside, notices."""
        return [e for e in self.exhibits if e.probe == EXAM and e.exhibit.name.startswith(start)]

    @cached_property
    def notices(self) -> list[Notice]:
        """Warnings, each with a remedy.

        Raises:
            StoreError: If a text is missing.
        """
        rows = [row for placed in self.exam_exhibits("notices") for row in placed.exhibit.table.to_pylist()]
        if not all(row.keys() == _NOTICE and all(isinstance(text, str) for text in row.values()) for row in rows):
            raise StoreError("the notices of the run are damaged; examine again to write them")
        return [Notice(**row) for row in rows]

    def probe_exhibits(self, probe: str) -> list[PlacedExhibit]:
        return [e for e in self.exhibits if e.probe == probe]

    def settings(self, protocol: str) -> dict[str, Any]:
        """The settings of a probe under a protocol hash, which findings have; empty where the protocol is unknown."""
        settings = self._about("protocols", protocol).get("settings")
        return settings if isinstance(settings, dict) else {}

    def _declared(self, probe: str) -> list[Metric]:
        if probe not in self._records:
            declared = self._about("probes", probe).get("metrics") or ()
            self._records[probe] = [Metric.from_dict(content) for content in declared if is_record(content)]
        return self._records[probe]

    def _about(self, kind: str, name: str) -> dict[str, Any]:
        about = (self.protocol.get(kind) or {}).get(name)
        return about if isinstance(about, dict) else {}

    def _named(self, kind: str, column: str) -> list[str]:
        """Names in the order of the protocol, then those that only rows know."""
        rows = [*self.findings.column(column).unique().to_pylist(), *self.skips.column(column).unique().to_pylist()]
        return list(dict.fromkeys([*(self.protocol.get(kind) or {}), *rows]))


def read_run(folder: Path) -> Run:
    if not (folder / "findings.parquet").is_file() and (folder / "journal").is_dir():
        raise StoreError(f"{folder}: its examination did not end, so it has no findings; run the same command again to finish it")
    if not (folder / "findings.parquet").is_file():
        raise StoreError(
            f"{folder}: it has no findings.parquet, so it is not the folder of an examination; give the --out folder of one"
        )
    table = _table(folder / "findings.parquet")
    check_exhibits(folder / "exhibits", table.schema.metadata)
    paths = sorted((folder / "exhibits").glob("*/*.parquet"))
    hashes = written_hashes(table.schema.metadata)
    protocol = _protocol(folder / "protocol.json")
    check_protocol(folder / "protocol.json", protocol, hashes)
    return Run(
        findings=_typed(table, folder / "findings.parquet", finding.SCHEMA),
        skips=_typed(_table(folder / "skips.parquet"), folder / "skips.parquet", skip.SCHEMA)
        if (folder / "skips.parquet").is_file()
        else skip.to_table([]),
        exhibits=tuple(_exhibit(path) for path in paths),
        protocol=protocol,
        folder=folder,
        hashes=hashes,
    )


def _typed(table: pa.Table, path: Path, schema: pa.Schema) -> pa.Table:
    missing = [name for name in schema.names if name not in table.column_names]
    if missing:
        raise StoreError(f"{path}: column {missing[0]!r} is missing; the file is from another version, so examine again")
    with readable(path, error=StoreError, remedy="examine again to write it"):
        try:
            found = table.select(schema.names).cast(schema)
        except ValueError as error:  # a null where there may be none, or a text where a number is meant
            raise StoreError(f"{path} cannot be read ({error}); examine again to write it") from None
    if "slice" in schema.names:
        for text in found.column("slice").unique().to_pylist():
            where = parse_json(text, f"{path}, slice", error=StoreError, remedy="examine again to write it")
            if not isinstance(where, dict) or not isinstance(where.get("prompts", ""), str):
                raise StoreError(f"{path}: the slice {text[:80]!r} is not an object; examine again to write it")
    return found


def _exhibit(path: Path) -> PlacedExhibit:
    return checked_exhibit(_table(path), path, exam=EXAM)


def _table(path: Path) -> pa.Table:
    require_regular(path, error=StoreError)
    with readable(path, error=StoreError, remedy="examine again to write it"):
        table = read_checked(path)
        table.validate(full=True)
        return table


def _protocol(path: Path) -> dict[str, Any]:
    protocol = read_json(path, error=StoreError, remedy="examine again to write it", most_bytes=None, unique=False)
    if not isinstance(protocol, dict):
        raise StoreError(f"{path} is not a JSON object; examine again to write it")
    for key in ("models", "datasets", "probes"):
        about = protocol.get(key) or {}
        if not isinstance(about, dict) or not all(isinstance(facts, dict) for facts in about.values()):
            raise StoreError(f"{path}: its {key} are not objects; examine again to write it")
        for name, facts in about.items():
            lists = [facts.get(part) or [] for part in ("metrics", "headline", "profiles")] if key == "probes" else []
            texts = [facts.get("role"), facts.get("question")]
            counts = [facts.get("n")] if key == "datasets" else []
            sound = (
                all(isinstance(part, list) for part in lists),
                all(isinstance(part, str | None) for part in texts),
                all(isinstance(part, int | None) for part in counts),
            )
            if not all(sound):
                raise StoreError(f"{path}: its facts about {name!r} have another form than a run writes; examine again")
    return protocol
