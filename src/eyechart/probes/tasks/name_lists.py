"""The names that captions are made of: a list that the settings name, else what the dataset itself speaks of."""

from dataclasses import dataclass

from eyechart.data.class_file import read_classes
from eyechart.data.dataset import Dataset
from eyechart.probes.probe import NotApplicable
from eyechart.probes.tasks.objects import object_names

ELSE = "coco-80"  # where a dataset has neither classes nor objects
LEAST = 3  # names: with two there is no third to take for one of them


@dataclass(frozen=True)
class NameList:
    """`names` are distinct, and compared as they are: "car" is not in "carrot"."""

    title: str
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)


def read_names(spec: str) -> tuple[str, ...]:
    """The distinct names of a list that comes with Eyechart or lies in a file, in its order; () for no list."""
    return tuple(dict.fromkeys(c.name for c in read_classes(spec))) if spec else ()


def names_for(dataset: Dataset, spec: str, words: tuple[str, ...]) -> NameList:
    """`words`, which the settings read from the list `spec`; without them the dataset's classes, the objects in its pictures, or
    the names of COCO. A dataset's names are sorted, so that datasets of the same names are asked with the same captions."""
    if words:
        found = NameList(spec or "the given names", tuple(dict.fromkeys(words)))
    elif dataset.classes is not None:
        found = NameList(f"the classes of {dataset.name}", tuple(sorted({c.name for c in dataset.classes})))
    elif objects := _objects(dataset):
        found = NameList(f"the objects of {dataset.name}", objects)
    else:
        found = NameList(ELSE, read_names(ELSE))
    if len(found) < LEAST:
        raise NotApplicable(f"captions of several names need {LEAST} names to choose from, and {found.title} are {len(found)}")
    return found


def _objects(dataset: Dataset) -> tuple[str, ...]:
    return tuple(sorted(object_names(dataset)))
