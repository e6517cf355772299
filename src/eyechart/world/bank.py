"""A bank: the source of the objects' appearance. The solids are one; a folder of cut-out pictures is another (`folder_bank`)."""

from typing import Protocol

from eyechart.world.scene import Camera, Thing
from eyechart.world.solids import SOLIDS
from eyechart.world.sprites import Map, Sprite, shadow, sprite


class Bank(Protocol):
    """A source of objects. All objects of a scene come from one bank."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of its objects, in a fixed order."""

    def sprite(self, thing: Thing, camera: Camera, light: str, width: int, height: int) -> Sprite:
        """An object's appearance, on a sheet of REACH radii to each side of its center."""

    def shadow(self, thing: Thing, camera: Camera, light: str, width: int, height: int) -> Map:
        """An object's shadow from 0 to 1, on a sheet of SHADOW_REACH radii to each side of its center."""


class SolidBank:
    """The solids of the embedded world."""

    names = tuple(SOLIDS)

    def sprite(self, thing: Thing, camera: Camera, light: str, width: int, height: int) -> Sprite:
        return sprite(thing.name, thing.view(camera), light, width, height)

    def shadow(self, thing: Thing, camera: Camera, light: str, width: int, height: int) -> Map:
        return shadow(thing.name, thing.view(camera), light, width, height)


SOLID_BANK = SolidBank()
