"""Prompt sets: those that ship with Eyechart, and files that users write."""

from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path

from eyechart.errors import DataError, UsageError, did_you_mean
from eyechart.files.records import Table, parse_json
from eyechart.files.text import read_text
from eyechart.prompts.prompt_set import PromptSet

_SETS = files("eyechart.prompts") / "sets"


@dataclass(frozen=True)
class _ShippedSet:
    name: str
    source: str
    license: str
    templates: tuple[str, ...]


def prompt_sets() -> list[PromptSet]:
    """Every set that ships with Eyechart, sorted by name."""
    return [_named(name) for name in _names()]


def load_prompts(spec: str | Path) -> PromptSet:
    """Load a prompt set by its name, or from a file: .txt with one template per line, or .json with a list of templates.

    Example:
        >>> len(load_prompts("openai-80"))
        80
    """
    if str(spec) in _names():
        return _named(str(spec))
    path = Path(spec)
    if not path.is_file():
        known = ", ".join(_names())
        hint = did_you_mean(str(spec), _names())
        raise UsageError(f"prompts {str(spec)!r}: neither a prompt set ({known}) nor a file of templates{hint}")
    placed = _templates_of_json(path) if path.suffix.lower() == ".json" else _templates_of_text(path)
    _check(placed, path)
    return PromptSet(name=path.name, templates=tuple(template for _, template in placed), source=f"file {path.name}")


def _names() -> list[str]:
    return sorted(entry.name.removesuffix(".json") for entry in _SETS.iterdir() if entry.name.endswith(".json"))


def _named(name: str) -> PromptSet:
    file = f"{name}.json"
    shipped = Table(file, parse_json((_SETS / file).read_text(encoding="utf-8"), file)).into(_ShippedSet)
    return PromptSet(shipped.name, shipped.templates, f"{shipped.source}; license: {shipped.license}")


Placed = list[tuple[str, str]]  # place for messages, and the template


def _templates_of_text(path: Path) -> Placed:
    lines = read_text(path).splitlines()
    return [(f"row {number}", line.strip()) for number, line in enumerate(lines, 1) if line.strip()]


def _templates_of_json(path: Path) -> Placed:
    listed = parse_json(read_text(path), str(path), remedy="write a list of templates")
    if isinstance(listed, dict):  # the layout of the sets that ship with Eyechart
        listed = listed.get("templates")
    if not isinstance(listed, list) or not all(isinstance(template, str) for template in listed):
        raise DataError(f'{path}: not a list of templates; write ["a photo of a {{}}.", …]')
    return [(f"template {number}", template.strip()) for number, template in enumerate(listed, 1)]


def _check(placed: Placed, path: Path) -> None:
    if not placed:
        raise DataError(f"{path}: it contains no templates; write one per line, such as: a photo of a {{}}.")
    first: dict[str, str] = {}
    for where, template in placed:
        count = template.count("{}")
        if count != 1:
            found = "no {}" if count == 0 else f"{count} times {{}}"
            raise DataError(f"{path}, {where}: {found} in {template!r}; write {{}} once, in place of the class name")
        if template in first:
            raise DataError(f"{path}, {where}: {template!r} is already in {first[template]}; remove one")
        first[template] = where
