"""Ctrl-C and SIGTERM: a sentence and the exit code of a shell, and the next command continues."""

import os
import signal
import subprocess
import sys
import time

import pytest

from eyechart.cli import main as command_line
from eyechart.cli.main import main

CODES = [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "ended by SIGTERM")]


@pytest.fixture(autouse=True)
def handlers():
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.mark.parametrize(("number", "code", "said"), CODES)
@pytest.mark.parametrize("surfaces_as", [None, RuntimeError("from a native call"), OSError("no number"), OSError(4, "EINTR")])
def test_a_signal_ends_in_a_sentence(number, code, said, surfaces_as, monkeypatch, capsys):
    """Also where a library turns the interruption into an error of its own."""

    def run(args):
        try:
            os.kill(os.getpid(), number)
            time.sleep(5)
        except KeyboardInterrupt:
            if surfaces_as is None:
                raise
            raise surfaces_as from None

    class Parsed:
        pass

    parsed = Parsed()
    parsed.run = run

    class Parser:
        def parse_args(self, argv):
            return parsed

    monkeypatch.setattr(command_line, "build_parser", Parser)
    assert main(["anything"]) == code
    errors = capsys.readouterr().err
    assert f"eyechart: {said}; " in errors and "run the same command again" in errors


def test_sigterm_ends_an_examination_that_continues_afterwards(tmp_path):
    command = [sys.executable, "-m", "eyechart", "examine", "--model", "demo:", "--data", "world-objects", "--limit", "200"]
    command += ["--probes", "zero_shot", "--prompts", "single", "--out", str(tmp_path / "out"), "--quiet"]
    given = {**os.environ, "EYECHART_STORE": str(tmp_path / "store")}
    process = subprocess.Popen(command, env=given, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while not (tmp_path / "out").exists() and time.monotonic() < until:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 143 and "eyechart: ended by SIGTERM; " in errors and "Traceback" not in errors
    assert subprocess.run(command, env=given, capture_output=True, timeout=120).returncode == 0


def test_an_ignored_sigterm_stays_ignored(capsys):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    assert main(["probes"]) == 0
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
