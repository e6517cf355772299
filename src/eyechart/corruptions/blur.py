"""Uniform blur, for pictures without depth."""

import numpy as np
import numpy.typing as npt

from eyechart.corruptions.convolution import Kernel, convolve, disc, gaussian
from eyechart.corruptions.corruption import Corruption, Picture, of_picture, shorter_side, step
from eyechart.corruptions.light import light_of, picture_of_light, picture_of_values, values_of

RADIUS = (0.01, 0.018, 0.027, 0.037, 0.048)  # radius of the blur disc, in shorter sides
SIGMA = (0.006, 0.011, 0.017, 0.024, 0.032)  # standard deviation of the Gaussian, in shorter sides


def defocus_blur(picture: Picture, severity: int, seed: int) -> Picture:
    """Linear light convolved with a disc."""
    return picture_of_light(_convolved(light_of(picture), disc(step(RADIUS, severity) * shorter_side(picture))))


def gaussian_blur(picture: Picture, severity: int, seed: int) -> Picture:
    """sRGB values convolved with a Gaussian, as picture software does."""
    return picture_of_values(_convolved(values_of(picture), gaussian(step(SIGMA, severity) * shorter_side(picture))))


def _convolved(channels_last: npt.NDArray[np.float32], kernel: Kernel) -> npt.NDArray[np.float32]:
    return np.moveaxis(convolve(np.moveaxis(channels_last, -1, 0), kernel), 0, -1)


BLUR: tuple[Corruption, ...] = (
    of_picture("defocus_blur", "The whole picture is out of focus.", defocus_blur),
    of_picture("gaussian_blur", "The whole picture is smoothed by a Gaussian.", gaussian_blur),
)
