"""Notices: warnings that name the place, the problem and what to do about it."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

# Marks, embeddings, overrides and isolates of the bidirectional algorithm (Unicode Standard Annex 9).
_DIRECTION = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


@dataclass(frozen=True)
class Notice:
    """A warning. Its texts are one line each and safe to print, whatever file names they contain.

    where: The place, such as a file.
    what: The problem.
    remedy: What to do; empty where nothing is needed.
    """

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


def shortened(items: Sequence[str], shown: int = 5, letters: int = 60) -> str:
    """The first items of a list, each shortened to a readable length."""
    cut = [t if len(t) <= letters else t[: letters - 1] + "…" for t in items[:shown]]
    return "; ".join(cut) + ("; …" if len(items) > shown else "")


def one_line(text: str) -> str:
    """The text on one line: spaces for line ends and tabs, U+FFFD for other control characters and for characters that change the
    direction of writing, escapes for invalid bytes.

    An escape sequence in a file name must not reach a terminal, nor a character that makes a name look like another one.

    >>> one_line("gpj.\u202etac\x1b[2J")
    'gpj.\ufffdtac\ufffd[2J'
    """
    if text.isprintable():
        return text
    escaped = text.encode("utf-8", "backslashreplace").decode("utf-8")
    return "".join(_shown(sign) for sign in escaped)


def _shown(sign: str) -> str:
    if sign in "\t\n\v\f\r\x85\u2028\u2029":
        return " "
    return "\ufffd" if unicodedata.category(sign) == "Cc" or sign in _DIRECTION else sign
