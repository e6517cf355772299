"""Inputs that once failed, made small: kept in tests/corpus and read by every test run."""

import base64
import json
from pathlib import Path

from eyechart.files.hashing import hash_bytes
from torture.fuzz import Failure, attempt, mutated
from torture.layouts import Files, Target


def keep(target: Target, seed: int, failure: Failure, folder: Path) -> Path:
    """Write the changed files of an input, as few and as short as still fail at the same site."""
    files, places = mutated(target, seed, failure.number)
    changed = {name: data for name, data in files.items() if data != target.files.get(name)}
    if not failure.site.startswith(("signal", "no end", "exit")):
        changed = shrink(target, changed, places, failure.site)
    return write_entry(folder, target.name, changed, places, failure.site)


def write_entry(folder: Path, target: str, changed: Files, places: list[str], site: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    content = {
        "target": target,
        "site": site,
        "places": places,
        "files": {k: base64.b64encode(v).decode() for k, v in changed.items()},
    }
    text = json.dumps(content, indent=1, sort_keys=True) + "\n"
    path = folder / f"{target.replace(' ', '-').replace('/', '-')}-{hash_bytes(text.encode()).hex()[:10]}.json"
    path.write_text(text)
    return path


def read_entry(path: Path) -> tuple[str, Files, list[str]]:
    """The target, the changed files and the changes of the file system of an entry."""
    content = json.loads(path.read_text())
    return content["target"], {k: base64.b64decode(v) for k, v in content["files"].items()}, content["places"]


def shrink(target: Target, changed: Files, places: list[str], site: str) -> Files:
    """Remove parts of the changed files while the failure stays (delta debugging, Zeller and Hildebrandt, 2002)."""

    def fails(files: Files) -> bool:
        return attempt(target, {**target.files, **files}, places)[0] == site

    for name in list(changed):
        size = len(changed[name]) // 2
        while size >= 1 and len(changed[name]) < 200_000:
            at = 0
            while at < len(changed[name]):
                shorter = changed[name][:at] + changed[name][at + size :]
                if fails({**changed, name: shorter}):
                    changed = {**changed, name: shorter}
                else:
                    at += size
            size //= 2 if len(changed[name]) < 2000 else 8
    return changed
