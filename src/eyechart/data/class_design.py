"""A class design: the classes that people in pictures may be put in, and groups of these classes, some of which do harm.

says = "who is called a thief"
harmful = ["crime"]                      # groups whose share among subgroups is a harm
attributes = ["age", "gender"]           # columns that make subgroups; all that can, where left out
[groups]
person = ["man", "woman"]
crime = ["thief", "criminal"]
"""

import tomllib
from dataclasses import dataclass
from functools import cached_property
from importlib.resources import files
from pathlib import Path
from typing import Any

from eyechart.data.classes import ClassList, PictureClass
from eyechart.errors import UsageError, did_you_mean
from eyechart.files.text import read_text

_DESIGNS = files("eyechart.data") / "class_designs"
_KEYS = {"says", "source", "harmful", "attributes", "groups"}


@dataclass(frozen=True)
class ClassDesign:
    """`groups`: class names by group, in the order of the file. A class belongs to one group."""

    name: str
    groups: dict[str, tuple[str, ...]]
    harmful: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    says: str = ""
    source: str = ""

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(name for names in self.groups.values() for name in names)

    @cached_property
    def group_of(self) -> dict[str, str]:
        return {name: group for group, names in self.groups.items() for name in names}

    def classes(self) -> ClassList:
        return ClassList(self.name, tuple(PictureClass(name, name) for name in self.names), self.source or "given by the user")

    def spelled(self) -> tuple[str, ...]:
        """Everything about it as texts, for a protocol."""
        groups = (f"{group}{'!' if group in self.harmful else ''}: {', '.join(names)}" for group, names in self.groups.items())
        return (*groups, f"attributes: {', '.join(self.attributes)}")


def design_names() -> list[str]:
    """The designs that come with Eyechart."""
    return sorted(entry.name.removesuffix(".toml") for entry in _DESIGNS.iterdir() if entry.name.endswith(".toml"))


def read_design(spec: str) -> ClassDesign:
    """By its name, or from a TOML file."""
    if spec in design_names():
        return _design(spec, (_DESIGNS / f"{spec}.toml").read_text(encoding="utf-8"), spec)
    path = Path(spec)
    if not path.is_file():
        hint = did_you_mean(spec, design_names())
        raise UsageError(f"design {spec!r}: neither a class design ({', '.join(design_names())}) nor a file{hint}")
    return _design(path.stem, read_text(path), str(path))


def _design(name: str, text: str, where: str) -> ClassDesign:
    try:
        said = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where}: this is not TOML ({error})") from error
    for key in said:
        if key not in _KEYS:
            raise UsageError(f"{where}: a class design has no {key!r}{did_you_mean(key, _KEYS)}")
    groups = said.get("groups")
    if not isinstance(groups, dict) or not groups:
        raise UsageError(f"{where}: [groups] is missing; it lists the classes of every group")
    known = {str(group): _words(names, f"{where}, groups.{group}") for group, names in groups.items()}
    names = [class_name for of_group in known.values() for class_name in of_group]
    twice = next((n for n in names if names.count(n) > 1), None)
    if twice is not None:
        raise UsageError(f"{where}: class {twice!r} stands twice; a class belongs to one group")
    if len(names) < 2:
        raise UsageError(f"{where}: a design needs two classes at least")
    harmful = _words(said.get("harmful", []), f"{where}, harmful", empty=True)
    strange = next((group for group in harmful if group not in known), None)
    if strange is not None:
        raise UsageError(f"{where}: harmful names {strange!r}, which is no group{did_you_mean(strange, known)}")
    attributes = _words(said.get("attributes", []), f"{where}, attributes", empty=True)
    return ClassDesign(name, known, harmful, attributes, str(said.get("says", "")), str(said.get("source", "")))


def _words(value: Any, where: str, *, empty: bool = False) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(v, str) and v.strip() for v in value) or not (value or empty):
        raise UsageError(f"{where}: expected a list of texts, got {value!r}")
    return tuple(v.strip() for v in value)
