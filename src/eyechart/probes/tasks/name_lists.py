"""Lists of object names for template captions: from the settings, or from the dataset's classes or objects."""

from dataclasses import dataclass

from eyechart.data.class_file import read_classes
from eyechart.data.dataset import Dataset
from eyechart.probes.contract import NotApplicable
from eyechart.probes.tasks.objects import object_names

DEFAULT_LIST = "coco-80"  # where a dataset has neither classes nor objects
LEAST = 3  # names: with two, a caption of two names has no distractor


@dataclass(frozen=True)
class NameList:
    """Distinct object names.

    title: Where they come from.
    names: The names.
    """

    title: str
    names: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.names)


def read_names(spec: str) -> tuple[str, ...]:
    """The distinct names of a packaged list or of a file, in their order; () for no list."""
    return tuple(dict.fromkeys(c.name for c in read_classes(spec))) if spec else ()


def names_for(dataset: Dataset, spec: str, words: tuple[str, ...]) -> NameList:
    """Choose the names: `words`, else the dataset's classes, else its objects, else the 80 names of COCO.

    The names of a dataset are sorted, so that datasets with the same names get the same captions.

    Args:
        dataset: The dataset.
        spec: The name of the list that `words` was read from.
        words: Names from the settings.

    Raises:
        NotApplicable: There are fewer than three names.
    """
    if words:
        found = NameList(spec or "the given names", tuple(dict.fromkeys(words)))
    elif dataset.classes is not None:
        found = NameList(f"the classes of {dataset.name}", tuple(sorted({c.name for c in dataset.classes})))
    elif objects := _objects(dataset):
        found = NameList(f"the objects of {dataset.name}", objects)
    else:
        found = NameList(DEFAULT_LIST, read_names(DEFAULT_LIST))
    if len(found) < LEAST:
        raise NotApplicable(f"captions need at least {LEAST} object names, and {found.title} are {len(found)}")
    return found


def _objects(dataset: Dataset) -> tuple[str, ...]:
    return tuple(sorted(object_names(dataset)))
