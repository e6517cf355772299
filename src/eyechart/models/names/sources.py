"""Training sources: what a word in a model's name says of the data it was trained on. Unknown words stay unknown."""

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files


@dataclass(frozen=True)
class Source:
    """`size` counts distinct pictures or picture-text pairs; `seen` the samples its models saw, where that is one number."""

    name: str
    citation: str
    size: int | None = None
    seen: int | None = None


@cache
def known_sources() -> dict[str, Source]:
    """Every word of `sources.toml` with its source."""
    listed = tomllib.loads(files("eyechart.models.names").joinpath("sources.toml").read_text(encoding="utf-8"))["source"]
    return {
        word: Source(entry["name"], entry["citation"], entry.get("size"), entry.get("seen"))
        for entry in listed
        for word in entry["words"]
    }


def find_source(tag: str) -> Source | None:
    """The source a tag begins with: the longest word that ends where a part of the tag ends."""
    parts = tag.lower().split("_")
    for end in range(len(parts), 0, -1):
        source = known_sources().get("_".join(parts[:end]))
        if source:
            return source
    return None
