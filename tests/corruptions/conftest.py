"""Scenes whose depth is known, and sRGB written down once more, by hand."""

import numpy as np
import pytest


def _srgb_light(stored: np.ndarray) -> np.ndarray:
    value = np.asarray(stored, float) / 255
    return np.where(value <= 0.04045, value / 12.92, ((value + 0.055) / 1.055) ** 2.4)


def _srgb_stored(light: np.ndarray) -> np.ndarray:
    light = np.clip(light, 0, 1)
    return 255 * np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)


def _scene(side: int) -> tuple[np.ndarray, np.ndarray]:
    """A textured floor that comes nearer downwards, and a striped ball before it; the same at every resolution."""
    y, x = np.meshgrid((np.arange(side) + 0.5) / side, (np.arange(side) + 0.5) / side, indexing="ij")
    depth = 6 - 3 * y
    waves = [np.sin(2 * np.pi * (5 * x + k)) * np.cos(2 * np.pi * (4 + k) * y) for k in range(3)]
    picture = 128 + 80 * np.stack(waves, axis=-1)
    ball = (x - 0.55) ** 2 + (y - 0.5) ** 2 < 0.2**2
    picture[ball] = np.stack([90 + 80 * np.sign(np.sin(50 * (x + y)))] * 3, axis=-1)[ball] * [1.2, 0.6, 0.4]
    depth[ball] = 2
    return picture.astype(np.uint8), depth.astype(np.float32)


@pytest.fixture
def light():
    """Light of stored bytes."""
    return _srgb_light


@pytest.fixture
def stored():
    """Stored values of light, not rounded."""
    return _srgb_stored


@pytest.fixture
def scene():
    """`scene(side)` gives a picture and its depth."""
    return _scene
