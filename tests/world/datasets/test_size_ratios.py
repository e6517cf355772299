from collections import Counter

import numpy as np
import pytest
from tests.world.datasets.drawn import shots

from eyechart.world.datasets.size_ratios import FULL, RATIOS
from eyechart.world.truth import owners, visible_shares

BLOCK = 2 * len(FULL) * len(RATIOS)


@pytest.fixture(scope="module")
def block():
    """The rows over which the design is complete."""
    return shots("world-size-ratios", BLOCK)


def test_every_shape_as_often_in_both_places_and_sizes_at_every_ratio(block):
    seen = Counter()
    for shot in block:
        left, right = shot.subject.scene.things
        assert left.x < right.x and left.name != right.name
        for place, thing in enumerate((left, right)):
            large = place + 1 == shot.attributes["large_place"]
            assert not large or thing.name == shot.attributes["large_name"]
            seen[shot.attributes["ratio"], thing.name, place, large] += 1
    assert set(seen) == {(r, n, place, large) for r in RATIOS for n in FULL for place in (0, 1) for large in (True, False)}
    assert set(seen.values()) == {1}


def test_areas_have_the_ratio_but_for_whole_pixels(block):
    found = {ratio: [] for ratio in RATIOS}
    for shot in block:
        owner = owners(shot.subject.scene, 64)
        large = shot.attributes["large_place"] - 1
        found[shot.attributes["ratio"]].append((owner == large).sum() / (owner == 1 - large).sum())
    for ratio, areas in found.items():
        assert np.median(areas) == pytest.approx(ratio, rel=0.07)
        assert 0.8 * ratio < min(areas) and max(areas) < 1.25 * ratio


def test_sizes_are_near_those_of_training(block):
    sizes = {r: [t.size for s in block if s.attributes["ratio"] == r for t in s.subject.scene.things] for r in RATIOS}
    assert all(min(sizes[r]) >= 0.195 and max(sizes[r]) < 0.68 for r in RATIOS if r <= 8)
    assert min(sizes[15]) > 0.17 and max(sizes[15]) < 0.78


def test_nothing_is_hidden_or_outside(block):
    for shot in block[:90]:
        scene = shot.subject.scene
        assert min(visible_shares(scene)) > 0.97
        assert all(0.4 * t.size < t.x < 1 - 0.4 * t.size and 0.4 * t.size < t.y < 1 - 0.4 * t.size for t in scene.things)
