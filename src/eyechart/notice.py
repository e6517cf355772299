"""A notice: a warning that names the place, what is odd there and what to do about it."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Notice:
    """Its texts are of one line and safe to print, whatever the file names in them hold."""

    where: str
    what: str
    remedy: str = ""

    def __post_init__(self) -> None:
        for name in ("where", "what", "remedy"):
            object.__setattr__(self, name, one_line(getattr(self, name)))

    def __str__(self) -> str:
        return f"{self.where}: {self.what}" + (f" ({self.remedy})" if self.remedy else "")


def counted(n: int, one: str, many: str | None = None) -> str:
    """'1 picture', '3 pictures'."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def shortened(things: Sequence[str], shown: int = 5, letters: int = 60) -> str:
    """The first few of a list, each cut to a readable length."""
    cut = [t if len(t) <= letters else t[: letters - 1] + "…" for t in things[:shown]]
    return "; ".join(cut) + ("; …" if len(things) > shown else "")


def one_line(text: str) -> str:
    """The text with blanks for its line ends and tabs, and U+FFFD for other control characters: an escape sequence in a file
    name must not reach a terminal. Bytes of a file name that are no text are spelled out."""
    if text.isprintable():
        return text
    spelled = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(_shown(sign) for sign in spelled)


def _shown(sign: str) -> str:
    if sign in "\t\n\v\f\r\x85\u2028\u2029":
        return " "
    return "\ufffd" if unicodedata.category(sign) == "Cc" else sign
