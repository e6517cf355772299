"""The folder `workbench` of a run, in which the workbench writes all its files."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from eyechart.files.atomic import remove_abandoned
from eyechart.files.locks import hold

FOLDER = "workbench"


@contextmanager
def writing_to(run: Path) -> Iterator[Path]:
    """The folder, for one process at a time: of two that read, change and write a file at once, one would lose its change.

    What a killed process left unfinished is removed."""
    folder = run / FOLDER
    with hold(folder / ".lock"):
        remove_abandoned(folder, below=False)
        yield folder
