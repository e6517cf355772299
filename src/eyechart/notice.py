"""A notice: a warning that names the place, what is odd there and what to do about it."""

from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Notice:
    where: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" + (f" ({self.remedy})" if self.remedy else "")


def counted(n: int, one: str, many: str | None = None) -> str:
    """'1 picture', '3 pictures'."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def shortened(things: Sequence[str], shown: int = 5, letters: int = 60) -> str:
    """The first few of a list, each cut to a readable length."""
    cut = [t if len(t) <= letters else t[: letters - 1] + "…" for t in things[:shown]]
    return "; ".join(cut) + ("; …" if len(things) > shown else "")
