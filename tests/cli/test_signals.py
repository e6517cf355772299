"""Ctrl-C and SIGTERM: a sentence and the exit code of a shell, and the next command continues."""

import os
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

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


def command_that(monkeypatch, run):
    """Let the only command be `run`."""
    parsed = SimpleNamespace(run=run)
    monkeypatch.setattr(command_line, "build_parser", lambda: SimpleNamespace(parse_args=lambda argv: parsed))


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

    command_that(monkeypatch, run)
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


def test_an_ignored_sigterm_stays_ignored(monkeypatch):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    seen = []
    command_that(monkeypatch, lambda args: seen.append(signal.getsignal(signal.SIGTERM)) or 0)
    assert main([]) == 0
    assert seen == [signal.SIG_IGN] and signal.getsignal(signal.SIGTERM) is signal.SIG_IGN


def test_a_program_that_calls_the_command_keeps_its_handlers(monkeypatch):
    def mine(number, frame):
        pass

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, mine)
    seen = []
    command_that(monkeypatch, lambda args: seen.extend(map(signal.getsignal, (signal.SIGINT, signal.SIGTERM))) or 0)
    assert main([]) == 0
    assert mine not in seen
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == [mine, mine]
