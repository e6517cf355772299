"""How commands print: one JSON document for scripts, or a table for people."""

import json
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from eyechart.notice import one_line


def print_json(value: Any) -> None:
    # ASCII with escapes: whatever the terminal's or the pipe's encoding, a script reads the same document.
    json.dump(value, sys.stdout, indent=1, default=str)
    sys.stdout.write("\n")


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, title: str | None = None) -> None:
    """A table as wide as the terminal; text in it is never read as markup."""
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(title=title, box=SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(one_line(str(cell))) for cell in row))
    # Where the output goes to a file or a pipe, lines are not folded at 80 columns.
    Console(width=None if sys.stdout.isatty() else 200).print(table)


def print_records(
    records: Sequence[Mapping[str, Any]], columns: Sequence[str], *, as_json: bool, title: str | None = None
) -> None:
    if as_json:
        print_json(list(records))
    else:
        print_table(columns, [[record[c] for c in columns] for record in records], title=title)
