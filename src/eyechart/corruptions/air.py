"""Fog: homogeneous fog that thickens with distance, and patchy fog for pictures without depth."""

import numpy as np
import numpy.typing as npt

from eyechart.corruptions.corruption import Corruption, Depth, Picture, of_picture, of_scene, step, stream
from eyechart.corruptions.depth_planes import depth_planes
from eyechart.corruptions.light import light_of, picture_of_light, picture_of_values, values_of

DENSITY = (0.15, 0.35, 0.6, 0.9, 1.3)  # extinction per median depth
AIRLIGHT = 0.6  # linear light that dense fog scatters into the lens: a bright neutral gray
OPACITY = (0.3, 0.42, 0.54, 0.66, 0.78)  # opacity of patchy fog where it is densest
FOG_VALUE = 0.85  # sRGB value of patchy fog
THINNEST = 0.4  # opacity of patchy fog where it is thinnest, relative to the densest part
_PATCHES = (2, 4, 8, 16, 32)  # cells per side; each octave has half the amplitude of the one before


def fog_3d(picture: Picture, depth: Depth, severity: int, seed: int) -> Picture:
    """Koschmieder's law: light · t + airlight · (1 − t), with the transmission t = exp(−density · d)."""
    transmission = np.exp(-np.float32(step(DENSITY, severity)) * depth_planes(depth).depth)[..., None]
    return picture_of_light(light_of(picture) * transmission + np.float32(AIRLIGHT) * (1 - transmission))


def fog(picture: Picture, severity: int, seed: int) -> Picture:
    """sRGB values mixed with gray, with an opacity that varies smoothly over the picture."""
    clouds = plasma(picture.shape[0], picture.shape[1], stream(seed, "fog", severity))[..., None]
    opacity = np.float32(step(OPACITY, severity)) * (THINNEST + (1 - THINNEST) * clouds)
    return picture_of_values(values_of(picture) * (1 - opacity) + np.float32(FOG_VALUE) * opacity)


def plasma(height: int, width: int, rng: np.random.Generator) -> npt.NDArray[np.float32]:
    """Smooth value noise from 0 to 1, independent of the resolution."""
    clouds = np.zeros((height, width))
    for octave, patches in enumerate(_PATCHES):
        lattice = rng.random((patches + 1, patches + 1))
        clouds += 0.5**octave * (_weights(height, patches) @ lattice @ _weights(width, patches).T)
    lowest, highest = clouds.min(), clouds.max()
    return np.asarray((clouds - lowest) / max(highest - lowest, 1e-12), dtype=np.float32)


def _weights(pixels: int, patches: int) -> npt.NDArray[np.float64]:
    """[pixels, patches + 1]: smooth interpolation weights of the lattice points at every pixel."""
    place = (np.arange(pixels) + 0.5) / pixels * patches
    distance = np.clip(np.abs(place[:, None] - np.arange(patches + 1)), 0, 1)
    return np.asarray(1 - distance**2 * (3 - 2 * distance))


AIR: tuple[Corruption, ...] = (
    of_scene("fog_3d", "Fog that hides distant objects and leaves near ones visible.", fog_3d),
    of_picture("fog", "Patchy fog over the whole picture.", fog),
)
