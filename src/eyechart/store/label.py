"""The label of a shelf: model, role and way of decoding. Every segment contains it."""

import re
from dataclasses import dataclass

FORMAT = 1
HALF = ".float16"

_SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.]*")


@dataclass(frozen=True, order=True)
class Label:
    """What a shelf contains.

    fingerprint: The model.
    role: What the vectors are of, such as "image" or "text".
    variant: The way of decoding; empty where there is one only. It ends in ".float16" where vectors are stored so.
    """

    fingerprint: str
    role: str
    variant: str = ""

    def __post_init__(self) -> None:
        for part in (self.fingerprint, self.role, *([self.variant] if self.variant else [])):
            if not _SAFE.fullmatch(part):
                raise ValueError(f"{part!r} is not a valid part of a shelf's name: letters, digits, '_' and '.' only")

    @property
    def half(self) -> bool:
        """Whether its vectors are stored in half precision."""
        return self.variant.endswith(HALF)

    @property
    def folder_name(self) -> str:
        return f"{self.role}-{self.variant}" if self.variant else self.role

    @classmethod
    def of_folder(cls, fingerprint: str, folder_name: str) -> "Label | None":
        """The label of a folder; None where it is not a shelf."""
        role, dash, variant = folder_name.partition("-")
        if not all(_SAFE.fullmatch(part) for part in (fingerprint, role, *([variant] if dash else []))):
            return None
        return cls(fingerprint, role, variant)
