"""A notice: a warning that names the place, what is odd there and what to do about it."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Notice:
    where: str
    what: str
    remedy: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" + (f" ({self.remedy})" if self.remedy else "")
