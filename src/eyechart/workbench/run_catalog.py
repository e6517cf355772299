"""The runs that were opened: one folder of an examination, or all below a folder."""

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from eyechart.errors import DataError, EyechartError, UsageError
from eyechart.files.locks import hold
from eyechart.findings.mark import is_examination
from eyechart.findings.run import Run, read_run

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
        return _is_locked(self.folder / ".lock")


class RunCatalog:
    """The runs below a folder. It is read anew when asked, since examinations may have ended meanwhile.

    Args:
        opened: A run, or a folder with runs in it.
    """

    def __init__(self, opened: Path) -> None:
        self.opened = opened
        if not opened.is_dir():
            raise UsageError(f"{opened}: there is no such folder; give the --out folder of an examination, or one with several")
        if (opened / "format.json").is_file() and (opened / "models").is_dir():
            raise UsageError(
                f"{opened} is a store of vectors; give the folder of an examination (and EYECHART_STORE for the store)"
            )
        self._runs: dict[str, tuple[float, Run]] = {}
        if not self.entries():
            raise DataError(f"{opened}: there is no examination in it; `eyechart examine … --out {opened}` makes one")

    @cached_property
    def is_single(self) -> bool:
        return is_examination(self.opened) or (self.opened / "findings.parquet").is_file()

    def entries(self) -> list[RunEntry]:
        if self.is_single:
            return [RunEntry("r0", self.opened.resolve().name, self.opened)]
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

    def listing(self) -> list[dict[str, Any]]:
        """All runs with their models and datasets, for the screen."""
        rows = []
        for entry in self.entries():
            row: dict[str, Any] = {"id": entry.id, "title": entry.title, "running": entry.running, "problem": None}
            try:
                run = self.run(entry.id)
                row |= {"models": run.models, "datasets": [_dataset(run, name) for name in run.datasets]}
                row["page"] = (entry.folder / "report" / "index.html").is_file()
                row["headline"] = _headline(run)
            except EyechartError as error:
                row |= {"models": [], "datasets": [], "page": False, "problem": str(error), "headline": []}
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


def _is_locked(path: Path) -> bool:
    if not path.is_file():
        return False
    with hold(path, wait=False, shared=True) as free:
        return not free
