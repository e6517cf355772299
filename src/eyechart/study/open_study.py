"""The study that commands work with: your own tables, and the published ones that ship with Eyechart."""

from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from eyechart.study.contents import origins_held
from eyechart.study.shipped_tables import ShippedTable, read_shipped_table, shipped_tables
from eyechart.study.study_file import default_study_path, merge, read_study


@dataclass(frozen=True)
class TableUsed:
    """A table of an opened study.

    origin: Its name.
    models: Number of its models.
    values: Number of its values.
    shipped: The record of a table that ships with Eyechart; None for one of yours.
    """

    origin: str
    models: int
    values: int
    shipped: ShippedTable | None = None

    @property
    def source(self) -> str:
        """Where it is from: "shipped with Eyechart (MIT)", or "yours"."""
        return f"shipped with Eyechart ({self.shipped.license})" if self.shipped else "yours"


@dataclass(frozen=True)
class OpenedStudy:
    """A study, and what it was made of.

    table: All rows.
    shipped: The tables among them that ship with Eyechart.
    """

    table: pa.Table
    shipped: tuple[ShippedTable, ...]

    def with_findings(self, rows: pa.Table) -> "OpenedStudy":
        """The study with the rows of an examination, which replace older ones of the same kind."""
        return OpenedStudy(merge(self.table, rows), self.shipped)

    @property
    def used(self) -> tuple[TableUsed, ...]:
        """Every table, by name."""
        by_name = {table.origin: table for table in self.shipped}
        return tuple(
            TableUsed(held["origin"], held["models"], held["values"], by_name.get(held["origin"]))
            for held in origins_held(self.table)
        )


def open_study(path: Path | None = None) -> OpenedStudy:
    """A study.

    Args:
        path: A file to use alone, as it is. None: the default file, where there is one, and every shipped table that it does not
            have itself: a table that you added replaces the shipped one.
    """
    if path is not None:
        return OpenedStudy(read_study(path), ())
    own = read_study(default_study_path(), may_be_new=True)
    held = set(own["origin"].unique().to_pylist())
    shipped = tuple(table for table in shipped_tables() if table.origin not in held)
    tables = [read_shipped_table(table.origin) for table in shipped]
    return OpenedStudy(pa.concat_tables([*tables, own]).unify_dictionaries().combine_chunks(), shipped)
