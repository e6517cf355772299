"""Sensor noise: photon noise, read noise and low light."""

import numpy as np

from eyechart.corruptions.corruption import Corruption, Picture, of_picture, step, stream
from eyechart.corruptions.light import light_of, picture_of_light, picture_of_values, values_of

SIGMA = (0.04, 0.07, 0.11, 0.16, 0.23)  # standard deviation of `noise`, in sRGB values
PHOTONS = (250.0, 100.0, 45.0, 22.0, 11.0)  # photons of a white pixel under `shot_noise`
GAIN = (0.5, 0.32, 0.2, 0.12, 0.07)  # remaining share of the light under `low_light`
FULL_WELL = 600.0  # photons of a white pixel under `low_light`
READ_NOISE = 2.0  # standard deviation of read noise under `low_light`, in photons


def noise(picture: Picture, severity: int, seed: int) -> Picture:
    """sRGB value + Gaussian noise, independent for every pixel and channel."""
    rng = stream(seed, "noise", severity)
    grain = rng.standard_normal(picture.shape, dtype=np.float32)
    return picture_of_values(values_of(picture) + np.float32(step(SIGMA, severity)) * grain)


def shot_noise(picture: Picture, severity: int, seed: int) -> Picture:
    """Every pixel counts photons: Poisson(light · photons) / photons."""
    photons = step(PHOTONS, severity)
    counted = stream(seed, "shot_noise", severity).poisson(light_of(picture) * photons)
    return picture_of_light((counted / photons).astype(np.float32))


def low_light(picture: Picture, severity: int, seed: int) -> Picture:
    """Fewer photons with read noise: (Poisson(light · gain · well) + N(0, read²)) / well."""
    rng = stream(seed, "low_light", severity)
    counted = rng.poisson(light_of(picture) * (step(GAIN, severity) * FULL_WELL))
    read = counted + READ_NOISE * rng.standard_normal(picture.shape, dtype=np.float32)
    return picture_of_light((read / FULL_WELL).astype(np.float32))


SENSOR: tuple[Corruption, ...] = (
    of_picture("noise", "Gaussian noise in every pixel, as at a high ISO setting.", noise),
    of_picture("shot_noise", "Photon (shot) noise, as when few photons reach the sensor.", shot_noise),
    of_picture("low_light", "Low light, with visible photon noise and sensor noise.", low_light),
)
