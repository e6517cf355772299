"""A class list as it is edited: classes with their names, kinds and the labels that they are right for."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eyechart.data.class_design import ClassDesign
from eyechart.data.classes import ClassList
from eyechart.errors import UsageError

MOST_CLASSES, MOST_NAMES, MOST_TEMPLATES, MOST_CHARACTERS = 2000, 32, 200, 300


@dataclass(frozen=True)
class LiveClass:
    """A class.

    names: Its name, then synonyms. Each is put into each template.
    group: The kind of classes that it belongs to; in a dataset's own list, its label.
    labels: The labels for which predicting it is correct.
    """

    names: tuple[str, ...]
    group: str
    labels: tuple[str, ...]

    @property
    def name(self) -> str:
        return self.names[0]


@dataclass(frozen=True)
class LiveDesign:
    """A class list.

    classes: The classes; those of one group follow one another.
    templates: The prompt templates.
    harmful: The harmful groups.
    attributes: The columns that define subgroups; empty for all suitable ones.
    title: What it is called.
    of_dataset: Whether it is made from the classes of the dataset, in place of a class design.
    """

    classes: tuple[LiveClass, ...]
    templates: tuple[str, ...]
    harmful: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()
    title: str = "classes"
    of_dataset: bool = False

    @cached_property
    def class_design(self) -> ClassDesign:
        groups: dict[str, tuple[str, ...]] = {}
        for c in self.classes:
            groups[c.group] = (*groups.get(c.group, ()), c.name)
        harmful = tuple(group for group in self.harmful if group in groups)
        synonyms = {c.name: c.names[1:] for c in self.classes if len(c.names) > 1}
        labels = {c.name: others for c in self.classes if (others := tuple(x for x in c.labels if x != c.name))}
        return ClassDesign(self.title, groups, harmful, self.attributes, "", "the workbench", synonyms, labels)

    def to_json(self) -> dict[str, Any]:
        return {
            "classes": [{"names": list(c.names), "group": c.group, "labels": list(c.labels)} for c in self.classes],
            "templates": list(self.templates),
            "harmful": list(self.harmful),
            "attributes": list(self.attributes),
            "title": self.title,
            "of_dataset": self.of_dataset,
        }


def from_dataset(classes: ClassList, templates: tuple[str, ...]) -> LiveDesign:
    """The dataset's own classes; every label is a group, as in `repair`."""
    listed = tuple(LiveClass(c.names, c.label, (c.label,)) for c in classes)
    return LiveDesign(listed, templates, title=classes.name, of_dataset=True)


def from_names(names: Sequence[str], templates: tuple[str, ...]) -> LiveDesign:
    """Class names that were typed; none is right for a label."""
    content = [{"names": [name], "group": name, "labels": []} for name in dict.fromkeys(names)]
    return parse_live_design({"classes": content, "templates": list(templates), "title": "typed classes", "of_dataset": True})


def from_class_design(design: ClassDesign, templates: tuple[str, ...]) -> LiveDesign:
    """A class design; a class is right for the labels that `class_change` takes it to be right for."""
    listed = tuple(LiveClass(c.names, design.group_of[c.name], design.labels_of(c.name)) for c in design.classes())
    return LiveDesign(listed, templates, design.harmful, design.attributes, design.name)


def continued_names(before: LiveDesign, after: LiveDesign) -> tuple[str, ...]:
    """For each class of a list the name of the class of another list that it goes on as; its own name where there is none.

    A class goes on as the one that has its name: itself, or a merged class. A class that was reworded goes on as the only class
    of the dataset's list that is new and right for one of its labels. Merging and rewording alone thus move no picture.
    """
    of_name = {name: c for c in reversed(after.classes) for name in c.names}
    known = {c.name for c in before.classes}
    new = [c for c in after.classes if after.of_dataset and known.isdisjoint(c.names)]
    found = []
    for c in before.classes:
        reworded = [other for other in new if not set(c.labels).isdisjoint(other.labels)]
        found.append(of_name[c.name] if c.name in of_name else reworded[0] if len(reworded) == 1 else c)
    return tuple(c.name for c in found)


def parse_live_design(content: Any) -> LiveDesign:
    """The design that a request describes.

    Raises:
        UsageError: If it is not one, or is too large.
    """
    if not isinstance(content, Mapping) or not isinstance(content.get("classes"), list):
        raise UsageError("the design must be an object with a list of classes")
    of_dataset = bool(content.get("of_dataset"))
    classes = [_class(c, of_dataset) for c in content["classes"][: MOST_CLASSES + 1]]
    if not 2 <= len(classes) <= MOST_CLASSES:
        raise UsageError(f"a design needs 2 to {MOST_CLASSES:,} classes")
    names = [c.name for c in classes]
    repeated = next((n for n in names if names.count(n) > 1), None) if len(set(names)) < len(names) else None
    if repeated is not None and not of_dataset:
        raise UsageError(f"class {repeated!r} is listed twice; a class belongs to one group")
    order = {group: place for place, group in enumerate(dict.fromkeys(c.group for c in classes))}
    templates = _texts(content.get("templates"), MOST_TEMPLATES, "templates")
    lacking = next((t for t in templates if "{}" not in t), None)
    if not templates or lacking is not None:
        raise UsageError(f"template {lacking!r}: every template needs {{}} for the class name" if lacking else "no template")
    return LiveDesign(
        tuple(sorted(classes, key=lambda c: order[c.group])),
        templates,
        _texts(content.get("harmful") or [], MOST_CLASSES, "harmful"),
        _texts(content.get("attributes") or [], 100, "attributes"),
        _text(content.get("title") or "design"),
        of_dataset,
    )


def _class(content: Any, of_dataset: bool) -> LiveClass:
    if not isinstance(content, Mapping):
        raise UsageError("every class must be an object with names, group and labels")
    names = _texts(content.get("names"), MOST_NAMES, "names")
    if not names:
        raise UsageError("a class has no name; type one, or drop the class")
    group = _text(content.get("group") or "")
    if not group:
        raise UsageError(f"class {names[0]!r} has no group")
    labels = _texts(content.get("labels") or [], MOST_CLASSES, "labels")
    return LiveClass(names, group, labels if of_dataset else tuple(dict.fromkeys((names[0], *labels))))


def _texts(content: Any, most: int, what: str) -> tuple[str, ...]:
    if not isinstance(content, list) or len(content) > most:
        raise UsageError(f"{what} must be a list of at most {most:,} texts")
    return tuple(found for text in content if (found := _text(text)))


def _text(content: Any) -> str:
    if not isinstance(content, str) or len(content) > MOST_CHARACTERS or any(ord(c) < 32 for c in content):
        raise UsageError(f"a name or template must be one line of at most {MOST_CHARACTERS} characters")
    return content.strip()


def design_toml(design: LiveDesign) -> str:
    """The file that `--design` reads.

    Raises:
        UsageError: If two classes have one name, or a class is called like a label that it is not right for.
    """
    names = [c.name for c in design.classes]
    if len(set(names)) < len(names):
        raise UsageError("two classes have the same name; give them distinct names first")
    known = {label for c in design.classes for label in c.labels}
    misleading = next((c.name for c in design.classes if c.name in known and c.name not in c.labels), None)
    if misleading is not None:
        raise UsageError(
            f"class {misleading!r} is not right for the label {misleading!r}, which a design file cannot say; give the class "
            "another name, or save the classifier instead"
        )
    made = design.class_design
    lines = [f"about = {_quoted(f'made in the workbench from {design.title}')}", 'source = "the workbench"']
    lines += [f"harmful = {_list(made.harmful)}"]
    lines += [f"attributes = {_list(made.attributes)}"] if made.attributes else []
    lines += ["", "[groups]", *(f"{_quoted(group)} = {_list(members)}" for group, members in made.groups.items())]
    for key, of_class in {"synonyms": made.synonyms, "labels": made.labels}.items():
        if of_class:
            lines += ["", f"[{key}]", *(f"{_quoted(name)} = {_list(texts)}" for name, texts in of_class.items())]
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)  # a JSON string without surrogates is a TOML string


def _list(texts: Sequence[str]) -> str:
    return f"[{', '.join(map(_quoted, texts))}]"
