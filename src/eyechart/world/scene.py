"""A scene: objects on a ground plane in front of an orthographic camera. It holds everything that determines the picture."""

from dataclasses import dataclass, field, replace

import numpy as np

from eyechart.world.sprites import View, rests_at

BACKGROUNDS = ("plain", "shaded", "striped", "tiled", "cloudy")
STYLES = ("solid", "flat", "sketch")
CAMERA_DISTANCE = 4.0  # in sides of the picture, from the camera plane to the center of the ground


@dataclass(frozen=True)
class Camera:
    """An orthographic camera that looks at the center of the ground: `azimuth` around it and `elevation` above it, in degrees."""

    azimuth: float = 0.0
    elevation: float = 28.0


@dataclass(frozen=True)
class Thing:
    """An object of a scene.

    `x` and `y` are its center in the picture (0 to 1, y downwards), `size` the diameter of its bounding sphere as a share of the
    picture's side. Parts of a figure have their own colors in `paints`.

    With a `picture` (its index in a bank) it is a card that faces the camera at the depth of its base: `stretch` is width over
    height, `size` the square root of their product. It has its own colors, so `color` and `texture` are empty."""

    name: str
    color: str
    texture: str = "plain"
    x: float = 0.5
    y: float = 0.5
    size: float = 0.5
    yaw: float = 0.0
    roll: float = 0.0
    stretch: float = 1.0
    paints: tuple[tuple[str, str], ...] = ()
    picture: int | None = None

    def view(self, camera: Camera) -> View:
        return View(self.yaw + camera.azimuth, self.roll, camera.elevation)

    def above_ground(self) -> float:
        """The height of the center above the ground, in sides of the picture."""
        if self.picture is not None:
            return float(self.size / 2 / self.stretch**0.5)
        return rests_at(self.name, self.roll) * self.size / 2

    def foot(self, camera: Camera) -> float:
        """The y coordinate in the picture of the ground below the center."""
        return self.y + self.rise(camera)

    def rise(self, camera: Camera) -> float:
        """The height of the center above its base in the picture, in sides of the picture."""
        if self.picture is not None:
            return self.above_ground()
        return self.above_ground() * float(np.cos(np.deg2rad(camera.elevation)))

    def distance(self, camera: Camera) -> float:
        """The depth of the center, from the camera plane, in sides of the picture."""
        e = np.deg2rad(camera.elevation)
        ground = CAMERA_DISTANCE + (0.5 - self.foot(camera)) / float(np.tan(e))
        if self.picture is not None:
            return ground
        return ground - self.above_ground() * float(np.sin(e))


@dataclass(frozen=True)
class Scene:
    things: tuple[Thing, ...]
    background: str = "plain"
    tone: tuple[float, float, float] = (178.0, 178.0, 178.0)
    light: str = "left"
    level: float = 1.0
    style: str = "solid"
    camera: Camera = field(default_factory=Camera)
    grain: int = 0  # the seed of background patterns and sensor noise
    noise: float = 3.0  # sensor noise, in levels of 255

    def far_to_near(self) -> list[int]:
        """The painting order: objects lower in the picture are nearer."""
        return sorted(range(len(self.things)), key=lambda i: self.things[i].foot(self.camera))


def seen_from(scene: Scene, camera: Camera) -> Scene:
    """The same scene from another camera."""
    return replace(scene, camera=camera, things=tuple(_moved(t, scene.camera, camera) for t in scene.things))


def _moved(thing: Thing, before: Camera, after: Camera) -> Thing:
    across, away = thing.x - 0.5, (0.5 - thing.foot(before)) / float(np.sin(np.deg2rad(before.elevation)))
    # Objects rotate with the ground: a camera rotated by +a sees them rotated by +a about the vertical.
    turn = np.deg2rad(after.azimuth - before.azimuth)
    x = across * float(np.cos(turn)) - away * float(np.sin(turn))
    z = across * float(np.sin(turn)) + away * float(np.cos(turn))
    e = np.deg2rad(after.elevation)
    foot = 0.5 - z * float(np.sin(e))
    return replace(thing, x=x + 0.5, y=foot - thing.rise(after))
