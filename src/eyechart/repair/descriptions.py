"""Descriptions of classes: from a file, or the attribute words of the embedded world.

A description contains {} for the class name ("a red {}"), or is appended to it ("cube, with six flat sides").
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from eyechart.data.classes import ClassList
from eyechart.errors import DataError, UsageError, did_you_mean
from eyechart.files.records import Table, read_json
from eyechart.notice import Notice, counted, shortened
from eyechart.world.captions import SIZE_WORDS
from eyechart.world.materials import COLORS, TEXTURES

Descriptions = Mapping[str, Sequence[str]]  # class name → its descriptions
Describer = Callable[[Sequence[str]], Descriptions]  # class names → descriptions of those that are known

WORLD = "world"


def describer_of(spec: str, classes: ClassList) -> Describer:
    """Descriptions from `world`, or from a JSON file {class: [description, …]} with labels or names as keys."""
    return world_descriptions if spec == WORLD else file_descriptions(Path(spec), classes)


def phrases(name: str, descriptions: Sequence[str]) -> list[str]:
    """The phrases that replace the class name in a template."""
    return [text.replace("{}", name) if "{}" in text else f"{name}, {text}" for text in descriptions]


def world_descriptions(names: Sequence[str]) -> Descriptions:
    """Every color, texture and size word that captions of the embedded world put before a name."""
    words = [*COLORS, *TEXTURES, *(word for word, _ in SIZE_WORDS)]
    return {name: [f"{word} {{}}" for word in words] for name in names}


@dataclass(frozen=True)
class FileDescriptions:
    """Descriptions from a file.

    file: The file.
    found: Class name → its descriptions.
    """

    file: Path
    found: Descriptions

    def __call__(self, names: Sequence[str]) -> Descriptions:
        return {name: self.found[name] for name in names if name in self.found}


def unused_descriptions(describer: Describer | None, used: Sequence[str]) -> list[Notice]:
    """A warning about classes that a file describes and that are not among those that were described."""
    if not isinstance(describer, FileDescriptions):
        return []
    unused = [name for name in describer.found if name not in used]
    if not unused:
        return []
    what = f"{counted(len(unused), 'class', 'classes')} with descriptions that were not used, since they are not among the worst"
    remedy = "describe all classes with --describe-all, or set how many are the worst with --worst"
    return [Notice(describer.file.name, f"{what}: {shortened(unused)}", remedy)]


def file_descriptions(path: Path, classes: ClassList) -> FileDescriptions:
    """Descriptions from a JSON file {class: [description, …]}."""
    if not path.is_file():
        raise UsageError(f"descriptions {str(path)!r}: there is no such JSON file; give a file or {WORLD!r}")
    table = Table(str(path), read_json(path, remedy="write {class: [description, …]}"), error=DataError)
    name_of = {c.label: c.name for c in classes} | {c.name: c.name for c in classes}
    found: dict[str, list[str]] = {}
    for key in table.content:
        if key not in name_of:
            raise DataError(f"{path}: {key!r} is not among the {len(classes)} classes{did_you_mean(key, name_of)}")
        texts = table.get(key, tuple[str, ...], ())
        if not texts or not all(text.strip() for text in texts):
            raise table.fail(key, "has no description or an empty one; write a list of descriptions")
        found[name_of[key]] = [text.strip() for text in texts]
    return FileDescriptions(path, found)
