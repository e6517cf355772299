"""Training data, by the words that name it in model names. Unknown words stay unknown."""

from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from eyechart.files.records import Table, parse_toml


@dataclass(frozen=True)
class Source:
    """A training dataset.

    name: Its name.
    citation: The paper or page.
    size: The number of distinct pictures or image-text pairs; None where unknown.
    seen: The number of samples seen by its models, where that is one number.
    """

    name: str
    citation: str
    size: int | None = None
    seen: int | None = None


@dataclass(frozen=True)
class _Listed:
    words: tuple[str, ...]
    name: str
    citation: str
    size: int | None = None
    seen: int | None = None


@cache
def known_sources() -> dict[str, Source]:
    """The source of every word in `sources.toml`."""
    content = parse_toml(files("eyechart.models.names").joinpath("sources.toml").read_text(encoding="utf-8"), "sources.toml")
    listed = Table("sources.toml", content).get("source", tuple[_Listed, ...])
    return {word: Source(entry.name, entry.citation, entry.size, entry.seen) for entry in listed for word in entry.words}


def find_source(tag: str) -> Source | None:
    """The source a tag begins with: the longest word that ends where a part of the tag ends."""
    parts = tag.lower().split("_")
    for end in range(len(parts), 0, -1):
        source = known_sources().get("_".join(parts[:end]))
        if source:
            return source
    return None
