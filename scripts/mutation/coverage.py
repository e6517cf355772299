"""Which lines of the source each test runs."""

import ast
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any


def traced(call: Callable[[], object], folder: Path) -> dict[str, list[int]]:
    """Call a function. The lines of the files in a folder that ran, by file relative to that folder."""
    prefix, hits = f"{folder}/", set()

    def on_line(frame: FrameType, event: str, argument: Any) -> Any:
        hits.add((frame.f_code.co_filename, frame.f_lineno))
        return on_line

    def on_call(frame: FrameType, event: str, argument: Any) -> Any:
        return on_line(frame, event, argument) if frame.f_code.co_filename.startswith(prefix) else None

    before = sys.gettrace()
    threading.settrace(on_call)
    sys.settrace(on_call)
    try:
        call()
    finally:
        sys.settrace(before)
        threading.settrace(before)  # type: ignore[arg-type]
    lines: dict[str, list[int]] = {}
    for file, line in sorted(hits):
        lines.setdefault(file.removeprefix(prefix), []).append(line)
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
