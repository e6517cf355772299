"""The project's own papers agree with each other."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def test_the_backend_environment_has_what_the_core_needs():
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    listed = (ROOT / "requirements" / "backends.txt").read_text().splitlines()
    assert set(needed) <= set(listed)


def test_every_probe_has_a_page_and_a_test():
    names = [p.stem for p in (ROOT / "src/eyechart/probes").glob("[!_]*.py") if p.stem not in {"probe", "registry"}]
    assert names
    for name in names:
        assert (ROOT / "docs" / "probes" / f"{name}.md").is_file()
        assert (ROOT / "tests" / "probes" / f"test_{name}.py").is_file()
        assert f"probes/{name}.md" in (ROOT / "docs" / "index.md").read_text()


def test_links_between_pages_lead_somewhere():
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), ROOT / "benchmarks" / "README.md"]
    for page in pages:
        for target in re.findall(r"\]\(([^)#]+)", page.read_text()):
            if not target.startswith("http"):
                assert (page.parent / target).exists(), f"{page.relative_to(ROOT)} points to {target}"
