"""What a picture of the world shows: a scene, a corrupted scene, or a texture."""

from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np

from eyechart.corruptions import corrupt
from eyechart.world.bank import SOLID_BANK, Bank
from eyechart.world.composer import GROUND, Rendering, render
from eyechart.world.materials import COLORS, TEXTURES, second_tone
from eyechart.world.scene import CAMERA_DISTANCE, Scene


class Subject(Protocol):
    """What a picture shows. Its `repr` holds everything that determines the pixels.

    `scene` is None for a mere texture; the objects of the scene come from `bank`."""

    @property
    def scene(self) -> Scene | None: ...

    @property
    def bank(self) -> Bank: ...

    def render(self, side: int) -> Rendering: ...


@dataclass(frozen=True)
class Staged:
    """A plain scene."""

    bank: ClassVar[Bank] = SOLID_BANK
    scene: Scene

    def render(self, side: int) -> Rendering:
        return render(self.scene, side)


@dataclass(frozen=True)
class Banked:
    """A scene of objects from another bank."""

    scene: Scene
    bank: Bank

    def render(self, side: int) -> Rendering:
        return render(self.scene, side, self.bank)


@dataclass(frozen=True)
class Corrupted:
    """A scene with a corruption, which uses the true depth. Masks and depth are those of the scene."""

    bank: ClassVar[Bank] = SOLID_BANK
    scene: Scene
    corruption: str
    severity: int
    seed: int

    def render(self, side: int) -> Rendering:
        clean = render(self.scene, side)
        return replace(clean, picture=corrupt(clean.picture, self.corruption, self.severity, depth=clean.depth, seed=self.seed))


@dataclass(frozen=True)
class Wall:
    """A texture that fills the picture, without a shape. `width` is the picture's width in radii of a solid."""

    bank: ClassVar[Bank] = SOLID_BANK
    texture: str
    color: str
    angle: float  # degrees
    width: float
    level: float
    grain: int

    @property
    def scene(self) -> None:
        return None

    def render(self, side: int) -> Rendering:
        line = ((np.arange(side) + 0.5) / side - 0.5) * self.width
        across, up = np.meshgrid(line, -line, indexing="xy")
        turn = np.deg2rad(self.angle)
        points = np.column_stack(
            [
                (across * np.cos(turn) - up * np.sin(turn)).ravel(),
                (across * np.sin(turn) + up * np.cos(turn)).ravel(),
                np.zeros(side * side),
            ]
        )
        second = TEXTURES[self.texture](points, np.tile([0.0, 0.0, 1.0], (side * side, 1))).reshape(side, side, 1)
        tones = np.asarray(COLORS[self.color]), np.asarray(second_tone(self.color))
        noise = 3.0 * np.random.default_rng((self.grain, 7)).standard_normal((side, side, 3))
        picture = self.level * (tones[0] + second * (tones[1] - tones[0])) + noise
        return Rendering(
            (np.clip(picture, 0, 255) + 0.5).astype(np.uint8),
            np.full((side, side), GROUND, dtype=np.int8),
            np.full((side, side), CAMERA_DISTANCE, dtype=np.float32),
        )
