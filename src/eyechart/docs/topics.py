"""Which pages of documentation there are, and which one answers a question."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from eyechart.errors import UsageError, did_you_mean

# Where a short name is looked for, in this order: `prompts` is the page about prompt sets, not that of the probe.
_FOLDERS = ("", "probes/", "tutorials/")


@dataclass(frozen=True)
class DocsPage:
    """One page.

    topic: Its path below docs/ without the suffix, e.g. "probes/ood".
    path: The Markdown file.
    """

    topic: str
    path: Path

    @property
    def text(self) -> str:
        """Its Markdown."""
        return self.path.read_text(encoding="utf-8")

    @property
    def title(self) -> str:
        """Its first heading."""
        lines = (line for line in self.text.splitlines() if line.startswith("# "))
        return next(lines, self.topic).removeprefix("# ").strip()

    @property
    def name(self) -> str:
        """The shortest word that `eyechart docs` takes for it."""
        short = self.topic.rpartition("/")[2]
        found = page_of(short)
        return short if found is not None and found.topic == self.topic else self.topic


def docs_folder() -> Path | None:
    """The folder of the pages: inside an installed package, or docs/ of a source checkout; None where there is neither."""
    here = Path(__file__).resolve().parent
    checkout = here.parents[2] / "docs"
    folders = [folder for folder in (here / "pages", checkout) if (folder / "index.md").is_file()]
    return folders[0] if folders else None


@cache
def all_pages() -> tuple[DocsPage, ...]:
    """Every page, in the order of its topic."""
    root = docs_folder()
    if root is None:
        return ()
    files = {file.relative_to(root).with_suffix("").as_posix(): file for file in root.rglob("*.md")}
    return tuple(DocsPage(topic, files[topic]) for topic in sorted(files))


def page_of(name: str) -> DocsPage | None:
    """The page about a topic or a probe; None where there is none, e.g. for a probe of another package.

    Example:
        >>> page_of("ood").topic
        'probes/ood'
    """
    by_topic = {page.topic: page for page in all_pages()}
    found = (by_topic.get(folder + name) for folder in _FOLDERS)
    return next((page for page in found if page is not None), None)


def page_of_probe(probe: str) -> DocsPage | None:
    """The page of a probe, also where a topic has the same name (`prompts`)."""
    return page_of(f"probes/{probe}")


def find_page(name: str) -> DocsPage:
    """The page about a topic or a probe, as a user names it.

    Raises:
        UsageError: There is no such page.
    """
    wanted = name.strip().removesuffix(".md").removeprefix("docs/").replace(" ", "-") or "index"
    for spelling in (wanted, wanted.lower(), wanted.lower().replace("-", "_"), wanted.lower().replace("_", "-")):
        page = page_of(spelling)
        if page is not None:
            return page
    if not all_pages():
        raise UsageError("the documentation is not part of this installation; install the wheel, or work in a checkout")
    raise UsageError(f"{name}: no such page{did_you_mean(wanted, [p.name for p in all_pages()])}; `eyechart docs` lists all")


def see(name: str) -> str:
    """What a skip or an error ends with: "see: eyechart docs ood"; nothing where there is no page.

    Example:
        >>> see("probes/prompts")
        'see: eyechart docs probes/prompts'
    """
    page = page_of(name)
    return f"see: eyechart docs {page.name}" if page is not None else ""
