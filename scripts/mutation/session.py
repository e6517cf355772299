"""Trials in one session of pytest: the tests are collected once, and each trial is a forked process in which the code of the
functions of one file is replaced. A trial runs only the tests that run the changed statement, the nearest first.

What a file does while it is imported stays as it was. So a mutant that survives here is tried again in a process of its own.
"""

import gc
import importlib
import json
import os
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NoReturn

import pytest

from mutation.coverage import Tracer, by_file, statement_lines
from mutation.mutants import Mutant, parse
from mutation.tests_of import module_of

OPTIONS = (
    "-q", "--tb=native", "--assert=plain", "-p", "no:cacheprovider", "-p", "no:xdist", "-m", "not slow and not browser",
)  # fmt: skip
_MOST_SECONDS, _FAST = 8.0, 1.0
_TOO_LONG = (-signal.SIGXCPU, -signal.SIGALRM)


@dataclass(frozen=True)
class TestRun:
    """A test as it is.

    seconds: How long it took.
    lines: The lines of the source that it ran, by file relative to the repository.
    """

    __test__ = False  # not a test itself

    seconds: float
    lines: Mapping[str, frozenset[int]]


@dataclass(eq=False)
class Trials:
    """A plugin of pytest that tries mutants instead of running the tests once.

    root: The repository.
    mutants: What is tried, with the test files of its source file, the nearest first.
    jobs: How many are tried at once.
    end: The time, of time.monotonic, after which no trial begins.
    runs: Where the lines of each test file are kept.
    report: Called with each mutant and its outcome: "killed", "timed out" or "survived".
    """

    root: Path
    mutants: Mapping[Mutant, Sequence[str]]
    jobs: int
    end: float
    runs: Callable[[str, Callable[[], dict[str, Any]]], dict[str, Any]]
    report: Callable[[Mutant, str], None]

    @property
    def folders(self) -> list[Path]:
        """The packages of the mutants."""
        return sorted({self.root.joinpath(*Path(mutant.path).parts[:3]) for mutant in self.mutants})

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for path in sorted({mutant.path for mutant in self.mutants}):
            importlib.import_module(module_of(path))
        runs = self._as_they_are(session)
        functions = functions_in(self.root / "src")
        gc.freeze()  # so that no trial copies what it does not change
        by_name = {item.nodeid: item for item in session.items}
        running: dict[int, tuple[Mutant, str]] = {}
        waiting = iter(self.mutants.items())
        while True:
            while len(running) < self.jobs and time.monotonic() < self.end:
                if (following := next(waiting, None)) is None:
                    break
                mutant, tests = following
                chosen = covering(mutant, tests, runs, self.root)
                limit = 10 + 5 * sum(runs[name].seconds for name in chosen)
                fails = partial(_fails, session, [by_name[name] for name in chosen])
                folder = tempfile.mkdtemp(prefix="mutant-")
                if (child := os.fork()) == 0:
                    _in_child(fails, folder, limit, partial(replace_code, mutant, self.root, functions))
                running[child] = (mutant, folder)
            if not running:
                return True
            child, status = os.waitpid(-1, 0)
            if child in running:
                mutant, folder = running.pop(child)
                shutil.rmtree(folder, ignore_errors=True)
                code = os.waitstatus_to_exitcode(status)
                self.report(mutant, "survived" if code == 0 else "timed out" if code in _TOO_LONG else "killed")

    def _as_they_are(self, session: pytest.Session) -> dict[str, TestRun]:
        """Every test that passes, with the lines that it runs. A test that fails as it is notices nothing."""
        files: dict[str, list[pytest.Item]] = {}
        for item in session.items:
            files.setdefault(item.nodeid.split("::")[0], []).append(item)
        found: dict[str, TestRun] = {}
        for file, items in files.items():
            known = self.runs(file, partial(_lines_of, session, items, self.root, self.folders))
            for name, (seconds, lines) in known.items():
                if seconds is None:
                    print(f"{name} fails as it is, so it notices nothing", file=sys.stderr, flush=True)
                else:
                    found[name] = TestRun(seconds, {path: frozenset(some) for path, some in lines.items()})
        return found


def covering(mutant: Mutant, tests: Sequence[str], runs: Mapping[str, TestRun], root: Path) -> list[str]:
    """The tests that run the changed statement: fast tests before slow ones, and of both those of its test files first.

    No more than some seconds of tests are chosen: what they do not notice is tried again with all tests of the file.
    """
    statement = statement_lines(parse(root / mutant.path))[mutant.line]
    order = {file: place for place, file in enumerate(tests)}
    covering = [name for name, run in runs.items() if not run.lines.get(mutant.path, frozenset()).isdisjoint(statement)]
    far = len(order)
    covering.sort(key=lambda n: (runs[n].seconds > _FAST, order.get(n.split("::")[0], far), runs[n].seconds))
    chosen, seconds = [], 0.0
    for name in covering:
        if not chosen or seconds + runs[name].seconds <= _MOST_SECONDS:
            seconds += runs[name].seconds
            chosen.append(name)
    return chosen


def _lines_of(session: pytest.Session, items: Sequence[pytest.Item], root: Path, folders: Sequence[Path]) -> dict[str, Any]:
    """Run tests in a forked process. For each, its seconds (None: it fails) and the lines that it ran."""
    folder = Path(tempfile.mkdtemp(prefix="mutant-"))

    def run() -> bool:
        found, tracer = {}, Tracer(folders)
        session.config.pluginmanager.register(tracer)
        for at, item in enumerate(items):
            following = items[at + 1] if at + 1 < len(items) else None
            failed, begin = session.testsfailed, time.process_time()
            known = dict(tracer.fixtures)
            hits = tracer(lambda item=item, following=following: _protocol(item, following))  # type: ignore[misc]
            seconds = time.process_time() - begin
            for one in _shared_fixtures(item):  # those that an earlier test has set up
                if one in known and tracer.fixtures[one] is known[one]:
                    seconds += known[one][0]
                    hits |= known[one][1]
            passed = session.testsfailed == failed
            found[item.nodeid] = [seconds if passed else None, by_file(hits, root)]
        (folder / "lines.json").write_text(json.dumps(found))
        return False

    child = os.fork()
    if child == 0:
        _in_child(run, str(folder), 3600)
    os.waitpid(child, 0)
    result = folder / "lines.json"
    found = json.loads(result.read_text()) if result.is_file() else {item.nodeid: [None, {}] for item in items}
    shutil.rmtree(folder, ignore_errors=True)
    return dict(found)


def _shared_fixtures(item: pytest.Item) -> list[int]:
    """Ids of the definitions of the fixtures that a test uses and may share with others."""
    of_name = item._fixtureinfo.name2fixturedefs  # it has no public name
    return [id(one) for listed in of_name.values() for one in listed if one.scope != "function"]


def _protocol(item: pytest.Item, following: pytest.Item | None) -> None:
    item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)


def _fails(session: pytest.Session, items: Sequence[pytest.Item]) -> bool:
    for at, item in enumerate(items):
        _protocol(item, items[at + 1] if at + 1 < len(items) else None)
        if session.testsfailed:
            return True
    return False


def _in_child(fails: Callable[[], bool], folder: str, limit: float, begin: Callable[[], None] | None = None) -> NoReturn:
    code = 1
    try:
        os.setpgrp()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        resource.setrlimit(resource.RLIMIT_CPU, (int(limit) + 1, int(limit) + 10))
        signal.alarm(int(20 * limit))  # for a mutant that waits forever
        os.environ["PYTEST_DEBUG_TEMPROOT"] = folder
        if begin is not None:
            begin()
        code = int(fails())
    finally:
        os._exit(code)


def functions_in(folder: Path) -> list[FunctionType]:
    """All functions that were imported from the files of a folder."""
    found = [one for one in gc.get_objects() if isinstance(one, FunctionType)]
    return [function for function in found if function.__code__.co_filename.startswith(f"{folder}/")]


def replace_code(mutant: Mutant, root: Path, functions: Sequence[FunctionType]) -> None:
    """Give functions of a module that is already imported the code of the mutant."""
    path = str(root / mutant.path)
    codes = {(code.co_qualname, code.co_firstlineno): code for code in _codes(compile(mutant.tree(root), path, "exec"))}
    for function in functions:
        old = function.__code__
        if old.co_filename == path and (new := codes.get((old.co_qualname, old.co_firstlineno))) is not None:
            function.__code__ = new


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def run_session(trials: Trials, tests: Sequence[str]) -> None:
    """Collect the tests and try the mutants, in a forked process, so that this one imports nothing of Eyechart."""
    child = os.fork()
    if child == 0:
        try:
            sys.stdout.flush()
            quiet = os.open(os.devnull, os.O_WRONLY)
            os.dup2(quiet, 1)
            pytest.main([*OPTIONS, *tests], plugins=[trials])
        finally:
            os._exit(0)
    os.waitpid(child, 0)
