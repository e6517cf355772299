"""Commands as a user types them, each in a process of its own that is forked from one that has loaded the program already.

A new interpreter spends over a second on imports before it reads its words; hundreds of tests would wait for nothing else. The
forked process has its own folder, environment, output files and exit code, like any other. Tests of start-up, of imports and of
signals start an interpreter instead.
"""

import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
LOADED = (
    "eyechart.exam",
    "eyechart.exam_work",
    "eyechart.inputs",
    "eyechart.repair",
    "eyechart.report.page",
    "eyechart.study",
    "eyechart.world.datasets.open",
    "onnxruntime",
    "rich.table",
    "tokenizers",
)


class Commands:
    """Runs commands; `close` ends the process that they are forked from, which has this environment."""

    def __init__(self, **environment: str) -> None:
        self.server = subprocess.Popen(
            [sys.executable, "-m", "tests.command_server"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env={**os.environ, **environment},
        )

    def run(
        self, *words: object, cwd: Path, env: Mapping[str, str] | None = None, timeout: float = 400
    ) -> subprocess.CompletedProcess[str]:
        """What `eyechart WORDS` leaves: output, errors and exit code. `env` adds to the environment of the tests."""
        asked = [str(word) for word in words]
        with tempfile.TemporaryDirectory() as folder:
            request = {"words": asked, "cwd": str(cwd), "env": {**os.environ, **(env or {})}, "to": folder, "timeout": timeout}
            assert self.server.stdin is not None and self.server.stdout is not None
            self.server.stdin.write(json.dumps(request) + "\n")
            self.server.stdin.flush()
            code = json.loads(self.server.stdout.readline())
            out, err = ((Path(folder) / name).read_text(encoding="utf-8") for name in ("out", "err"))
        if code is None:
            raise subprocess.TimeoutExpired(asked, timeout, out, err)
        return subprocess.CompletedProcess(asked, code, out, err)

    def close(self) -> None:
        assert self.server.stdin is not None
        self.server.stdin.close()
        self.server.wait(timeout=20)


def serve() -> None:
    """Read requests from standard input, a line each, and answer with the exit code of the command, or null after a timeout."""
    from eyechart.errors import EyechartError
    from eyechart.probes.registry import get_probe, probe_names

    for name in LOADED:
        importlib.import_module(name)
    for name in probe_names():
        with suppress(EyechartError):  # a probe of a package that a test breaks; the command says so
            get_probe(name)
    requests, answers = os.fdopen(os.dup(0), encoding="utf-8"), os.fdopen(os.dup(1), "w", encoding="utf-8")
    gc.collect()
    gc.freeze()
    while line := requests.readline():
        request = json.loads(line)
        child = os.fork()
        if child == 0:
            os.close(requests.fileno())
            os.close(answers.fileno())
            _become(request)
        answers.write(json.dumps(_wait(child, request["timeout"])) + "\n")
        answers.flush()


def _become(request: dict[str, Any]) -> None:
    """Run the command in this process, and end it."""
    code = 1
    try:
        os.setsid()
        for number, name in ((0, os.devnull), (1, f"{request['to']}/out"), (2, f"{request['to']}/err")):
            flags = os.O_RDONLY if number == 0 else os.O_WRONLY | os.O_CREAT | os.O_TRUNC
            os.dup2(os.open(name, flags, 0o644), number)
        os.chdir(request["cwd"])
        os.environ.clear()
        os.environ.update(request["env"])
        sys.argv = ["eyechart", *request["words"]]
        from eyechart.cli.main import main

        code = main(request["words"])
    except SystemExit as end:  # argparse ends so
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - a bug of the command is printed, as an interpreter would
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _wait(child: int, seconds: float) -> int | None:
    def too_long(*_: object) -> None:
        os.killpg(child, signal.SIGKILL)
        raise TimeoutError

    signal.signal(signal.SIGALRM, too_long)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    except TimeoutError:
        os.waitpid(child, 0)
        return None
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


if __name__ == "__main__":
    serve()
