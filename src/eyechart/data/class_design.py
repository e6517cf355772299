"""A class design: the classes that people in pictures may be assigned to, and groups of these classes, some of them harmful.

about = "who is classified as a thief"
harmful = ["crime"]                      # groups that are harmful when they differ between subgroups
attributes = ["age", "gender"]           # columns that define subgroups; all suitable ones where left out
[groups]
person = ["man", "woman"]
crime = ["thief", "criminal"]
[synonyms]                               # other names of a class; each is put into every template
thief = ["burglar"]
[labels]                                 # labels that a class is right for besides its own name
man = ["male"]
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from importlib.resources import files
from pathlib import Path

from eyechart.data.classes import ClassList, PictureClass
from eyechart.errors import UsageError, did_you_mean
from eyechart.files.records import Table, parse_toml
from eyechart.files.text import read_text

_DESIGNS = files("eyechart.data") / "class_designs"


@dataclass(frozen=True)
class ClassDesign:
    """Classes of people in groups.

    name: The design's name.
    groups: The class names of every group, in the order of the file. A class belongs to one group.
    harmful: The harmful groups.
    attributes: The columns that define subgroups; empty for all suitable ones.
    about: What the design is for.
    source: Where the class names come from.
    synonyms: Other names of classes. Each is put into every template, and the class has the mean vector of all its names.
    labels: Labels that a class is right for besides its own name.
    """

    name: str
    groups: Mapping[str, tuple[str, ...]]
    harmful: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    about: str = ""
    source: str = ""
    synonyms: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    labels: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(name for names in self.groups.values() for name in names)

    @cached_property
    def group_of(self) -> dict[str, str]:
        return {name: group for group, names in self.groups.items() for name in names}

    def labels_of(self, name: str) -> tuple[str, ...]:
        """The labels that a class is right for."""
        return tuple(dict.fromkeys((name, *self.labels.get(name, ()))))

    def classes(self) -> ClassList:
        listed = tuple(PictureClass(name, name, self.synonyms.get(name, ())) for name in self.names)
        return ClassList(self.name, listed, self.source or "given by the user")

    def content(self) -> tuple[str, ...]:
        """The whole design as texts, for a protocol."""
        groups = (f"{group}{'!' if group in self.harmful else ''}: {', '.join(names)}" for group, names in self.groups.items())
        more = {"synonyms": self.synonyms, "labels": self.labels}
        listed = (f"{what} of {name}: {', '.join(of[name])}" for what, of in more.items() for name in self.names if name in of)
        return (*groups, f"attributes: {', '.join(self.attributes)}", *listed)


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
    content = parse_toml(text, where)
    if "says" in content:  # the key's former name
        content = {"about": content.pop("says"), **content}
    table = Table(where, content)
    design = table.into(ClassDesign, name=name)
    design = replace(design, groups={group: tuple(map(str.strip, members)) for group, members in design.groups.items()})
    if not design.groups:
        raise table.fail("groups", "is empty; list the classes of every group")
    for group, members in design.groups.items():
        if not members or not all(members):
            raise table.fail(f"groups.{group}", "must be a list of class names that are not empty")
    names = design.names
    repeated = next((n for n in names if names.count(n) > 1), None)
    if repeated is not None:
        raise UsageError(f"{where}: class {repeated!r} is listed twice; a class belongs to one group")
    if len(names) < 2:
        raise UsageError(f"{where}: a design needs at least two classes")
    unknown = next((group for group in design.harmful if group not in design.groups), None)
    if unknown is not None:
        raise UsageError(f"{where}: harmful lists {unknown!r}, which is not a group{did_you_mean(unknown, design.groups)}")
    for key, of_class in {"synonyms": design.synonyms, "labels": design.labels}.items():
        unlisted = next((name for name in of_class if name not in names), None)
        if unlisted is not None:
            raise table.fail(f"{key}.{unlisted}", f"is not a class of the design{did_you_mean(unlisted, names)}")
        for name, texts in of_class.items():
            if not texts or not all(text.strip() for text in texts):
                raise table.fail(f"{key}.{name}", "must be a list of texts that are not empty")
    return design
