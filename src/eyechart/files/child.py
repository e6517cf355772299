"""Read a file in a child process, so that a crash in native code is an error about one file and not the end of the program."""

import json
import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

from eyechart.errors import DataError

SECONDS = 600.0  # a large file on a slow disk may take minutes
_MOST_BYTES = 256 << 20
_CALL = "from eyechart.files.child import answer; answer()"


def in_child(target: str, *arguments: str, where: Path, kind: str, remedy: str, seconds: float = SECONDS) -> Any:
    """What a function returns for texts, as JSON has it. It runs in a new process.

    Args:
        target: The function, as `module:name`. It takes and returns what JSON can hold.
        *arguments: Its arguments.
        where: The file that it reads, for errors.
        kind: What it should be, such as "an Arrow file".
        remedy: What to do where the file cannot be read.
        seconds: The time limit.

    Raises:
        DataError: If the function raises, crashes or takes too long.
    """
    # The child finds this package wherever the parent found it.
    paths = os.pathsep.join(str(Path(p).absolute()) if p else str(Path.cwd()) for p in sys.path)
    try:
        ran = subprocess.run(
            [sys.executable, "-c", _CALL],
            input=json.dumps([target, *arguments]).encode(),  # not as arguments: names of files may be private
            capture_output=True,
            timeout=seconds,
            env={**os.environ, "PYTHONPATH": paths, "PYTHONFAULTHANDLER": ""},
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise DataError(f"{where}: not read after {seconds:.0f} s; {remedy}") from None
    except OSError as error:
        raise DataError(f"{where}: no process can be started to read it ({error.strerror or error}); free some memory") from error
    if ran.returncode < 0:
        name = signal.Signals(-ran.returncode).name if -ran.returncode in set(signal.Signals) else str(-ran.returncode)
        raise DataError(f"{where}: damaged, so that its reader crashed ({name}); {remedy}")
    if ran.returncode or len(ran.stdout) > _MOST_BYTES:
        last = ran.stderr.decode("utf-8", "replace").strip().splitlines()[-1:]
        raise DataError(f"{where}: not {kind}, or damaged ({last[0][:300] if last else 'no reason given'}); {remedy}")
    return json.loads(ran.stdout)


def answer() -> None:
    """The child's part: call the function that is named on its input and print what it returns."""
    target, *arguments = json.load(sys.stdin)
    module, _, name = target.partition(":")
    output = os.dup(sys.stdout.fileno())  # what a library prints must not end up in the answer
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    try:
        found = json.dumps(getattr(import_module(module), name)(*arguments))
    except Exception as error:  # noqa: BLE001 - a reader may raise anything; the parent says so in one line
        sys.stderr.write(f"\n{type(error).__name__}: {' '.join(str(error).split())}\n")
        raise SystemExit(1) from None
    with os.fdopen(output, "w", encoding="utf-8") as out:
        out.write(found)
