"""Reading in a child process: results come back, and a crash is an error about one file."""

import pytest

from eyechart.errors import DataError
from eyechart.files.child import in_child


def call(name, *arguments, **options):
    return in_child(f"crashing_reader:{name}", *arguments, where="x.mat", kind="a file", remedy="write it again", **options)


@pytest.fixture(autouse=True)
def reader(tmp_path, monkeypatch):
    (tmp_path / "crashing_reader.py").write_text(
        "import os, signal, time\n"
        "def echo(text): print('noise'); return {'text': text}\n"
        "def crash(): os.kill(os.getpid(), signal.SIGSEGV)\n"
        "def fail(): raise ValueError('bad magic')\n"
        "def wait(): time.sleep(60)\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


def test_what_it_returns_comes_back():
    assert call("echo", "é\ud800") == {"text": "é\ud800"}


def test_a_crash_is_an_error():
    with pytest.raises(DataError, match=r"x\.mat: damaged, so that its reader crashed .SIGSEGV.; write it again"):
        call("crash")


def test_an_exception_is_an_error_with_its_reason():
    with pytest.raises(DataError, match=r"x\.mat: not a file, or damaged .ValueError: bad magic."):
        call("fail")


def test_a_reader_that_does_not_end_is_stopped():
    with pytest.raises(DataError, match="not read after 1 s"):
        call("wait", seconds=1.0)
