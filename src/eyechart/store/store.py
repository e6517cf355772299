"""The store: all computed vectors by content, facts about each model, and known hashes of files."""

import json
import os
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

from eyechart.errors import StoreError
from eyechart.files.atomic import write_json
from eyechart.files.hashing import HashMemory
from eyechart.files.locations import default_store_path
from eyechart.files.locks import hold
from eyechart.files.remote import is_address
from eyechart.notice import Notice
from eyechart.store import hash_files, upkeep
from eyechart.store.answers import ROLE as ANSWERS
from eyechart.store.answers import KeptAnswers
from eyechart.store.compaction import Compaction
from eyechart.store.disk_errors import storing
from eyechart.store.epoch import epoch
from eyechart.store.label import FORMAT, Label
from eyechart.store.mirror import Mirror
from eyechart.store.quarantine import set_aside
from eyechart.store.shelf import StoredShelf


class Store:
    """A store. Safe for several processes at once and for kill -9 at any moment.

    path: The store's folder.
    notices: What was found damaged.
    mirror: For a store at an address, what fetches and uploads its files; `path` is then a folder of the cache.

    Args:
        path: The folder, or an address such as s3://bucket/store; the user's cache folder by default.
        rehash: Forget known hashes of files, and which pictures are broken.
        read_only: Create nothing, and record neither hashes nor times of use. The folder need not exist.
        fetch_segments: Whether segments of a store at an address are fetched, to be read.
    """

    def __init__(
        self,
        path: str | Path | None = None,
        *,
        rehash: bool = False,
        read_only: bool = False,
        fetch_segments: bool = True,
    ) -> None:
        place = path or os.environ.get("EYECHART_STORE") or default_store_path()
        self.mirror = Mirror(str(place), fetch_segments=fetch_segments) if is_address(place) else None
        self.path = self.mirror.folder if self.mirror else Path(place).expanduser().absolute()
        self.notices: list[Notice] = []
        self._shelves: dict[Label, StoredShelf] = {}
        self._answers: dict[str, KeptAnswers] = {}
        self._rehash, self._read_only = rehash, read_only
        self._enter()
        if rehash and not read_only:
            for shelf in self.shelves():
                upkeep.forget_broken(shelf)

    @property
    def place(self) -> str:
        """Its folder or address, for people and other processes."""
        return str(self.mirror.address if self.mirror else self.path)

    @property
    def read_only(self) -> bool:
        """Whether nothing is written."""
        return self._read_only

    def _enter(self) -> None:
        mark = self.path / "format.json"
        with storing(self.path, "open the store"):
            if not self._read_only:
                self.path.mkdir(parents=True, exist_ok=True)
            found = self._read_json(mark)
        if found is None:
            if self._read_only:
                return
            with storing(mark, "write"):
                write_json(mark, {"format": FORMAT}, sort_keys=True)
        elif found.get("format") != FORMAT:
            raise StoreError(
                f"{self.path}: this store has format {found.get('format')}, this version of eyechart reads format {FORMAT}; "
                "update eyechart, or point EYECHART_STORE at another folder"
            )

    @cached_property
    def hashes(self) -> HashMemory:
        """File hashes by identity; with `rehash`, starting empty."""
        known = self.path / "hashes.sqlite"
        if self._read_only:
            memory = HashMemory() if self._rehash or not known.exists() else HashMemory.copy_of(known)
        else:
            memory = HashMemory(
                known,
                forget=self._rehash,
                notices=self.notices,
                set_aside=lambda path, reason: set_aside(path, self.path, reason),
            )
        if not self._rehash:
            self.sync_hash_files()
            hash_files.take_in(self.path, memory)
        return memory

    def sync_hash_files(self) -> None:
        """Exchange the hashes of workers with a store at an address."""
        if self.mirror is not None:
            self.mirror.pull(self.path / hash_files.FOLDER)

    def shelf(self, fingerprint: str, role: str, variant: str = "") -> StoredShelf:
        """The shelf of one encoder; `variant` is the way of decoding."""
        label = Label(fingerprint, role, variant)
        if label not in self._shelves:
            self._shelves[label] = StoredShelf(self.path, label, self.notices, self.mirror)
        if not self._read_only:
            self._shelves[label].touch()
        return self._shelves[label]

    def answers(self, fingerprint: str) -> KeptAnswers:
        """The replies of one model that answers questions."""
        if fingerprint not in self._answers:
            folder = self.shelf(fingerprint, ANSWERS).folder
            self._answers[fingerprint] = KeptAnswers(folder, self.path, self.notices, read_only=self._read_only)
        return self._answers[fingerprint]

    def shelves(self) -> list[StoredShelf]:
        """All shelves."""
        if self.mirror is not None:
            self.mirror.fetch_all()
        with storing(self.path, "read"):
            folders = sorted(path for path in (self.path / "models").glob("*/*") if path.is_dir())
        labels = [label for folder in folders if (label := Label.of_folder(folder.parent.name, folder.name)) is not None]
        return [self._shelves.get(label) or StoredShelf(self.path, label, self.notices, self.mirror) for label in labels]

    def epoch(self, fingerprint: str) -> int:
        """The epoch of a model's vectors, see `epoch.py`. Read it before the vectors, and cache results under it."""
        return epoch(self.path, fingerprint)

    def facts(self, fingerprint: str) -> dict[str, Any] | None:
        """Stored facts about a model, so that its network need not be loaded; None where there are none."""
        path = self._facts_path(fingerprint)
        if self.mirror is not None:
            self.mirror.fetch(path)
        return self._read_json(path)

    def introduce(self, fingerprint: str, spec: str) -> None:
        """Name the model of a fingerprint where it has no name yet. Takes no lock: every worker would write the same."""
        path = self._facts_path(fingerprint)
        if self.facts(fingerprint) is None:
            with storing(path, "write"):
                write_json(path, {"spec": spec})
            if self.mirror is not None:
                self.mirror.push([path])

    def remember_facts(self, fingerprint: str, facts: dict[str, Any]) -> None:
        """Add facts about a model; a new value replaces an old one."""
        path = self._facts_path(fingerprint)
        with storing(path, "write"), hold(self.path / "facts.lock"):
            write_json(path, {**(self._read_json(path) or {}), **facts}, sort_keys=True)
        if self.mirror is not None:
            self.mirror.replace(path)

    def ls(self) -> list[upkeep.ShelfRow]:
        return [row for _, row in self._rows()]

    def verify(self, *, repair: bool = False) -> upkeep.Verification:
        return upkeep.verify(self.path, self.shelves(), repair=repair)

    def compact(self, models: Sequence[str] = ()) -> list[Compaction]:
        """Merge the segments of all shelves, or of the shelves of these models."""
        chosen = upkeep.choose_models(self._specs(), models)
        shelves = [shelf for shelf in self.shelves() if not models or shelf.label.fingerprint in chosen]
        return [done for shelf in shelves if (done := shelf.compact()) is not None]

    def gc(self, *, keep_days: float | None = None, models: Sequence[str] = (), dry_run: bool = False) -> upkeep.Clearance:
        """Remove what was not used for `keep_days`, what belongs to `models`, and unfinished files of killed processes."""
        if self.mirror is not None:
            raise StoreError(f"{self.mirror.address}: a store at an address is cleared with the tools of its provider")
        chosen = upkeep.choose_models(self._specs(), models)
        return upkeep.clear(self.path, self._rows(), keep_days=keep_days, models=chosen, dry_run=dry_run)

    def close(self) -> None:
        for kept in self._answers.values():
            kept.close()
        self._answers.clear()
        if "hashes" in self.__dict__:
            self.hashes.close()
            del self.hashes

    def _rows(self) -> list[tuple[StoredShelf, upkeep.ShelfRow]]:
        rows = []
        for shelf in self.shelves():
            facts = self.facts(shelf.label.fingerprint) or {}
            decodings = facts.get("decodings")
            named = {str(k): str(v) for k, v in decodings.items()} if isinstance(decodings, dict) else {}
            rows.append((shelf, upkeep.shelf_row(shelf, facts.get("spec"), named)))
        return rows

    def _specs(self) -> dict[str, str | None]:
        fingerprints = [path.name for path in sorted((self.path / "models").glob("*")) if path.is_dir()]
        return {fingerprint: (self.facts(fingerprint) or {}).get("spec") for fingerprint in fingerprints}

    def _facts_path(self, fingerprint: str) -> Path:
        return self.path / "models" / Label(fingerprint, "facts").fingerprint / "facts.json"

    def _read_json(self, path: Path) -> dict[str, Any] | None:
        try:
            content = json.loads(path.read_bytes())
            if not isinstance(content, dict):
                raise ValueError("not an object")
        except FileNotFoundError:
            return None
        except ValueError as error:
            self.notices.append(set_aside(path, self.path, f"not readable as JSON ({error})"))
            return None
        return content
