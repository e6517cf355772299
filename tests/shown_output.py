"""Does a command print what a page shows? Words must agree; numbers may differ a little between machines."""

import re

ELLIPSIS = "…"  # on a line of its own: lines that the page leaves out
_NUMBER = re.compile(r"[-−+]?\d[\d,]*(?:\.\d+)?")
_PARTS = re.compile(rf"{_NUMBER.pattern}|[^\s\d]+|\d+")


def parts(text: str) -> list[str]:
    """Words and numbers; how lines are wrapped and columns padded does not count."""
    return [part for part in _PARTS.findall(text) if part.strip("─")]


def alike(shown: str, printed: str) -> bool:
    if shown == printed:
        return True
    if not (_NUMBER.fullmatch(shown) and _NUMBER.fullmatch(printed)):
        return False
    one, other = (float(text.replace(",", "").replace("−", "-")) for text in (shown, printed))
    return abs(one - other) <= max(0.3 if "." in shown else 1.0, 0.03 * abs(one)) and ("." in shown) == ("." in printed)


def difference(shown: str, printed: str) -> str:
    """Where the output departs from what the page shows; nothing where it does not."""
    rest = parts(printed)
    segments = [parts(segment) for segment in re.split(rf"^\s*{ELLIPSIS}\s*$", shown, flags=re.M)]
    for place, segment in enumerate(segments):
        starts = range(len(rest) - len(segment) + 1) if place else range(min(1, len(rest) - len(segment) + 1))
        fits = [at for at in starts if all(map(alike, segment, rest[at:]))]
        if not fits:
            return f"not printed: {' '.join(segment)!r}"
        rest = rest[fits[0] + len(segment) :]
    if rest and segments[-1]:
        return f"not on the page: {' '.join(rest)!r}"
    return ""
