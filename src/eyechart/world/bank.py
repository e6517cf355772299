"""A bank: where the looks of things come from. The solids are one; any folder of cut-out pictures is another (`folder_bank`)."""

from typing import Protocol

from eyechart.world.scene import Camera, Thing
from eyechart.world.solids import SOLIDS
from eyechart.world.sprites import Map, Sprite, shadow, sprite


class Bank(Protocol):
    """The things of one scene all come from one bank."""

    @property
    def names(self) -> tuple[str, ...]:
        """What there is, in an order that does not change."""

    def sprite(self, thing: Thing, camera: Camera, light: str, width: int, height: int) -> Sprite:
        """Its look on a sheet that spans REACH radii to each side of its centre."""

    def shadow(self, thing: Thing, camera: Camera, light: str, width: int, height: int) -> Map:
        """Its darkness on the ground, from 0 to 1, on a sheet that spans SHADOW_REACH radii to each side of its centre."""


class SolidBank:
    """The solids of the embedded world."""

    names = tuple(SOLIDS)

    def sprite(self, thing: Thing, camera: Camera, light: str, width: int, height: int) -> Sprite:
        return sprite(thing.name, thing.view(camera), light, width, height)

    def shadow(self, thing: Thing, camera: Camera, light: str, width: int, height: int) -> Map:
        return shadow(thing.name, thing.view(camera), light, width, height)


SOLID_BANK = SolidBank()
