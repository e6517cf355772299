"""Write the table of probes in docs/index.md from the probes' own questions, and the profiles of docs/profiles.md.

python scripts/write_index.py
"""

import re
from pathlib import Path

from eyechart.probes.registry import get_probe, probe_names
from eyechart.profiles import PROFILES

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "index.md"
PROFILES_PAGE = DOCS / "profiles.md"
_TABLE = re.compile(r"(\| probe \| question \|\n\| --- \| --- \|\n)(?:\|[^\n]*\n)*")
_PROFILES = re.compile(r"(\| profile \| what it asks \| probes \|\n\| --- \| --- \| --- \|\n)(?:\|[^\n]*\n)*")


def with_table(text: str) -> str:
    """The page with the present table."""
    rows = "".join(f"| [{name}](probes/{name}.md) | {get_probe(name).question} |\n" for name in probe_names())
    return _TABLE.sub(lambda head: head[1] + rows, text)


def with_profiles(text: str) -> str:
    """The page with the present table of profiles."""
    probes = [get_probe(name) for name in probe_names()]
    members = {profile: [f"[{p.name}](probes/{p.name}.md)" for p in probes if profile in p.profiles] for profile in PROFILES}
    rows = "".join(f"| `{name}` | {about} | {', '.join(members[name]) or 'all'} |\n" for name, about in PROFILES.items())
    return _PROFILES.sub(lambda head: head[1] + rows, text)


if __name__ == "__main__":
    PAGE.write_text(with_table(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    PROFILES_PAGE.write_text(with_profiles(PROFILES_PAGE.read_text(encoding="utf-8")), encoding="utf-8")
