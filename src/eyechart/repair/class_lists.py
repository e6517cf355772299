"""The list of classes before and after a change of it."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from eyechart.arrays import Flags
from eyechart.data.class_design import ClassDesign, read_design
from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.design_change import changed
from eyechart.errors import DataError, UsageError


@dataclass(frozen=True, eq=False)
class Lists:
    """`harmful_before`, `harmful_after`: which of the classes do harm, as the class design says."""

    before: ClassList
    after: ClassList
    harmful_before: Flags
    harmful_after: Flags

    @property
    def changed(self) -> bool:
        return self.before != self.after


def class_lists(classes: ClassList | None, design: str = "", change: str = "") -> Lists:
    """The dataset's own classes, or those of a class design; and the same after a change (see `design_change`).

    In the dataset's own list every label is a group: "+teddy:toy" gives the label "toy" a second class, and either answer is
    right where "toy" is; "toy->plaything" says the label in another word."""
    found = _of_design(design, change) if design else _of_dataset(classes, change)
    for of in (found.before, found.after):
        if len(of) < 2:
            only = of[0].name if len(of) else "none"
            raise DataError(f"{of.name}: a classifier has two classes at least to choose from, and here is {only!r} alone")
    return found


def known_labels(labels: Iterable[str | None], lists: Lists) -> int:
    """How many pictures have a label that some class has, before or after."""
    known = {c.label for of in (lists.before, lists.after) for c in of}
    return sum(label in known for label in labels)


def _of_design(design: str, change: str) -> Lists:
    before = read_design(design)
    after = changed(before, change) if change else before
    return Lists(before.classes(), after.classes(), _harmful(before), _harmful(after))


def _of_dataset(classes: ClassList | None, change: str) -> Lists:
    if classes is None:
        raise DataError("the dataset has no class names; give --classes")
    after_own = _after_change(classes, change) if change else classes
    return Lists(classes, after_own, np.zeros(len(classes), np.bool_), np.zeros(len(after_own), np.bool_))


def _after_change(classes: ClassList, change: str) -> ClassList:
    names = [c.name for c in classes]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"change {change!r}: two classes are called {twice!r}; give them distinct names first")
    known = {(c.label, c.name): c for c in classes}
    after = changed(ClassDesign(classes.name, {c.label: (c.name,) for c in classes}), change)
    pairs = [(label, name) for label, of_label in after.groups.items() for name in of_label]
    return ClassList(after.name, tuple(known.get(pair, PictureClass(*pair)) for pair in pairs), classes.source)


def _harmful(design: ClassDesign) -> Flags:
    return np.array([design.group_of[name] in design.harmful for name in design.names], np.bool_)
