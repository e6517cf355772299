"""`world-shifts`: ordinary pictures, the same under natural shifts, and the same under every corruption at five severities."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count

import numpy as np

from eyechart.corruptions import CORRUPTIONS, SEVERITIES
from eyechart.world.captions import captions
from eyechart.world.datasets.ordinary import SHAPES, appearance, ordinary
from eyechart.world.datasets.world_dataset import Shot, Streams, WorldDataset
from eyechart.world.drawing import NAMES
from eyechart.world.scene import Camera, Scene
from eyechart.world.subjects import Corrupted, Staged, Subject

NATURAL = ("poster", "sketch", "dark", "elevation")
_STEEP = 62.0  # degrees; training looks down by 28
_LATER = (3, 5, 1, 4, 2)  # the order of severities: a part of the dataset begins with the middle one


@dataclass(frozen=True)
class _Version:
    kind: str
    shift: str
    severity: int = 0


_VERSIONS = (
    _Version("none", "none"),
    *(_Version("natural", shift) for shift in NATURAL),
    *(_Version("corruption", name, severity) for severity in _LATER for name in CORRUPTIONS),
)
assert sorted(_LATER) == list(SEVERITIES)


def draw(streams: Streams) -> Iterator[Shot]:
    """Eighteen sources, one of each shape, in every version; then eighteen more."""
    for row in count():
        place = row % (len(NAMES) * len(_VERSIONS))
        version, name = _VERSIONS[place // len(NAMES)], NAMES[place % len(NAMES)]
        source = row - place + place % len(NAMES)  # the row of the original picture
        scene = ordinary(streams.picture(source), name)
        rng = streams.change(row)
        if version.kind == "natural":
            scene = _shifted(scene, version.shift, rng)
        subject: Subject = Staged(scene)
        if version.severity:
            subject = Corrupted(scene, version.shift, version.severity, int(rng.integers(2**31)))
        yield Shot(
            _id(row, name, version),
            subject,
            label=name,
            captions=tuple(captions(scene.things, streams.words(source))),
            attributes={
                **appearance(scene),
                "kind": version.kind,
                "shift": version.shift,
                "severity": version.severity,
                "source_id": _id(source, name, _VERSIONS[0]),
            },
        )


def _id(row: int, name: str, version: _Version) -> str:
    done = [version.shift] * (version.kind != "none") + [str(version.severity)] * (version.severity > 0)
    return "-".join([f"{row:05d}", name, *done])


def _shifted(scene: Scene, shift: str, rng: np.random.Generator) -> Scene:
    """The same object at the same position: on a poster, as a sketch, in the dark, or from a higher viewpoint."""
    if shift == "poster":
        red, green, blue = rng.uniform(140, 215) + rng.uniform(-38, 38, 3)
        return replace(scene, style="flat", tone=(float(red), float(green), float(blue)))
    if shift == "sketch":
        return replace(scene, style="sketch")
    if shift == "dark":
        return replace(scene, level=float(rng.uniform(0.35, 0.5)))
    return replace(scene, camera=Camera(elevation=_STEEP))


SHIFTS = WorldDataset(
    name="world-shifts",
    number=1005,
    about="ordinary pictures, their natural shifts, and every corruption of them at five severities, with the true depth",
    usual=2 * len(NAMES) * len(_VERSIONS),
    draw=draw,
    classes=SHAPES,
)
