"""`eyechart open`: what it refuses before it serves."""

import socket
import subprocess
import sys

import pytest

from eyechart.cli.main import main


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda p: p / "nowhere", "no such folder"),
        (lambda p: p, "no examination"),
    ],
)
def test_a_folder_without_runs_is_an_error_in_one_line(tmp_path, capsys, make, reason):
    pytest.importorskip("uvicorn")
    assert main(["open", str(make(tmp_path)), "--no-browser", "--store", str(tmp_path / "s")]) in (2, 3)
    said = capsys.readouterr().err
    assert reason in said and said.count("\n") == 1


def test_a_store_that_no_run_used_is_an_error_in_one_line(tmp_path, capsys):
    pytest.importorskip("uvicorn")
    (tmp_path / "models").mkdir()
    (tmp_path / "format.json").write_text("{}")
    assert main(["open", str(tmp_path)]) == 3
    said = capsys.readouterr().err
    assert "no examination that used this store is known" in said and said.count("\n") == 1


def test_a_port_that_is_taken_or_too_large_is_one_line(tmp_path, capsys):
    pytest.importorskip("uvicorn")
    import eyechart

    run = eyechart.examine("demo:", "world-objects", limit=18, probes=["zero_shot"], prompts="bare", out=tmp_path / "run",
                           store=tmp_path / "s").folder  # fmt: skip
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        for port, reason in ((taken.getsockname()[1], "in use"), (70_000, "65535")):
            assert main(["open", str(run), "--no-browser", "--store", str(tmp_path / "s"), "--port", str(port)]) == 2
            assert reason in capsys.readouterr().err


def test_a_place_needs_a_name(tmp_path, capsys):
    pytest.importorskip("uvicorn")
    assert main(["open", str(tmp_path), "--data", "pets"]) == 2
    assert "NAME=PLACE" in capsys.readouterr().err


def test_without_the_extra_it_says_what_to_install(tmp_path):
    code = (
        "import sys; sys.modules['starlette'] = None; sys.modules['uvicorn'] = None\n"
        "from eyechart.cli.main import main; sys.exit(main(['open', '.']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert done.returncode == 5 and "pip install 'eyechart[app]'" in done.stderr
