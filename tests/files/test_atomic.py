"""Atomic writes: all or nothing, and leftovers of killed processes are recognized."""

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from eyechart.files.atomic import (
    abandoned_files,
    atomic_folder,
    atomic_path,
    remove_abandoned,
    unfinished_path,
    write_json,
    write_text,
)


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


def test_what_a_killed_process_left_is_removed_files_and_folders_alike(tmp_path):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    name = f".{socket.gethostname()}~{dead.pid}~0123456789ab.tmp"
    (tmp_path / name).write_text("unfinished")
    (tmp_path / "below" / name.replace("0123", "4567")).mkdir(parents=True)
    mine = unfinished_path(tmp_path)
    mine.write_text("this process is alive")
    (tmp_path / "notes.tmp").write_text("not ours")
    remove_abandoned(tmp_path, below=False)
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted(["below", mine.name, "notes.tmp"])
    remove_abandoned(tmp_path)
    assert list((tmp_path / "below").iterdir()) == []


def test_a_folder_with_a_name_of_255_bytes_is_written(tmp_path):
    with atomic_folder(tmp_path / ("x" * 255)) as work:
        (work / "a").write_text("a")
    assert (tmp_path / ("x" * 255) / "a").read_text() == "a"


def test_a_folder_that_a_killed_process_was_replacing_is_put_back(tmp_path):
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "old.txt").write_text("old")
    # Killed at the second rename: the old folder is away, the new one not yet there.
    code = """
import os, sys
from pathlib import Path
from eyechart.files.atomic import atomic_folder
renames = 0
def hook(event, details):
    global renames
    renames += event == "os.rename"
    if event == "os.rename" and renames == 2:
        os.kill(os.getpid(), 9)
sys.addaudithook(hook)
with atomic_folder(Path(sys.argv[1])) as made:
    (made / "new.txt").write_text("new")
"""
    killed = subprocess.run([sys.executable, "-c", code, str(tmp_path / "model")])
    assert killed.returncode == -9
    assert not (tmp_path / "model").exists()
    remove_abandoned(tmp_path, below=False)
    assert [(path.name, path.read_text()) for path in tmp_path.rglob("*.txt")] == [("old.txt", "old")]
    assert [path.name for path in tmp_path.iterdir()] == ["model"]


def test_ctrl_c_between_the_renames_leaves_the_old_folder(tmp_path, monkeypatch):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "old.txt").touch()
    rename = Path.rename

    def interrupted(path, target):
        if path.name == "new":
            raise KeyboardInterrupt
        return rename(path, target)

    monkeypatch.setattr(Path, "rename", interrupted)
    with pytest.raises(KeyboardInterrupt), atomic_folder(folder):
        pass
    assert [path.name for path in folder.iterdir()] == ["old.txt"]


def test_an_error_of_the_disk_names_the_target(tmp_path):
    (tmp_path / "a.txt").mkdir()
    with pytest.raises(IsADirectoryError) as caught:
        write_text(tmp_path / "a.txt", "text")
    assert caught.value.filename == str(tmp_path / "a.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_an_error_of_a_new_folder_names_the_folder_that_was_asked_for(tmp_path, monkeypatch):
    def refuse(*args, **kwargs):
        raise PermissionError(13, "Permission denied", kwargs["dir"] / ".unfinished")

    monkeypatch.setattr("eyechart.files.atomic.tempfile.TemporaryDirectory", refuse)
    with pytest.raises(PermissionError) as error, atomic_folder(tmp_path / "page"):
        pass
    assert error.value.filename == str(tmp_path / "page")
