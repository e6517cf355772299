"""How often the held-out half was looked at, in a file of the run: a number that is chosen after many looks is too good."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from eyechart.errors import StoreError
from eyechart.files.atomic import write_json
from eyechart.files.records import read_json
from eyechart.workbench.own_folder import FOLDER, writing_to

FILE = "held-out-looks.json"
_REMEDY = "move it away to count from 0"


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
        if not self._path.exists():
            return {}
        found = read_json(self._path, error=StoreError, remedy=_REMEDY)
        if not isinstance(found, dict) or not all(isinstance(looks, list) for looks in found.values()):
            raise StoreError(f"{self._path}: it is not a list of looks for each model and dataset; {_REMEDY}")
        return found


def _key(model: str, dataset: str) -> str:
    return f"{model} on {dataset}"
