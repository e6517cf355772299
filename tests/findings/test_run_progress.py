"""Progress that another process can read."""

import errno
import json
import os
from contextlib import contextmanager

import pytest

import eyechart
from eyechart.errors import StoreError
from eyechart.files.locks import hold
from eyechart.findings import run_progress
from eyechart.findings.run_folder import RunFolder
from eyechart.findings.run_lock import is_running, only_writer
from eyechart.findings.run_progress import FILE, TaskProgress, read_progress, recorded_progress
from eyechart.progress import SilentProgress


class Clock:
    now = 100.0

    def monotonic(self):
        return self.now


def test_progress_is_written_at_the_start_and_at_most_once_a_second(tmp_path, monkeypatch):
    clock = Clock()
    monkeypatch.setattr(run_progress, "time", clock)
    with recorded_progress(SilentProgress(), tmp_path) as progress, progress.task("encoding", 10, "pictures") as task:
        assert read_progress(tmp_path) == TaskProgress("encoding", 0, 10, "pictures")
        task.advance(3)
        assert read_progress(tmp_path).done == 0
        clock.now += 1
        task.advance(4)
        assert read_progress(tmp_path).done == 7
        task.advance()
        assert read_progress(tmp_path).done == 7
    assert read_progress(tmp_path) is None and list(tmp_path.iterdir()) == []


def test_it_is_removed_after_an_error_too(tmp_path):
    with (
        pytest.raises(KeyboardInterrupt),
        recorded_progress(SilentProgress(), tmp_path) as progress,
        progress.task("encoding", None, "texts"),
    ):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", json.dumps({"title": "a", "done": "x", "total": 1, "unit": "b"})])
def test_a_file_that_is_being_written_is_no_progress(tmp_path, text):
    (tmp_path / FILE).write_text(text)
    assert read_progress(tmp_path) is None


def test_an_examination_records_its_progress_under_its_lock(tmp_path):
    seen = []

    class Watching:
        @contextmanager
        def task(self, title, total, unit):
            seen.append((title, total, unit, read_progress(tmp_path / "run"), is_running(tmp_path / "run")))
            with SilentProgress().task(title, total, unit) as task:
                yield task

        def line(self, text):
            pass

    eyechart.examine("demo:", "world-objects", limit=36, probes=["zero_shot"], prompts="bare", corruptions=[], default_ood=False,
                     out=tmp_path / "run", store=tmp_path / "s", progress=Watching())  # fmt: skip
    assert {unit for _, _, unit, _, _ in seen} >= {"pictures", "texts"}
    opening, *others = seen  # the datasets of a plan are opened before anything is written
    assert opening == ("opening", 1, "datasets", None, False)
    assert all(found == TaskProgress(title, 0, total, unit) and running for title, total, unit, found, running in others)
    assert not (tmp_path / "run" / FILE).exists() and not is_running(tmp_path / "run")


def test_whoever_asks_for_an_instant_does_not_stop_an_examination(tmp_path, monkeypatch):
    """The lock is taken while it is held by somebody who looks, and given back at the first pause."""
    folder = RunFolder(tmp_path / "run")
    folder.prepare()
    look = hold(folder.path / ".lock", wait=False, shared=True)
    assert look.__enter__()
    from eyechart.findings import run_lock

    class Pause:
        def sleep(self, seconds):
            look.__exit__(None, None, None)

    monkeypatch.setattr(run_lock, "time", Pause())
    with only_writer(folder):
        assert is_running(folder.path)


def test_a_second_examination_is_refused_in_the_end(tmp_path):
    folder = RunFolder(tmp_path / "run")
    with only_writer(folder), pytest.raises(StoreError, match="another examination is writing"), only_writer(folder):
        pass


def test_whoever_asks_writes_nothing(tmp_path, monkeypatch):
    """The folder may be on a read-only disk, or of another user."""
    folder = RunFolder(tmp_path / "run")
    assert not is_running(folder.path)
    with only_writer(folder):
        pass
    plain = os.open

    def read_only(path, flags, *mode, **options):
        if flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS), str(path))
        return plain(path, flags, *mode, **options)

    with monkeypatch.context() as patched:
        patched.setattr(os, "open", read_only)
        assert not is_running(folder.path)
    with only_writer(folder):
        monkeypatch.setattr(os, "open", read_only)
        assert is_running(folder.path)
