"""Light and stored values. Lenses, air and lamps act on light, which adds up; files store its sRGB code, which does not."""

import numpy as np
import numpy.typing as npt

from eyechart.corruptions.corruption import Picture

Light = npt.NDArray[np.float32]  # 0 is black, 1 is white; more than 1 is over-exposed


def _decoded(stored: npt.NDArray[np.float64]) -> Light:
    """IEC 61966-2-1, from stored values of 0 to 1."""
    return np.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4).astype(np.float32)


_LIGHT_OF_BYTE = _decoded(np.arange(256) / 255)


def light_of(picture: Picture) -> Light:
    """[h, w, 3] bytes to light."""
    return _LIGHT_OF_BYTE[picture]


def picture_of_light(light: Light) -> Picture:
    """The photograph of such light: cut off at black and white, sRGB-coded and rounded."""
    exposed = np.clip(light, 0, 1)
    return picture_of_values(np.where(exposed <= 0.0031308, 12.92 * exposed, 1.055 * exposed ** np.float32(1 / 2.4) - 0.055))


def values_of(picture: Picture) -> npt.NDArray[np.float32]:
    """[h, w, 3] bytes to stored values of 0 to 1, for what software does to a picture."""
    return picture.astype(np.float32) / np.float32(255)


def picture_of_values(values: npt.NDArray[np.floating]) -> Picture:
    """Stored values back to bytes: cut off at 0 and 1, and rounded."""
    return np.asarray(np.rint(np.clip(values, 0, 1) * 255), dtype=np.uint8)
