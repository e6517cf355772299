"""The guide as a site, made by Sphinx from the Markdown of docs/: `make site`. Warnings are errors, so a dead link fails."""

import re
from pathlib import Path

from eyechart import __version__

DOCS = Path(__file__).parents[1] / "docs"

project = "Eyechart"
author = "The Eyechart developers"
release = version = __version__
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
root_doc = "index"
myst_heading_anchors = 3
html_theme = "furo"
html_title = f"Eyechart {version}"
html_copy_source = False
html_show_copyright = False
nitpicky = True

# The table of contents of the sidebar. Every page must be in it: Sphinx warns of one that is not.
SECTIONS = {
    "Tutorials": ["tutorials/ship", "tutorials/paper-figure", "tutorials/audit"],
    "Use it": [
        "commands",
        "python",
        "profiles",
        "plans",
        "data",
        "models",
        "answering-models",
        "onnx-folder",
        "prompts",
        "corruptions",
    ],
    "Read the results": ["report", "workbench", "findings", "predictions", "compare", "gate", "study", "intervals"],
    "Improve a model": ["repair", "caption-repair", "caption-guide"],
    "Probes": sorted(f"probes/{page.stem}" for page in (DOCS / "probes").glob("*.md")),
    "Embedded pictures and models": ["world", "zoo", "banks"],
    "Inside": ["encoding", "clusters", "store", "reliability"],
}


# Links to files of the repository that are not pages of the site.
OUTSIDE = re.compile(r"\[([^\]]+)\]\((?:\.\./)+((?:CONTRIBUTING|README|SECURITY|benchmarks/)[^)]*)\)")


def adapt(app, name: str, source: list[str]) -> None:
    """Name files outside docs/, and append the table of contents to the first page: docs/ stays plain Markdown."""
    source[0] = OUTSIDE.sub(r"\1 (`\2` in the repository)", source[0])
    if name == root_doc:
        for section, pages in SECTIONS.items():
            listed = "\n".join(pages)
            source[0] += f"\n```{{toctree}}\n:hidden:\n:caption: {section}\n\n{listed}\n```\n"


def setup(app) -> None:
    app.connect("source-read", adapt)
