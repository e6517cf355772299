"""Output of commands: one JSON document for scripts, or a table for people."""

import json
import sys
from collections.abc import Mapping, Sequence
from io import StringIO
from typing import Any, TextIO

from eyechart.notice import one_line


def say(*lines: object, file: TextIO | None = None) -> None:
    """Print lines of text. Names of files, datasets and models in them cannot control the terminal or begin another line."""
    print("\n".join(one_line(str(line)) for line in lines), file=file, flush=True)


class Terminal(StringIO):
    """Standard output where it is a terminal: names in rows cannot control it. Files and pipes get rows as they are."""

    def write(self, text: str) -> int:
        return sys.stdout.write("\n".join(one_line(line) for line in text.replace("\r\n", "\n").split("\n")))


def print_json(value: Any) -> None:
    # ASCII with escapes, so that the document does not depend on the encoding of the terminal or pipe.
    json.dump(value, sys.stdout, indent=1, default=str)
    sys.stdout.write("\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str | None = None) -> None:
    """A table as wide as the terminal; its text is never interpreted as markup."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=None if title is None else Text(one_line(title)), box=SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(one_line(str(cell))) for cell in row))
    # Output to a file or a pipe is not wrapped at 80 columns.
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def print_records(
    records: Sequence[Mapping[str, Any]], columns: Sequence[str], *, as_json: bool, title: str | None = None
) -> None:
    if as_json:
        print_json(list(records))
    else:
        print_table(columns, [[record[c] for c in columns] for record in records], title=title)
