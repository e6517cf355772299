"""Template scores that survive an interruption: one line per template, written as soon as it is computed."""

import json
import os
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from eyechart.arrays import Doubles
from eyechart.files.atomic import write_text


class ScoreLedger:
    """A file of scores [templates, measures] for `template_scores`, which starts with `known` and calls `done`.

    `key` identifies everything that determines the scores: pictures, classes, templates, labels, k. A file with another key is
    replaced; an incomplete last line is dropped and computed again."""

    def __init__(self, path: Path, key: str, templates: int, measures: Sequence[str]) -> None:
        self._path = path
        self._head = {"key": key, "templates": templates, "measures": list(measures)}
        self.known: Doubles = np.full((templates, len(measures)), np.nan)
        if not self._read():
            write_text(self._path, json.dumps(self._head) + "\n")

    def done(self, template: int, scores: Doubles) -> None:
        """Record the scores of a template, with all digits, so that a resumed run gives the same weights."""
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps([template, *map(float, scores)]) + "\n")
            file.flush()
            os.fsync(file.fileno())
        self.known[template] = scores

    def _read(self) -> bool:
        """Read the file into `known`; False where it has another key."""
        lines = self._path.read_text(encoding="utf-8").split("\n") if self._path.is_file() else []
        if not lines or _line(lines[0]) != self._head:
            return False
        whole, torn = lines[1:-1], lines[-1]
        for line in whole:
            row = _line(line)
            if isinstance(row, list) and len(row) == 1 + self.known.shape[1] and 0 <= row[0] < len(self.known):
                self.known[row[0]] = row[1:]
        if torn:
            write_text(self._path, "".join(line + "\n" for line in lines[:-1]))
        return True


def _line(text: str) -> object:
    try:
        found: object = json.loads(text)
    except json.JSONDecodeError:
        return None
    return found
