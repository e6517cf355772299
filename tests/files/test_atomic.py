"""Atomic writes: all or nothing, and leftovers of killed processes are recognized."""

import os
import socket

import pytest

from eyechart.files.atomic import abandoned_files, atomic_folder, atomic_path, unfinished_path, write_json, write_text


def test_a_file_is_replaced_as_a_whole(tmp_path):
    write_text(tmp_path / "a.txt", "old")
    write_text(tmp_path / "a.txt", "new")
    assert (tmp_path / "a.txt").read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_an_error_leaves_the_old_file_and_nothing_else(tmp_path):
    write_text(tmp_path / "a.txt", "old")
    with pytest.raises(ValueError, match="half-way"), atomic_path(tmp_path / "a.txt") as unfinished:
        unfinished.write_text("ne")
        raise ValueError("half-way")
    assert (tmp_path / "a.txt").read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_json_holds_no_nan(tmp_path):
    with pytest.raises(ValueError, match="Out of range"):
        write_json(tmp_path / "a.json", {"a": float("nan")})
    assert list(tmp_path.iterdir()) == []


def test_only_files_of_killed_processes_are_abandoned(tmp_path):
    mine = unfinished_path(tmp_path)
    mine.touch()
    dead = tmp_path / f".{socket.gethostname()}~{2**22 + 1}~abc.tmp"
    dead.touch()
    elsewhere = tmp_path / ".another-host~1~abc.tmp"
    elsewhere.touch()
    assert abandoned_files(tmp_path) == [dead]
    os.utime(elsewhere, (0, 0))
    assert set(abandoned_files(tmp_path)) == {dead, elsewhere}


def test_a_folder_is_replaced_as_a_whole(tmp_path):
    folder = tmp_path / "model"
    for content in ("old", "new"):
        with atomic_folder(folder) as unfinished:
            (unfinished / f"{content}.txt").write_text(content)
    assert [path.name for path in folder.iterdir()] == ["new.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_an_error_leaves_the_old_folder(tmp_path):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "old.txt").touch()
    with pytest.raises(ValueError, match="half-way"), atomic_folder(folder) as unfinished:
        (unfinished / "new.txt").touch()
        raise ValueError("half-way")
    assert [path.name for path in folder.iterdir()] == ["old.txt"]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
