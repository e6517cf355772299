"""The guide is in the wheel, where `eyechart docs` looks for it."""

import tomllib
from pathlib import Path

from eyechart.docs import topics

ROOT = Path(__file__).parents[2]


def test_the_wheel_takes_the_pages_to_the_folder_that_is_read():
    wheel = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["hatch"]["build"]["targets"]["wheel"]
    packaged = Path(topics.__file__).parent / "pages"
    assert "docs" in wheel["only-include"]
    assert Path("src", wheel["sources"]["docs"]) == packaged.relative_to(ROOT)
    assert wheel["exclude"] == ["docs/pictures"]


def test_a_checkout_reads_its_own_docs():
    assert topics.docs_folder() == ROOT / "docs"
