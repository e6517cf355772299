"""The class list before and after a change."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Flags
from eyechart.data.class_design import ClassDesign, read_design
from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.design_change import changed
from eyechart.errors import DataError, UsageError


@dataclass(frozen=True, eq=False)
class ClassLists:
    """The class list before and after a change.

    before: The original classes.
    after: The changed classes; the same where there is no change.
    harmful_before: Which of the original classes the class design marks as harmful.
    harmful_after: Which of the changed classes it marks as harmful.
    """

    before: ClassList
    after: ClassList
    harmful_before: Flags
    harmful_after: Flags

    @property
    def changed(self) -> bool:
        return self.before != self.after


def class_lists(classes: ClassList | None, design: str = "", change: str = "") -> ClassLists:
    """The dataset's classes, or those of a class design, and the same after a change (see `design_change`).

    In a dataset's class list every label is a group: "+teddy:toy" adds a second class to the label "toy", and either prediction
    is correct for it; "toy->plaything" renames the class.
    """
    found = _from_design(classes, design, change) if design else _from_dataset(classes, change)
    for listed in (found.before, found.after):
        if len(listed) < 2:
            only = f"only {listed[0].name!r}" if len(listed) else "none"
            raise DataError(f"{listed.name}: a classifier needs at least two classes, and there is {only}; add class names")
    return found


def known_labels(labels: Iterable[str | None], lists: ClassLists) -> int:
    """How many pictures have a label that a class has, before or after the change."""
    known = {c.label for classes in (lists.before, lists.after) for c in classes}
    return sum(label in known for label in labels)


def _from_design(classes: ClassList | None, design: str, change: str) -> ClassLists:
    before = read_design(design)
    after = changed(before, change) if change else before
    labels = {c.label for c in classes or ()}
    return ClassLists(_labeled(before, labels), _labeled(after, labels), _harmful(before), _harmful(after))


def _labeled(design: ClassDesign, labels: Collection[str]) -> ClassList:
    """The classes of a design, each with the one label of the dataset that it is right for; its own name where it has none.

    Raises:
        UsageError: If a class is right for several labels of the dataset, which the classifier file cannot hold.
    """
    listed = []
    for c in design.classes():
        mine = [label for label in design.labels_of(c.name) if label in labels]
        if len(mine) > 1:
            raise UsageError(
                f"{design.name}: class {c.name!r} is right for several labels ({', '.join(mine)}), and a classifier has one for "
                "each class; give these pictures one label, or save the classifier in the workbench"
            )
        listed.append(replace(c, label=mine[0] if mine else c.label))
    return replace(design.classes(), classes=tuple(listed))


def _from_dataset(classes: ClassList | None, change: str) -> ClassLists:
    if classes is None:
        raise DataError("the dataset has no class names; name them with --classes")
    after_own = _after_change(classes, change) if change else classes
    return ClassLists(classes, after_own, np.zeros(len(classes), np.bool_), np.zeros(len(after_own), np.bool_))


def _after_change(classes: ClassList, change: str) -> ClassList:
    names = [c.name for c in classes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"change {change!r}: two classes are named {twice!r}; give them distinct names first")
    known = {(c.label, c.name): c for c in classes}
    after = changed(ClassDesign(classes.name, {c.label: (c.name,) for c in classes}), change)
    pairs = [(label, name) for label, names in after.groups.items() for name in names]
    return ClassList(after.name, tuple(known.get(pair, PictureClass(*pair)) for pair in pairs), classes.source)


def _harmful(design: ClassDesign) -> Flags:
    return np.array([design.group_of[name] in design.harmful for name in design.names], np.bool_)
