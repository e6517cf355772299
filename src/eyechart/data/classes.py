"""Class lists: what a label is called, and its other names."""

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class PictureClass:
    """`label` is what the data says (a folder name, a WordNet id); `name` is what the model is told. `same_as`: labels of another
    list's classes that mean this one, such as the ImageNet classes that ObjectNet calls one thing."""

    label: str
    name: str
    synonyms: tuple[str, ...] = ()
    same_as: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name, *self.synonyms)


@dataclass(frozen=True)
class ClassList:
    name: str
    classes: tuple[PictureClass, ...]
    source: str = "given by the user"

    def __len__(self) -> int:
        return len(self.classes)

    def __iter__(self) -> Iterator[PictureClass]:
        return iter(self.classes)

    def __getitem__(self, index: int) -> PictureClass:
        return self.classes[index]
