"""Notes about keys: which pictures are broken and why, which texts were truncated. Small immutable JSON files."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from eyechart.notice import Notice
from eyechart.store.disk_errors import storing
from eyechart.store.partial_file import partial_file
from eyechart.store.quarantine import set_aside
from eyechart.store.segment import Damaged

SUFFIX = ".json"


class Notes:
    """Notes by key. Where two files have a note about one key, the first file name takes precedence for every process."""

    def __init__(self, folder: Path, store: Path, notices: list[Notice]) -> None:
        self._folder, self._store, self._notices = folder, store, notices
        self._files: dict[str, dict[bytes, str]] = {}
        self._known: dict[bytes, str] = {}

    def put(self, notes: Mapping[bytes, str]) -> None:
        self._refresh()
        new = {key: note for key, note in notes.items() if self._known.get(key) != note}
        if not new:
            return
        content = json.dumps({key.hex(): new[key] for key in sorted(new)}, ensure_ascii=False)
        with partial_file(self._folder) as file:
            file.file.write(content.encode())
            file.publish(file.seal() + SUFFIX)

    def get(self, keys: Sequence[bytes]) -> dict[bytes, str]:
        """The keys that have a note, with the note."""
        self._refresh()
        if not self._known:
            return {}
        return {key: self._known[key] for key in keys if key in self._known}

    def _refresh(self) -> None:
        with storing(self._folder, "read"):
            names = {path.name for path in note_files(self._folder)}
            if names == self._files.keys():
                return
            for name in sorted(names - self._files.keys()):
                path = self._folder / name
                try:
                    self._files[name] = read_notes(path)
                except FileNotFoundError:
                    continue
                except Damaged as damage:
                    self._notices.append(set_aside(path, self._store, str(damage)))
        self._files = {name: self._files[name] for name in sorted(names) if name in self._files}
        self._known = {}
        for notes in self._files.values():
            for key, note in notes.items():
                self._known.setdefault(key, note)


def note_files(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == SUFFIX)
    except FileNotFoundError:
        return []


def read_notes(path: Path) -> dict[bytes, str]:
    """The notes of a file. It is small, so its hash is checked on every read."""
    content = path.read_bytes()
    if hashlib.sha256(content).hexdigest() != path.name.removesuffix(SUFFIX):
        raise Damaged("its content does not match the hash in its name")
    notes: dict[str, str] = json.loads(content)
    return {bytes.fromhex(key): note for key, note in notes.items()}
