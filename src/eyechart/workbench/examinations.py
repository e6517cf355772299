"""Examinations that are started from the workbench: child processes that write below the opened folder, and their progress."""

import re
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eyechart.errors import UsageError
from eyechart.profiles import PROFILES
from eyechart.reopening import dataset_place, model_specs
from eyechart.workbench.run_catalog import RunCatalog
from eyechart.world.datasets.registry import WORLD_DATASETS

MOST_LINES = 200
MOST_RUNNING = 2
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_PROGRESS = re.compile(r"(?P<title>.+): (?P<done>[\d,]+)(?:/(?P<total>[\d,]+))? (?P<unit>\w+), ")


@dataclass(eq=False)
class _Child:
    """A running or ended examination."""

    name: str
    command: list[str]
    process: subprocess.Popen[str]
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=MOST_LINES))

    def state(self) -> dict[str, Any]:
        code = self.process.poll()
        lines = list(self.lines)
        found = next((m for line in reversed(lines) if (m := _PROGRESS.match(line))), None)
        done = None if found is None else int(found["done"].replace(",", ""))
        total = None if found is None or not found["total"] else int(found["total"].replace(",", ""))
        return {
            "name": self.name,
            "command": " ".join(["eyechart", *self.command]),
            "running": code is None,
            "exit_code": code,
            "lines": lines[-12:],
            "progress": None if found is None else {"title": found["title"], "done": done, "total": total, "unit": found["unit"]},
        }


class Examinations:
    """Starts examinations of models and datasets that the opened runs know, and of the embedded ones.

    Args:
        catalog: The opened runs; new ones are written next to them.
        store: The folder of the vectors.
    """

    def __init__(self, catalog: RunCatalog, store: Path) -> None:
        self._catalog, self._store = catalog, store
        self._children: list[_Child] = []

    def choices(self) -> dict[str, list[str]]:
        """What the form offers. Other models and datasets are examined from the command line."""
        runs = self._catalog.readable()
        specs = [model_specs(run.model_facts(m), folder)[0] for folder, run in runs for m in run.models]
        sources = [dataset_place(run.dataset_facts(d), folder) for folder, run in runs for d in run.datasets]
        return {
            "models": list(dict.fromkeys([s for s in specs if s] + ["demo:"])),
            "datasets": list(dict.fromkeys([s for s in sources if s] + list(WORLD_DATASETS))),
            "profiles": ["", *PROFILES],
        }

    @property
    def can_start(self) -> bool:
        """Whether a folder with runs was opened; a single run and a store have no place for another."""
        return not (self._catalog.is_single or self._catalog.is_store)

    def start(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Start an examination.

        Raises:
            UsageError: If an argument is not one that the form offers.
        """
        if not self.can_start:
            raise UsageError("open a folder with runs to start others in it")
        if sum(c.process.poll() is None for c in self._children) >= MOST_RUNNING:
            raise UsageError(f"{MOST_RUNNING} examinations are running; wait until one ends")
        command, name = self._command(content)
        process = subprocess.Popen(
            [sys.executable, "-m", "eyechart", *command],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
        )
        child = _Child(name, command, process)
        self._children.append(child)
        threading.Thread(target=_read, args=(child,), daemon=True).start()
        return child.state()

    def states(self) -> list[dict[str, Any]]:
        return [child.state() for child in self._children]

    def stop(self, name: str) -> None:
        """Interrupt an examination that was started here. What it has encoded is kept."""
        for child in self._children:
            if child.name == name and child.process.poll() is None:
                child.process.terminate()
                return
        raise UsageError("no such examination is running")

    def close(self) -> None:
        for child in self._children:
            if child.process.poll() is None:
                child.process.terminate()

    def _command(self, content: Mapping[str, Any]) -> tuple[list[str], str]:
        offered = self.choices()
        model = _one_of(content.get("model"), offered["models"], "model")
        data = _one_of(content.get("data"), offered["datasets"], "dataset")
        profile = _one_of(content.get("profile") or "", offered["profiles"], "profile")
        limit, name = content.get("limit"), str(content.get("name") or "")
        if not _NAME.fullmatch(name) or ".." in name:
            raise UsageError(f"name {name!r}: use letters, digits, dots, hyphens and underscores, at most 80")
        out = self._catalog.opened / name
        if out.exists():
            raise UsageError(f"there is a folder {name} already; choose another name")
        if limit is not None and (not isinstance(limit, int) or isinstance(limit, bool) or not 1 <= limit <= 10_000_000):
            raise UsageError("limit must be a whole number from 1 on, or nothing")
        # Values follow "=", so that none can be taken for a flag.
        command = ["examine", f"--model={model}", f"--data={data}", f"--out={out}", f"--store={self._store}", "--json"]
        command += [f"--profile={profile}"] if profile else []
        command += [f"--limit={limit}"] if limit is not None else []
        return command, name


def _one_of(value: Any, offered: Sequence[str], what: str) -> str:
    if not isinstance(value, str) or value not in offered:
        raise UsageError(f"{what}: choose one of the list; others are examined from the command line")
    return value


def _read(child: _Child) -> None:
    assert child.process.stderr is not None
    for line in child.process.stderr:
        child.lines.append(line.rstrip("\n")[:500])
