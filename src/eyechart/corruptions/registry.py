"""All corruptions by name, and the one function that applies them."""

from collections.abc import Mapping
from types import MappingProxyType

from eyechart.corruptions.air import AIR
from eyechart.corruptions.blur import BLUR
from eyechart.corruptions.checks import checked_depth, checked_picture, checked_seed, checked_severity
from eyechart.corruptions.coding import CODING
from eyechart.corruptions.corruption import Corruption, Depth, Picture
from eyechart.corruptions.focus import FOCUS
from eyechart.corruptions.lamp import LAMP
from eyechart.corruptions.motion import MOTION
from eyechart.corruptions.sensor import SENSOR
from eyechart.corruptions.tone import TONE
from eyechart.errors import UsageError, did_you_mean

CORRUPTIONS_VERSION = 1  # goes up with every change that moves a pixel: results on corrupted pictures rest on it

CORRUPTIONS: Mapping[str, Corruption] = MappingProxyType(
    {corruption.name: corruption for family in (FOCUS, MOTION, AIR, LAMP, SENSOR, BLUR, TONE, CODING) for corruption in family}
)


def find_corruption(name: str) -> Corruption:
    """The corruption of that name, or an error that says which there are."""
    if name not in CORRUPTIONS:
        hint = did_you_mean(name, CORRUPTIONS)
        raise UsageError(f"there is no corruption called {name!r}{hint} (there are: {', '.join(sorted(CORRUPTIONS))})")
    return CORRUPTIONS[name]


def corrupt(picture: Picture, name: str, severity: int, *, depth: Depth | None = None, seed: int = 0) -> Picture:
    """A new picture [h, w, 3], spoiled by the named corruption at a severity of 1 (slight) to 5 (strong yet recognisable).

    `depth` [h, w] is the distance along the view axis, in any positive unit; corruptions that do without it do not look at it.
    The same arguments give the same picture. Random numbers depend on `seed`, name and severity only: give every picture of a
    dataset its own seed, or all of them get the same grain.

    >>> import numpy as np
    >>> grey = np.full((2, 2, 3), 100, dtype=np.uint8)
    >>> corrupt(grey, "brightness", 1)[0, 0].tolist()
    [126, 126, 126]
    """
    corruption = find_corruption(name)
    checked_picture(picture)
    severity, seed = checked_severity(severity), checked_seed(seed)
    if corruption.needs_depth and depth is not None:
        depth = checked_depth(depth, picture.shape[:2])
    return corruption.apply(picture, depth, severity, seed)
