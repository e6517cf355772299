"""Rot: single bit flips in the files that Eyechart keeps. What is read afterwards is the same, or refused; never different."""

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eyechart.errors import EyechartError
from eyechart.findings.run import read_run
from eyechart.findings.run_folder import RunFolder, Unit
from eyechart.store.segment import Damaged, check_content, open_segment
from eyechart.store.store import Store
from eyechart.study.study_file import read_study


@dataclass
class RotOutcome:
    """Counts over all flips.

    same: Flips after which the content is read as before.
    refused: Flips that are noticed.
    different: Flips after which something else is read without a word, or an exception that is no error of ours.
    """

    same: int = 0
    refused: int = 0
    different: list[str] = field(default_factory=list)

    @property
    def flips(self) -> int:
        return self.same + self.refused + len(self.different)


def rot(run: Path, store: Path, study: Path, work: Path, seed: int, flips: int) -> dict[str, RotOutcome]:
    """Flip bits in copies of the files of an examination, a store and a study; `flips` for each kind of file."""
    rng = random.Random(f"rot {seed}")
    return {
        "segments": _flip_files(_segments(store), rng, flips, work),
        "journal": _flip_files(_journal(run), rng, flips, work),
        "exhibits": _flip_files(_whole_run(run, "exhibits/*/*.parquet"), rng, flips, work),
        "findings": _flip_files(_whole_run(run, "findings.parquet"), rng, flips, work),
        "protocol": _flip_files(_whole_run(run, "protocol.json"), rng, flips, work),
        "predictions": _flip_files(_predictions(run), rng, flips, work),
        "study": _flip_files([(study, lambda path: _plain(read_study(path)))], rng, flips, work),
    }


Reading = tuple[Path, Callable[[Path], Any]]


def _flip_files(readings: list[Reading], rng: random.Random, flips: int, work: Path) -> RotOutcome:
    outcome = RotOutcome()
    expected = {path: read(path) for path, read in readings}
    for number in range(flips):
        path, read = rng.choice(readings)
        kept = work / "kept"
        shutil.copy2(path, kept)
        data = bytearray(path.read_bytes())
        bit = rng.randrange(8 * len(data))
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(data)
        try:
            found = read(path)
            if found == expected[path]:
                outcome.same += 1
            else:
                outcome.different.append(f"{path.name}, bit {bit} (flip {number})")
        except (EyechartError, Damaged, _Refused):
            outcome.refused += 1
        except Exception as error:  # noqa: BLE001 - whatever it is, it is counted
            outcome.different.append(f"{path.name}, bit {bit} (flip {number}): {type(error).__name__}: {error}")
        finally:
            shutil.copy2(kept, path)
    return outcome


class _Refused(Exception):
    """Treated as not there, so that it is computed again."""


def _segments(store: Path) -> list[Reading]:
    opened = Store(store, read_only=True)
    readings: list[Reading] = []
    for shelf in opened.shelves():
        for path in shelf.segment_paths():
            readings.append((path, lambda path, label=shelf.label: _vectors(path, label)))
    opened.close()
    return readings


def _vectors(path: Path, label: Any) -> list[Any]:
    segment = open_segment(path, label)
    check_content(segment)
    return [(block.keys.tobytes(), block.vectors.tobytes()) for block in segment.blocks]


def _journal(run: Path) -> list[Reading]:
    readings: list[Reading] = []
    for path in sorted((run / "journal").glob("*.parquet")):
        key = path.stem.rpartition("-")[0]
        readings.append((path, lambda path, key=key: _record(run, key)))
    return readings


def _record(run: Path, key: str) -> Any:
    found = RunFolder(run).record(Unit("", "", "", key))
    if found is None:
        raise _Refused
    return _plain(found.findings), found.exhibit_files, found.notices, found.skipped


def _whole_run(run: Path, pattern: str) -> list[Reading]:
    def read(path: Path) -> Any:
        found = read_run(run)
        exhibits = [(e.model, e.dataset, e.probe, e.exhibit.name, e.exhibit.title, e.exhibit.sentence, _plain(e.exhibit.table),
                     e.exhibit.chart, e.exhibit.slice) for e in found.exhibits]  # fmt: skip
        return _plain(found.findings), exhibits, found.protocol

    return [(path, read) for path in sorted(run.glob(pattern))]


def _predictions(run: Path) -> list[Reading]:
    return [(run / "predictions.parquet", lambda path: _plain(read_run(run).predictions))]


def _plain(table: Any) -> str:
    return repr((table.schema.names, table.to_pylist()))
