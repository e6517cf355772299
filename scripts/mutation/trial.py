"""One trial: the tests of a file, run in a forked process in which the file is replaced by a mutant.

The parent imports NumPy, SciPy, PyArrow and pytest once, and nothing of Eyechart, so that a trial costs no more than its tests.
A trial is limited in processor time, so that a busy machine makes no mutant time out.
"""

import ast
import importlib.abc
import importlib.util
import os
import resource
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Literal, NoReturn

Outcome = Literal["killed", "survived", "timed out"]


class _Mutated(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Loads one module from a syntax tree."""

    def __init__(self, module: str, path: Path, tree: ast.Module) -> None:
        self.module, self.path, self.tree = module, path, tree

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name != self.module:
            return None
        package = [str(self.path.parent)] if self.path.name == "__init__.py" else None
        return importlib.util.spec_from_file_location(name, self.path, loader=self, submodule_search_locations=package)

    def exec_module(self, module: ModuleType) -> None:
        exec(compile(self.tree, str(self.path), "exec"), module.__dict__)


def preload() -> None:
    """What every test imports, except Eyechart itself."""
    import hypothesis  # noqa: F401
    import numpy  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import pytest  # noqa: F401
    import scipy.special
    import scipy.stats  # noqa: F401


def run_trial(path: Path, module: str, tree: ast.Module | None, tests: Sequence[str], limit: float) -> tuple[Outcome, float]:
    """Run the tests with the module replaced; with no tree, as it is.

    Args:
        limit: Seconds of processor time, and a twentieth of the time by the clock, for a mutant that waits forever.

    Returns:
        The outcome, and the processor time it took.
    """
    end = time.monotonic() + 20 * limit
    child = os.fork()
    if child == 0:
        _in_child(path, module, tree, tests, limit)
    while True:
        done, status, used = os.wait4(child, os.WNOHANG)
        if done:
            code, seconds = os.waitstatus_to_exitcode(status), used.ru_utime + used.ru_stime
            return ("survived" if code == 0 else "timed out" if code == -signal.SIGXCPU else "killed"), seconds
        if time.monotonic() > end:
            os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "timed out", limit
        time.sleep(0.02)


def _in_child(path: Path, module: str, tree: ast.Module | None, tests: Sequence[str], limit: float) -> NoReturn:
    code = 1
    try:
        os.setpgrp()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 10))
        quiet = os.open(os.devnull, os.O_WRONLY)
        os.dup2(quiet, 1)
        os.dup2(quiet, 2)
        if tree is not None:
            sys.meta_path.insert(0, _Mutated(module, path, tree))
        import pytest

        options = ["-x", "-q", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow and not browser"]
        for some in filter(None, (tests[:1], tests[1:])):  # most mutants are noticed by the first file: collect no more
            code = int(pytest.main([*options, *some]))
            if code == pytest.ExitCode.NO_TESTS_COLLECTED:
                code = 0  # all of them are slow: none notices anything
            if code:
                break
    finally:
        os._exit(code)
