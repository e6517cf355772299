"""The soft shadow of a card: its outline projected on the ground; dark at the base, lighter and softer farther away."""

import numpy as np
import numpy.typing as npt

from eyechart.world.sprites import LIGHTS, SHADOW_REACH, Map, tilt

SIDE = 160  # pixels of the sheet
_BANDS = 32
# Studio light is broad: its shadow is shorter than that of a single lamp and fades before the outline's top.
_REACH, _TOP = 0.6, 1.5
_THICK = 0.17  # extent on the ground towards the camera, in half widths of the card: the object is not flat


def card_shadow(outline: Map, stretch: float, light: str, elevation: float) -> Map:
    """Darkness on a sheet that spans SHADOW_REACH half widths and half heights to each side of the card's center.

    A band of the outline at the height q above the foot (in half heights) falls on the ground at x + q·across, and is seen at
    q·up above the foot: a point (x, q, 0) of the world moves along the light until it meets the ground, which is seen from above
    by `elevation`."""
    towards = tilt(elevation).T @ np.asarray(LIGHTS[light])
    across = -_REACH * towards[0] / towards[1] / stretch
    up = _REACH * np.sin(np.deg2rad(elevation)) * towards[2] / towards[1]
    line = ((np.arange(SIDE) + 0.5) / SIDE * 2 - 1) * SHADOW_REACH
    from scipy.ndimage import gaussian_filter1d  # takes a while to load

    pixel = 2 * SHADOW_REACH / SIDE
    thick = float(np.clip(_THICK * stretch, 0.06, 0.3))
    light_left = np.ones((SIDE, SIDE))
    for band, rows in enumerate(np.array_split(np.flipud(outline), _BANDS)):
        q = 2 * (band + 0.5) / _BANDS
        faint = max(0.0, 1 - q / _TOP) ** 2 * 0.24
        if faint:
            cover = np.interp(line - q * across, np.linspace(-1, 1, rows.shape[1]), rows.mean(axis=0), left=0.0, right=0.0)
            wide = gaussian_filter1d(cover, (0.07 + 0.12 * q) / pixel)
            deep = np.exp(-0.5 * ((line - (1 - q * up - 0.9 * thick)) / (thick * (1 + 0.4 * q))) ** 2)
            light_left *= 1 - faint * deep[:, None] * wide[None, :]
    return _faded(1 - light_left, line).astype(np.float32)


def _faded(dark: npt.NDArray[np.float64], line: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """A fade to zero at the sheet's edge, so that a longer shadow ends softly."""
    edge = np.clip((SHADOW_REACH - np.abs(line)) / 0.6, 0, 1)
    return np.asarray(dark * edge[:, None] * edge[None, :])
