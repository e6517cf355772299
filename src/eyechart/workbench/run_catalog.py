"""The runs that were opened: one folder of an examination, all below a folder, or all that used a store of vectors."""

import hashlib
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from eyechart.errors import DataError, EyechartError, UsageError
from eyechart.findings.mark import is_examination
from eyechart.findings.run import Run, read_run
from eyechart.findings.run_lock import is_running
from eyechart.findings.run_progress import read_progress
from eyechart.store.known_runs import is_store, known_runs

MOST_RUNS = 500


@dataclass(frozen=True)
class RunEntry:
    """One run.

    id: How addresses name it.
    title: Its folder, relative to what was opened.
    folder: Its folder.
    """

    id: str
    title: str
    folder: Path

    @property
    def finished(self) -> bool:
        return (self.folder / "findings.parquet").is_file()

    @property
    def running(self) -> bool:
        """Whether an examination is writing to it now."""
        return is_running(self.folder)


class RunCatalog:
    """The runs below a folder. It is read anew when asked, since examinations may have ended meanwhile.

    Args:
        opened: A run, a folder with runs in it, or a store.
    """

    def __init__(self, opened: Path) -> None:
        self.opened = opened
        if not opened.is_dir():
            raise UsageError(f"{opened}: there is no such folder; give the --out folder of an examination, or one with several")
        self._runs: dict[str, tuple[float, Run]] = {}
        if not self.entries():
            if self.is_store:
                raise DataError(
                    f"{opened}: no examination that used this store is known and still there; give the folder of an examination"
                )
            raise DataError(f"{opened}: there is no examination in it; `eyechart examine … --out {opened}` makes one")

    @cached_property
    def is_store(self) -> bool:
        return is_store(self.opened)

    @cached_property
    def is_single(self) -> bool:
        return is_examination(self.opened) or (self.opened / "findings.parquet").is_file()

    def entries(self) -> list[RunEntry]:
        if self.is_single:
            return [RunEntry("r0", self.opened.resolve().name, self.opened)]
        if self.is_store:
            there = [folder for folder in known_runs(self.opened) if is_examination(folder)][-MOST_RUNS:]
            return [RunEntry(_id_of_path(folder), _short(folder), folder) for folder in there]
        folders = sorted(p.parent for depth in ("*", "*/*") for p in self.opened.glob(f"{depth}/protocol.json"))
        started = sorted(p for p in self.opened.iterdir() if p.is_dir() and is_examination(p))
        listed = list(dict.fromkeys([*folders, *started]))[:MOST_RUNS]
        inside = [f for f in listed if not f.is_symlink()]
        return [RunEntry(_id(f.relative_to(self.opened)), str(f.relative_to(self.opened)), f) for f in inside]

    def entry(self, id: str) -> RunEntry:
        found = next((e for e in self.entries() if e.id == id), None)
        if found is None:
            raise UsageError("there is no such run here")
        return found

    def run(self, id: str) -> Run:
        """The content of a run; read again where it has changed."""
        entry = self.entry(id)
        if not entry.finished:
            raise DataError(f"{entry.title}: this examination has not ended yet")
        changed = (entry.folder / "findings.parquet").stat().st_mtime
        if id not in self._runs or self._runs[id][0] != changed:
            self._runs[id] = (changed, read_run(entry.folder))
        return self._runs[id][1]

    def readable(self) -> list[tuple[Path, Run]]:
        """The folder and the content of every run that has ended and can be read."""
        found = []
        for entry in self.entries():
            try:
                found.append((entry.folder, self.run(entry.id)))
            except EyechartError:
                continue  # the list of runs says why
        return found

    def running(self) -> list[dict[str, Any]]:
        """Examinations that are being written now, whoever started them, with their progress."""
        found = [(e, read_progress(e.folder)) for e in self.entries() if e.running]
        return [{"id": e.id, "title": e.title, "progress": None if p is None else asdict(p)} for e, p in found]

    def listing(self) -> list[dict[str, Any]]:
        """All runs with their models and datasets, for the screen."""
        rows = []
        for entry in self.entries():
            row: dict[str, Any] = {"id": entry.id, "title": entry.title, "running": entry.running, "problem": None}
            try:
                run = self.run(entry.id)
                examined = [name for name in run.models if run.model_facts(name)]  # a model that failed has no facts
                row |= {"models": examined, "datasets": [_dataset(run, name) for name in run.datasets]}
                row["page"] = (entry.folder / "report" / "index.html").is_file()
                row["headline"] = _headline(run)
                row["predicted"] = run.predictions_file.is_file() and run.open_predictions().metadata.num_rows > 0
            except EyechartError as error:
                row |= {"models": [], "datasets": [], "page": False, "problem": str(error), "headline": [], "predicted": False}
            rows.append(row)
        return rows


def _headline(run: Run) -> list[dict[str, Any]]:
    """Top-1 accuracy of every model on every dataset, under the leading prompt set."""
    seen: dict[tuple[str, str], dict[str, Any]] = {}
    for row in run.findings.to_pylist():
        if row["probe"] == "zero_shot" and row["metric"] == "top1":
            keys = ("model", "dataset", "value", "low", "high", "n")
            seen.setdefault((row["model"], row["dataset"]), {key: row[key] for key in keys})
    return list(seen.values())


def _dataset(run: Run, name: str) -> dict[str, Any]:
    facts = run.dataset_facts(name)
    keys = ("n", "role", "of", "made", "source", "classes")
    return {"name": name, **{key: facts.get(key) for key in keys}}


def _id(relative: Path) -> str:
    return "r-" + "".join(c if (c.isalnum() and c.isascii()) or c in "-_." else f"~{ord(c):x}" for c in relative.as_posix())


def _id_of_path(folder: Path) -> str:
    return "r-" + hashlib.sha256(str(folder).encode()).hexdigest()[:12]


def _short(folder: Path) -> str:
    """The path, relative to the working folder where it is below it."""
    here = Path.cwd()
    return str(folder.relative_to(here)) if folder.is_relative_to(here) and folder != here else str(folder)
