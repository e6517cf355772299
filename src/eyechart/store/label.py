"""What a shelf holds: whose vectors, in which role, under which way of decoding. Every segment carries it."""

import re
from dataclasses import dataclass

FORMAT = 1

_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*")


@dataclass(frozen=True, order=True)
class Label:
    fingerprint: str
    role: str
    variant: str = ""

    def __post_init__(self) -> None:
        for part in (self.fingerprint, self.role, *([self.variant] if self.variant else [])):
            if not _SAFE.fullmatch(part):
                raise ValueError(f"{part!r} cannot name a shelf: letters, digits, '_' and '.' only")

    @property
    def folder_name(self) -> str:
        return f"{self.role}-{self.variant}" if self.variant else self.role

    @classmethod
    def of_folder(cls, fingerprint: str, folder_name: str) -> "Label | None":
        """None where the folder is not one of ours."""
        role, dash, variant = folder_name.partition("-")
        if not all(_SAFE.fullmatch(part) for part in (fingerprint, role, *([variant] if dash else []))):
            return None
        return cls(fingerprint, role, variant)
