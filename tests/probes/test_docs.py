"""Every probe has a page in docs/probes with its question and a current table of its metrics."""

import importlib.util
import re
from pathlib import Path

import pytest

from eyechart.probes.registry import get_probe, probe_names

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "probes"


def _script():
    spec = importlib.util.spec_from_file_location("write_metric_tables", ROOT / "scripts" / "write_metric_tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", probe_names())
def test_page_shows_the_question_and_the_current_metrics(name):
    path = PAGES / f"{name}.md"
    assert path.exists(), f"docs/probes/{name}.md is missing"
    page, probe = path.read_text(encoding="utf-8"), get_probe(name)
    assert page.startswith(f"# {name}\n\n**{probe.question}**\n")
    assert _script().with_table(page, probe) == page, "run python scripts/write_metric_tables.py"


def test_every_page_belongs_to_a_probe():
    assert {path.stem for path in PAGES.glob("*.md")} == set(probe_names())


@pytest.mark.parametrize("name", probe_names())
def test_pictures_of_a_page_exist(name):
    for picture in re.findall(r"\]\((\.\./pictures/[^)]+)\)", (PAGES / f"{name}.md").read_text(encoding="utf-8")):
        assert (PAGES / picture).resolve().exists(), picture


@pytest.mark.parametrize("name", probe_names())
def test_metric_titles_are_not_ids(name):
    for metric in get_probe(name).metrics:
        assert "_" not in metric.title, metric.title
