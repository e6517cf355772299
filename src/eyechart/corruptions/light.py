"""Linear light and sRGB values. Lenses, fog and flashes act on linear light; files store sRGB values."""

import numpy as np
import numpy.typing as npt

from eyechart.corruptions.corruption import Picture

Light = npt.NDArray[np.float32]  # 0 is black, 1 is white; more than 1 is over-exposed


def _decoded(stored: npt.NDArray[np.float64]) -> Light:
    """sRGB values of 0 to 1 to linear light (IEC 61966-2-1)."""
    return np.where(stored <= 0.04045, stored / 12.92, ((stored + 0.055) / 1.055) ** 2.4).astype(np.float32)


_LIGHT_OF_BYTE = _decoded(np.arange(256) / 255)


def light_of(picture: Picture) -> Light:
    """[h, w, 3] bytes to linear light."""
    return _LIGHT_OF_BYTE[picture]


def picture_of_light(light: Light) -> Picture:
    """Linear light to bytes: clipped, sRGB-encoded and rounded."""
    exposed = np.clip(light, 0, 1)
    return picture_of_values(np.where(exposed <= 0.0031308, 12.92 * exposed, 1.055 * exposed ** np.float32(1 / 2.4) - 0.055))


def values_of(picture: Picture) -> npt.NDArray[np.float32]:
    """[h, w, 3] bytes to sRGB values of 0 to 1."""
    return picture.astype(np.float32) / np.float32(255)


def picture_of_values(values: npt.NDArray[np.floating]) -> Picture:
    """sRGB values to bytes: clipped and rounded."""
    return np.asarray(np.rint(np.clip(values, 0, 1) * 255), dtype=np.uint8)
