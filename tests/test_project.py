"""The project's own papers agree with each other."""

import re
import textwrap
import tomllib
from pathlib import Path

import eyechart
from eyechart.probes import registry
from eyechart.registry import Registry
from eyechart.store import Store

ROOT = Path(__file__).resolve().parent.parent


def test_the_backend_environment_has_what_the_core_needs():
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    listed = (ROOT / "requirements" / "backends.txt").read_text().splitlines()
    assert set(needed) <= set(listed)


def test_every_probe_has_a_page_and_a_test():
    names = registry.probe_names()
    assert len(names) > 20
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


def code_of(page: str) -> str:
    """The first block of Python on a page, as a reader would copy it."""
    block = re.search(r"^( *)```python\n(.*?)^\1```", (ROOT / page).read_text(), re.S | re.M)
    return textwrap.dedent(block[2])


def test_the_probe_of_the_contributors_page_works_as_written(tmp_path, monkeypatch):
    (tmp_path / "confidence.py").write_text(code_of("CONTRIBUTING.md"))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "_registry", lambda: Registry("probe", {"confidence": "confidence:confidence"}))
    exam = eyechart.examine(
        "demo:", "world-objects", limit=36, out=tmp_path / "out", prompts=["single", "bare"], store=Store(tmp_path / "store")
    )
    rows = [r for r in exam.findings.to_pylist() if r["metric"] == "best_cosine"]
    assert [r["n"] for r in rows] == [36, 36]
    assert all(-1 <= r["low"] <= r["value"] <= r["high"] <= 1 for r in rows)


def test_the_example_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EYECHART_STORE", str(tmp_path / "store"))
    exec(code_of("README.md"), {})
    assert (tmp_path / "demo" / "report" / "index.html").is_file()
