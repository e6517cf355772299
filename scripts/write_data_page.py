"""Fill the table of published sets in docs/data.md from their records.

python scripts/write_data_page.py
"""

import re
from pathlib import Path

from eyechart.data.published.registry import PUBLISHED_SETS, published_set

PAGE = Path(__file__).parents[1] / "docs" / "data.md"
_TABLE = re.compile(r"(<!-- published sets -->\n).*?(<!-- end -->)", re.S)


def table() -> str:
    """The table in Markdown, one row per set of this package."""
    lines = ["| name | what it is | layout | pictures | use | license |", "| --- | --- | --- | --- | --- | --- |"]
    for name in PUBLISHED_SETS:
        record = published_set(name)
        about = f"{record.about} {record.citation}." if record.citation else record.about
        n = "–" if record.n is None else f"{record.n:,}"
        use = "examine" if record.use == "exam" else f"`--{record.use}`"
        layout = record.layout.replace("<", "&lt;").replace(">", "&gt;").replace("*", "\\*")
        lines.append(f"| `{name}` | {about} | {layout} | {n} | {use} | {record.license} |")
    return "\n".join(lines) + "\n"


def filled(page: str) -> str:
    """The page with the present table."""
    return _TABLE.sub(lambda marks: f"{marks[1]}{table()}{marks[2]}", page)


if __name__ == "__main__":
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
