"""How often the held-out half was looked at, in a file of the run: a number that is chosen after many looks is too good."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eyechart.errors import StoreError
from eyechart.files.atomic import write_json
from eyechart.workbench.own_folder import FOLDER, writing_to

FILE = "held-out-looks.json"


class Looks:
    """The looks at the held-out halves of one run.

    Args:
        run: The folder of the run.
    """

    def __init__(self, run: Path) -> None:
        self._run, self._path = run, run / FOLDER / FILE

    def count(self, model: str, dataset: str) -> int:
        return len(self._read().get(_key(model, dataset), []))

    def add(self, model: str, dataset: str, what: str) -> int:
        """Record one more look; returns how many there are."""
        look = {"what": what, "at": datetime.now(UTC).isoformat(timespec="seconds")}
        with writing_to(self._run):
            known = self._read()
            mine = [*known.get(_key(model, dataset), []), look]
            write_json(self._path, {**known, _key(model, dataset): mine})
        return len(mine)

    def _read(self) -> dict[str, list[Any]]:
        try:
            found = json.loads(self._path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return {}
        except ValueError as error:
            raise StoreError(f"{self._path} is not JSON ({error}); move it away to count from 0") from error
        if not isinstance(found, dict):
            raise StoreError(f"{self._path} is not a JSON object; move it away to count from 0")
        return found


def _key(model: str, dataset: str) -> str:
    return f"{model} on {dataset}"
