"""The project's own papers agree with each other."""

import re
import runpy
import textwrap
import tomllib
from pathlib import Path

import pytest

from eyechart.probes import registry

ROOT = Path(__file__).resolve().parent.parent


def test_the_backend_environment_has_what_the_core_needs():
    needed = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    listed = (ROOT / "requirements" / "backends.txt").read_text().splitlines()
    assert set(needed) <= set(listed)


def test_the_lock_file_has_every_package_with_a_hash_and_names_no_index():
    """`make lock` writes it again after a change of the dependencies."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = [*project["dependencies"], *project["optional-dependencies"]["dev"]]
    text = (ROOT / "requirements" / "ci.txt").read_text()
    pinned = re.findall(r"^([A-Za-z0-9._-]+)==\S+.*\\\n    --hash=sha256:[0-9a-f]{64}", text, re.M)
    assert len(pinned) == len(re.findall(r"^[A-Za-z0-9]", text, re.M))
    plain = {name.lower().replace("_", "-") for name in pinned}
    assert {re.match(r"[A-Za-z0-9._-]+", w)[0].lower().replace("_", "-") for w in wanted} <= plain
    assert "://" not in text


def test_the_bill_of_materials_has_packages_and_bundled_scripts():
    names = {component["name"] for component in runpy.run_path(str(ROOT / "scripts" / "write_sbom.py"))["sbom"]()["components"]}
    assert {"numpy", "pyarrow", "pillow", "vega", "vega-lite", "vega-embed"} <= names


def test_every_probe_has_a_page_and_a_test():
    names = registry.probe_names()
    assert len(names) > 20
    for name in names:
        assert (ROOT / "docs" / "probes" / f"{name}.md").is_file()
        assert list((ROOT / "tests" / "probes").rglob(f"test_{name}.py"))
        row = f"| [{name}](probes/{name}.md) | {registry.get_probe(name).question} |"
        assert row in (ROOT / "docs" / "index.md").read_text(), "run `make docs`"


def test_the_table_of_profiles_is_current():
    writer = runpy.run_path(str(ROOT / "scripts" / "write_index.py"))
    page = (ROOT / "docs" / "profiles.md").read_text()
    assert writer["with_profiles"](page) == page, "run `make docs`"


def test_every_picture_of_the_docs_is_shown_and_drawn_by_a_script():
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    shown = {
        name
        for page in pages
        for name in re.findall(r"\]\((?:\.\./|docs/)?pictures/([\w-]+)\.png\)", page.read_text(encoding="utf-8"))
    }
    assert {file.stem for file in (ROOT / "docs" / "pictures").iterdir()} == shown
    scripts = "".join((ROOT / "scripts" / f"{name}.py").read_text(encoding="utf-8") for name in _DRAWING)
    made = set(re.findall(r'"([\w-]+)(?:\.png)?"', scripts))
    sheets = re.search(r"for made in \((.*?)\)", scripts, re.S).group(1)
    made |= {f"world-{name.replace('_', '-')}" for name in re.findall(r"\w+", sheets)}
    assert shown - made == set()


_DRAWING = (
    "make_probe_charts",
    "make_contact_sheets",
    "make_bank_sheet",
    "make_tutorial_pictures",
    "write_zoo_page",
    "make_workbench_pictures",
)


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


@pytest.mark.slow
def test_the_example_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("EYECHART_STORE", str(tmp_path / "store"))
    exec(code_of("README.md"), {})
    assert (tmp_path / "demo" / "report" / "index.html").is_file()


def test_every_page_is_in_the_contents_of_the_site():
    """`make site` fails otherwise, which is noticed late."""
    sections = runpy.run_path(str(ROOT / "site" / "conf.py"))["SECTIONS"]
    pages = {path.relative_to(ROOT / "docs").with_suffix("").as_posix() for path in (ROOT / "docs").rglob("*.md")}
    assert {page for listed in sections.values() for page in listed} == pages - {"index"}
