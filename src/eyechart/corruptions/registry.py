"""All corruptions by name, and the function that applies them."""

from collections.abc import Mapping
from types import MappingProxyType

from eyechart.corruptions.air import AIR
from eyechart.corruptions.aliases import ABSENT, ALIASES
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

CORRUPTIONS_VERSION = 2  # increases with every change of a pixel, since results on corrupted pictures depend on it

CORRUPTIONS: Mapping[str, Corruption] = MappingProxyType(
    {corruption.name: corruption for family in (FOCUS, MOTION, AIR, LAMP, SENSOR, BLUR, TONE, CODING) for corruption in family}
)


def find_corruption(name: str) -> Corruption:
    """The corruption of this name, also of its name in ImageNet-C; UsageError lists the known ones."""
    name = ALIASES.get(name, name)
    if name in ABSENT:
        there = f"there are: {', '.join(sorted(CORRUPTIONS))}"
        raise UsageError(f"{name} of ImageNet-C has no counterpart here ({there}); use ImageNet-C: --shift imagenet-c:FOLDER")
    if name not in CORRUPTIONS:
        hint = did_you_mean(name, [*CORRUPTIONS, *ALIASES])
        raise UsageError(f"there is no corruption called {name!r}{hint} (there are: {', '.join(sorted(CORRUPTIONS))})")
    return CORRUPTIONS[name]


def corrupt(picture: Picture, name: str, severity: int, *, depth: Depth | None = None, seed: int = 0) -> Picture:
    """Corrupt a picture. The same arguments give the same picture.

    Args:
        picture: [h, w, 3] uint8, sRGB.
        name: The corruption.
        severity: From 1 (slight) to 5 (strong, yet recognizable).
        depth: [h, w] distance along the view axis, in any positive unit; only used by corruptions that need it.
        seed: The seed of the random numbers. Give every picture its own, or all get the same noise.

    Returns:
        A new picture [h, w, 3].

    >>> import numpy as np
    >>> gray = np.full((2, 2, 3), 100, dtype=np.uint8)
    >>> corrupt(gray, "brightness", 1)[0, 0].tolist()
    [126, 126, 126]
    """
    corruption = find_corruption(name)
    checked_picture(picture)
    severity, seed = checked_severity(severity), checked_seed(seed)
    if corruption.needs_depth and depth is not None:
        depth = checked_depth(depth, picture.shape[:2])
    return corruption.apply(picture, depth, severity, seed)
