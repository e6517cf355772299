"""The runs that took their vectors from a store: their folders, in a small file of the store."""

import json
from pathlib import Path

from eyechart.files.atomic import write_json
from eyechart.files.locks import hold
from eyechart.store.disk_errors import storing

FILE = "runs.json"
MOST = 2000


def is_store(folder: Path) -> bool:
    return (folder / "format.json").is_file() and (folder / "models").is_dir()


def remember_run(store: Path, run: Path) -> None:
    """Add a run to the list, in the order of their first use."""
    path, folder = store / FILE, str(run.resolve())
    if folder in _read(path):
        return
    with storing(path, "write"), hold(store / "facts.lock"):
        write_json(path, {"runs": [*_read(path), folder][-MOST:]})


def known_runs(store: Path) -> list[Path]:
    """The folders of runs that used a store; some may not be there any more."""
    return [Path(folder) for folder in _read(store / FILE)]


def _read(path: Path) -> list[str]:
    """The list; empty where the file is missing or damaged, since examinations write it again."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    listed = content.get("runs") if isinstance(content, dict) else None
    return [str(folder) for folder in listed] if isinstance(listed, list) else []
