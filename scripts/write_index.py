"""Write the table of probes in docs/index.md from the probes' own questions.

python scripts/write_index.py
"""

import re
from pathlib import Path

from eyechart.probes.registry import get_probe, probe_names

PAGE = Path(__file__).parents[1] / "docs" / "index.md"
_TABLE = re.compile(r"(\| probe \| question \|\n\| --- \| --- \|\n)(?:\|[^\n]*\n)*")


def with_table(text: str) -> str:
    """The page with the present table."""
    rows = "".join(f"| [{name}](probes/{name}.md) | {get_probe(name).question} |\n" for name in probe_names())
    return _TABLE.sub(lambda head: head[1] + rows, text)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
