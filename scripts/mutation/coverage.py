"""Which lines of the source each test runs."""

import ast
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import pytest


@dataclass(eq=False)
class Tracer:
    """Collects the lines that run in the files of some folders.

    It is a plugin of pytest, too: fixtures that several tests share are set up by the first of them, so their lines and seconds
    are kept apart, and count for every test that uses them.

    folders: The folders.
    hits: File and line of what ran.
    fixtures: Id of the definition of a fixture → its seconds, and the lines that it ran.
    """

    folders: Sequence[Path]
    hits: set[tuple[str, int]] = field(default_factory=set)
    fixtures: dict[int, tuple[float, set[tuple[str, int]]]] = field(default_factory=dict)

    def __call__(self, call: Callable[[], object]) -> set[tuple[str, int]]:
        """Call a function; file and line of what ran."""
        inside, self.hits = tuple(f"{folder}/" for folder in self.folders), set()

        def on_line(frame: FrameType, event: str, argument: Any) -> Any:
            self.hits.add((frame.f_code.co_filename, frame.f_lineno))
            return on_line

        def on_call(frame: FrameType, event: str, argument: Any) -> Any:
            return on_line(frame, event, argument) if frame.f_code.co_filename.startswith(inside) else None

        before = sys.gettrace()
        threading.settrace(on_call)
        sys.settrace(on_call)
        try:
            call()
        finally:
            sys.settrace(before)
            threading.settrace(before)  # type: ignore[arg-type]
        return self.hits

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: object) -> Generator[None, Any, Any]:
        outer, self.hits, begin = self.hits, set(), time.process_time()
        try:
            return (yield)
        finally:
            self.fixtures[id(fixturedef)] = (time.process_time() - begin, self.hits)
            self.hits = outer | self.hits


def by_file(hits: Iterable[tuple[str, int]], root: Path) -> dict[str, list[int]]:
    """File relative to a folder → the lines that ran."""
    lines: dict[str, list[int]] = {}
    for file, line in sorted(hits):
        lines.setdefault(str(Path(file).relative_to(root)), []).append(line)
    return lines


def statement_lines(tree: ast.Module) -> dict[int, range]:
    """For each line, the lines of the statement that it is in. Of a statement with a body, only its head counts."""
    lines: dict[int, range] = {}
    for node in ast.walk(tree):  # the outer ones first
        if isinstance(node, ast.stmt):
            body = getattr(node, "body", None)
            end = max(node.lineno, body[0].lineno - 1) if body else node.end_lineno or node.lineno
            statement = range(node.lineno, end + 1)
            lines.update(dict.fromkeys(statement, statement))
    return lines
