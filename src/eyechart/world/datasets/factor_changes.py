"""The factors of ImageNet-X (Idrissi et al., ICLR 2023) as changes to a scene: each changes one factor and nothing else.

`subcategory` has no counterpart: shapes have no subcategories. In a changed scene, the labeled object comes first."""

from collections.abc import Callable, Mapping
from dataclasses import replace

import numpy as np

from eyechart.world.composer import silhouette
from eyechart.world.datasets.added_objects import multiple_objects, object_blocking, person_blocking
from eyechart.world.datasets.ordinary import HUES, ordinary
from eyechart.world.drawing import NAMES, SIZES
from eyechart.world.materials import COLORS
from eyechart.world.scene import Scene

Change = Callable[[Scene, np.random.Generator], Scene]

NO_FACTOR = "none"
_SIZES = SIZES[3:7]  # neither the smallest nor the largest of training
# Rolls at which a change of pose is visible; a ball, a cube, a cross and a ring look the same in every pose.
_TOPPLES: dict[str, tuple[float, ...]] = {
    **dict.fromkeys(NAMES, (90.0, 180.0, 270.0)),
    **dict.fromkeys(("cylinder", "snowflake"), (90.0, 270.0)),
    **dict.fromkeys(("sphere", "cube", "cross", "torus"), ()),
}


def base_scene(rng: np.random.Generator, name: str) -> Scene:
    """A plain, colored object of medium size."""
    scene = ordinary(rng, name, _SIZES)
    return _with(scene, texture="plain", color=str(rng.choice(HUES)))


def changes_of(name: str) -> list[str]:
    """The factors that are visible on a shape, and none."""
    return [NO_FACTOR, *(factor for factor in CHANGES if factor != "pose" or _TOPPLES[name])]


def _with(scene: Scene, **changes: object) -> Scene:
    return replace(scene, things=(replace(scene.things[0], **changes), *scene.things[1:]))  # type: ignore[arg-type]


def _pose(scene: Scene, rng: np.random.Generator) -> Scene:
    """Lying on its side or upside down."""
    return _with(scene, roll=float(rng.choice(_TOPPLES[scene.things[0].name])))


def _background(scene: Scene, rng: np.random.Generator) -> Scene:
    """A background of a strong color, unlike the object's; training has grays only."""
    color = str(rng.choice([hue for hue in HUES if hue != scene.things[0].color]))
    red, green, blue = (0.75 * tone + 0.25 * 128 for tone in COLORS[color])
    return replace(scene, tone=(red, green, blue))


def _pattern(scene: Scene, rng: np.random.Generator) -> Scene:
    """A repeating pattern."""
    return _with(scene, texture=str(rng.choice(("striped", "checked", "spotted"))))


def _color(scene: Scene, rng: np.random.Generator) -> Scene:
    """No hue."""
    return _with(scene, color=str(rng.choice(("white", "black"))))


def _smaller(scene: Scene, rng: np.random.Generator) -> Scene:
    return _with(scene, size=SIZES[0])


def _larger(scene: Scene, rng: np.random.Generator) -> Scene:
    """It fills the picture."""
    return _with(scene, size=0.92, x=0.5, y=0.5)


def _shape(scene: Scene, rng: np.random.Generator) -> Scene:
    """Stretched to a narrow or a wide form."""
    return _with(scene, stretch=float(rng.choice((0.6, 1.6))))


def _partial_view(scene: Scene, rng: np.random.Generator) -> Scene:
    """About half of it is outside the picture."""
    axis, far = str(rng.choice(("x", "y"))), bool(rng.random() < 0.5)
    cut = [_with(scene, **{axis: float(place if far else 1 - place)}) for place in np.linspace(0.85, 1.15, 31)]
    whole = silhouette(_with(scene, x=0.5, y=0.5), 0, 64).sum()
    return min(cut, key=lambda tried: abs(silhouette(tried, 0, 64).sum() / whole - 0.5))


def _texture(scene: Scene, rng: np.random.Generator) -> Scene:
    """Another material: marble."""
    return _with(scene, texture="marbled")


def _darker(scene: Scene, rng: np.random.Generator) -> Scene:
    return replace(scene, level=float(rng.uniform(0.35, 0.5)))


def _brighter(scene: Scene, rng: np.random.Generator) -> Scene:
    return replace(scene, level=float(rng.uniform(1.4, 1.7)))


def _style(scene: Scene, rng: np.random.Generator) -> Scene:
    """A flat drawing or a sketch instead of a rendering."""
    return replace(scene, style=str(rng.choice(("flat", "sketch"))))


CHANGES: Mapping[str, Change] = {
    "pose": _pose,
    "background": _background,
    "pattern": _pattern,
    "color": _color,
    "smaller": _smaller,
    "shape": _shape,
    "partial_view": _partial_view,
    "texture": _texture,
    "larger": _larger,
    "darker": _darker,
    "object_blocking": object_blocking,
    "person_blocking": person_blocking,
    "style": _style,
    "brighter": _brighter,
    "multiple_objects": multiple_objects,
}
