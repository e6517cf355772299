from collections import Counter

import pytest
from tests.world.datasets.drawn import shots

from eyechart.world.composer import silhouette
from eyechart.world.drawing import NAMES
from eyechart.world.scene import Scene
from eyechart.world.truth import visible_shares


@pytest.fixture(scope="module")
def block():
    """The rows over which the design is complete."""
    return shots("world-scenes", 252)


def test_every_shape_as_often_in_every_place_and_rank(block):
    seen = Counter()
    for shot in block:
        things = shot.subject.scene.things
        assert len({thing.name for thing in things}) == len(things)
        by_size = sorted(things, key=lambda thing: -thing.size)
        for place, thing in enumerate(sorted(things, key=lambda thing: thing.x)):
            seen[len(things), thing.name, place, by_size.index(thing)] += 1
    expected = {(n, name, place, rank) for n in (2, 3, 4, 5) for name in NAMES for place in range(n) for rank in range(n)}
    assert set(seen) == expected
    assert set(seen.values()) == {1}


def test_one_is_large_and_the_rest_are_small_as_in_training(block):
    for shot in block:
        first, *rest = sorted((thing.size for thing in shot.subject.scene.things), reverse=True)
        assert 0.44 <= first <= 0.62
        assert all(0.22 <= size <= 0.31 for size in rest)
        assert len(set(rest)) == len(rest)


def test_the_large_one_has_the_largest_area(block):
    for shot in block[:60]:
        scene = shot.subject.scene
        areas = {thing.size: silhouette(Scene((thing,)), 0, 64).sum() for thing in scene.things}
        large = areas.pop(max(areas))
        assert large > 1.2 * max(areas.values())


def test_nothing_is_hidden_or_outside(block):
    for shot in block[:100]:
        scene = shot.subject.scene
        assert min(visible_shares(scene)) > 0.9
        assert all(0.44 * t.size < t.x < 1 - 0.44 * t.size and 0.44 * t.size < t.y < 1 - 0.44 * t.size for t in scene.things)


def test_attributes_tell_the_large_one(block):
    for shot in block[:30]:
        things = shot.subject.scene.things
        large = max(things, key=lambda thing: thing.size)
        assert shot.attributes["large_name"] == large.name
        assert shot.attributes["large_place"] == 1 + sorted(t.x for t in things).index(large.x)
        assert shot.captions[0].split(" and ")[0] == large.name
