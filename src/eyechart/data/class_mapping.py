"""Which classes of two lists are the same."""

import numpy as np

from eyechart.arrays import Flags
from eyechart.data.classes import ClassList


def class_mapping(source: ClassList, shifted: ClassList) -> Flags:
    """[shifted classes, source classes]: which source classes stand for a class of the shifted set.

    Those that it lists in `same_as`, else the class with its label, else the only class with its name.
    """
    labels = {c.label: i for i, c in enumerate(source)}
    names: dict[str, set[int]] = {}
    for i, c in enumerate(source):
        for name in c.names:
            names.setdefault(name.casefold(), set()).add(i)
    found = np.zeros((len(shifted), len(source)), bool)
    for row, c in enumerate(shifted):
        named = [labels[label] for label in c.same_as or (c.label,) if label in labels]
        called = [names[n.casefold()] for n in c.names if len(names.get(n.casefold(), ())) == 1]
        found[row, named or (list(called[0]) if called and not c.same_as else [])] = True
    return found


def shared_classes(source: ClassList, shifted: ClassList) -> list[str]:
    """The labels of the source classes that the shifted set has too."""
    shared = np.flatnonzero(class_mapping(source, shifted).any(axis=0))
    return [source[int(place)].label for place in shared]
