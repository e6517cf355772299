"""Changes of a class design in a short notation: add, drop or rename classes.

"+child:person"        add the class "child" to the group "person", which may be new
"-gorilla"             drop a class
"thief->burglar"       rename a class; it stays in its group, and is right for the labels it was right for
"""

from collections.abc import Mapping
from dataclasses import replace

from eyechart.data.class_design import ClassDesign
from eyechart.errors import UsageError, did_you_mean


def changed(design: ClassDesign, change: str) -> ClassDesign:
    """The design after a change. Several changes are separated by ';' and applied in order."""
    parts = [part for p in change.split(";") if (part := p.strip())]
    if not parts:
        raise UsageError("the change is empty; write '+class:group', '-class' or 'class->other name'")
    result = design
    for part in parts:
        result = _one(result, part)
    if len(result.names) < 2:
        raise UsageError(f"change {change!r}: at least two classes must remain")
    return replace(result, name=f"{design.name} {change}")


def _one(design: ClassDesign, change: str) -> ClassDesign:
    if change.startswith("+"):
        name, colon, group = (part.strip() for part in change[1:].partition(":"))
        if not (name and colon and group):
            raise UsageError(f"change {change!r}: write '+class:group' to add a class")
        if name in design.names:
            raise UsageError(f"change {change!r}: the class already exists, in {design.group_of[name]!r}")
        return replace(design, groups={**design.groups, group: (*design.groups.get(group, ()), name)})
    if change.startswith("-"):
        name = _known(design, change[1:].strip(), change)
        kept = {group: tuple(n for n in names if n != name) for group, names in design.groups.items()}
        return replace(design, groups=kept, synonyms=_without(design.synonyms, name), labels=_without(design.labels, name))
    old, arrow, new = (part.strip() for part in change.partition("->"))
    if not (arrow and new):
        raise UsageError(f"change {change!r}: write '+class:group', '-class' or 'class->other name'")
    _known(design, old, change)
    if new in design.names:
        raise UsageError(f"change {change!r}: {new!r} already is a class")
    renamed = {group: tuple(new if n == old else n for n in names) for group, names in design.groups.items()}
    synonyms, labels = _without(design.synonyms, old), _without(design.labels, old)
    synonyms |= {new: design.synonyms[old]} if old in design.synonyms else {}
    return replace(design, groups=renamed, synonyms=synonyms, labels={**labels, new: design.labels_of(old)})


def _without(texts: Mapping[str, tuple[str, ...]], name: str) -> dict[str, tuple[str, ...]]:
    return {other: of for other, of in texts.items() if other != name}


def _known(design: ClassDesign, name: str, change: str) -> str:
    if name not in design.names:
        raise UsageError(f"change {change!r}: {name!r} is not a class of {design.name}{did_you_mean(name, design.names)}")
    return name
