"""Brightness, contrast and posterization."""

import numpy as np

from eyechart.corruptions.corruption import Corruption, Picture, of_picture, step
from eyechart.corruptions.light import picture_of_values, values_of

BRIGHTER = (0.1, 0.2, 0.3, 0.4, 0.5)  # added to sRGB values
CONTRAST = (0.6, 0.45, 0.32, 0.22, 0.15)  # remaining share of the distance to the mean
LEVELS = (12, 8, 6, 4, 2)  # per color channel; three values are harder for models than two, which keep edges


def brightness(picture: Picture, severity: int, seed: int) -> Picture:
    """sRGB value + b, clipped at white."""
    return picture_of_values(values_of(picture) + np.float32(step(BRIGHTER, severity)))


def contrast(picture: Picture, severity: int, seed: int) -> Picture:
    """mean + c · (sRGB value − mean), with the mean of each color channel."""
    values = values_of(picture)
    mean = values.mean(axis=(0, 1), dtype=np.float64).astype(np.float32)
    return picture_of_values(mean + np.float32(step(CONTRAST, severity)) * (values - mean))


def color_quantization(picture: Picture, severity: int, seed: int) -> Picture:
    """Every color channel is rounded to the nearest of n values, from black to white in equal steps."""
    steps = step(LEVELS, severity) - 1
    table = np.rint(np.rint(np.arange(256) * (steps / 255)) * (255 / steps)).astype(np.uint8)
    return np.asarray(table[picture])


TONE: tuple[Corruption, ...] = (
    of_picture("brightness", "The picture is brighter, and bright areas are clipped to white.", brightness),
    of_picture("contrast", "Reduced contrast: all values move towards the mean.", contrast),
    of_picture("color_quantization", "Posterization: only a few values remain in every color channel.", color_quantization),
)
