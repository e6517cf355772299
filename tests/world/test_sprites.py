"""Sprites of solids: their textures are made when they are asked for."""

import numpy as np
import pytest

from eyechart.world.materials import TEXTURES
from eyechart.world.sprites import View, follow_rays, sprite

VIEW = View(yaw=30.0, roll=0.0, elevation=25.0)


@pytest.mark.parametrize("texture", [name for name in TEXTURES if name != "plain"])
def test_a_texture_is_the_mean_over_the_covered_part_of_each_pixel(texture):
    """Painted on the hits of 96 × 96 rays by hand, and averaged over blocks of 4 × 4 of them."""
    hits = follow_rays("cube", VIEW, 96)
    painted, covered = np.zeros((96, 96), np.float32), np.zeros((96, 96), np.float32)
    painted[hits.hit], covered[hits.hit] = TEXTURES[texture](hits.points, hits.normals), 1
    alpha = covered.reshape(24, 4, 24, 4).mean(axis=(1, 3))
    expected = painted.reshape(24, 4, 24, 4).mean(axis=(1, 3)) / np.maximum(alpha, 1e-3)
    found = sprite("cube", VIEW, "left", 24, 24)
    assert np.allclose(found.alpha, alpha, atol=1e-6)
    assert np.allclose(found.patterns[texture], expected, atol=1e-5)


def test_textures_are_made_once_and_counted_before():
    found = sprite("cone", VIEW, "left", 20, 16)
    before = found.weight()
    made = {name: found.patterns[name] for name in found.patterns}
    assert set(made) == set(TEXTURES) - {"plain"}
    assert all(found.patterns[name] is made[name] for name in made)
    maps = [found.alpha, found.shade, found.gloss, found.height, *made.values()]
    assert before == found.weight() == sum(values.nbytes for values in maps)


def test_a_texture_that_a_solid_does_not_have_is_named():
    with pytest.raises(KeyError, match="tartan"):
        sprite("cube", VIEW, "left", 12, 12).patterns["tartan"]
