"""Class lists: the name and the synonyms of every label."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class PictureClass:
    """A class.

    label: How the data spells it: a folder name, a WordNet id.
    name: The class name that is put into prompts.
    synonyms: Other names.
    same_as: Labels of another list that mean this class, such as the ImageNet classes of one ObjectNet class.

    Example:
        >>> PictureClass("n02123045", "tabby", ("tabby cat",)).names
        ('tabby', 'tabby cat')
    """

    label: str
    name: str
    synonyms: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The name and its synonyms."""
        return (self.name, *self.synonyms)


@dataclass(frozen=True)
class ClassList:
    """The classes of a dataset, in order.

    name: The list's name.
    classes: The classes.
    source: Where the names come from.

    Example:
        >>> len(ClassList("pets", (PictureClass("cat", "cat"), PictureClass("dog", "dog"))))
        2
    """

    name: str
    classes: tuple[PictureClass, ...]
    source: str = "given by the user"

    def __len__(self) -> int:
        return len(self.classes)

    def __iter__(self) -> Iterator[PictureClass]:
        return iter(self.classes)

    def __getitem__(self, index: int) -> PictureClass:
        return self.classes[index]
