"""Processes that begin one SQLite file at the same time all get it."""

import multiprocessing
import sqlite3
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest

from eyechart.files import sqlite


def _begin(folder: Path, number: int, rounds: int, barrier: Barrier) -> None:
    for turn in range(rounds):
        barrier.wait()
        db = sqlite.connect(folder / f"{turn}.sqlite")
        db.execute("CREATE TABLE IF NOT EXISTS seen (process INTEGER)")
        db.execute("INSERT INTO seen VALUES (?)", (number,))
        db.close()


def test_processes_begin_a_file_together(tmp_path: Path) -> None:
    # Without a repeated attempt about one round in six fails, on two cores.
    rounds, context = 60, multiprocessing.get_context("fork")
    barrier = context.Barrier(2, timeout=30)
    processes = [context.Process(target=_begin, args=(tmp_path, number, rounds, barrier)) for number in range(2)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0]
    for turn in range(rounds):
        db = sqlite3.connect(tmp_path / f"{turn}.sqlite")
        assert db.execute("SELECT process FROM seen ORDER BY process").fetchall() == [(0,), (1,)]
        assert db.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        db.close()


def test_a_lock_that_stays_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite, "WAIT", 0.2)
    path = tmp_path / "held.sqlite"
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN EXCLUSIVE")
    with pytest.raises(sqlite3.OperationalError, match="locked"):
        sqlite.connect(path)
    other.execute("ROLLBACK")
    sqlite.connect(path).close()
    other.close()


def test_a_file_of_something_else_is_refused_at_once(tmp_path: Path) -> None:
    path = tmp_path / "text.sqlite"
    path.write_bytes(b"no table" * 1000)
    with pytest.raises(sqlite3.DatabaseError, match="not a database"):
        sqlite.connect(path)
