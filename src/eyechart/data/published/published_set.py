"""The record that describes a published set, next to its reader."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

if TYPE_CHECKING:  # this module names sets without loading pyarrow
    from eyechart.data.reading import RawDataset

Use = Literal["exam", "shift", "ood"]

UNKNOWN_LICENSE = "see the set's own page"


class ReadsFolder(Protocol):
    """Reads a published set from its folder. DataError says what does not look right."""

    def __call__(self, folder: Path, *, split: str | None, root: Path | None) -> "RawDataset": ...


@dataclass(frozen=True)
class PublishedSet:
    """A published set and how it is read: `NAME:FOLDER`.

    name: The prefix in `NAME:FOLDER`.
    read: The reader. It takes the folder, `split` and `root`, and returns a RawDataset.
    n: Number of pictures of the default split; None where it depends on the copy or on the user.
    license: License or terms of use, or "see the set's own page".
    about: What it is, in one sentence.
    layout: The files that the reader expects in the folder.
    example: What a user would write.
    citation: Authors and year; empty where there is no paper.
    use: "exam" for a set to examine a model on, "shift" for `--shift`, "ood" for `--ood`.
    """

    name: str
    read: ReadsFolder
    n: int | None
    license: str
    about: str
    layout: str
    example: str
    citation: str = ""
    use: Use = "exam"
