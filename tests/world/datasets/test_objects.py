from collections import Counter
from itertools import pairwise

from tests.world.datasets.drawn import shots

from eyechart.world.composer import silhouette
from eyechart.world.drawing import NAMES
from eyechart.world.frequencies import long_tail_shares


def test_each_shape_equally_often_and_in_turn():
    drawn = shots("world-objects")
    assert set(Counter(shot.label for shot in drawn).values()) == {100}
    assert [shot.label for shot in drawn[:18]] == list(NAMES)
    assert all(shot.label == shot.subject.scene.things[0].name == shot.captions[0] for shot in drawn)


def test_objects_are_ordinary_and_whole():
    for shot in shots("world-objects", 90):
        scene = shot.subject.scene
        (thing,) = scene.things
        assert thing.roll == 0 and thing.stretch == 1 and scene.style == "solid" and 0.9 <= scene.level <= 1.1
        edge = silhouette(scene, 0, 64)
        assert not (edge[0].any() or edge[-1].any() or edge[:, 0].any() or edge[:, -1].any()), shot.id


def test_the_long_tail_tells_how_rare_a_shape_was_and_stays_balanced():
    drawn = shots("world-long-tail")
    assert set(Counter(shot.label for shot in drawn).values()) == {100}
    told = {shot.label: shot.attributes["frequency"] for shot in drawn}
    shares = sorted(told.values(), reverse=True)
    assert abs(sum(shares) - 1) < 1e-12
    ratios = [a / b for a, b in pairwise(shares)]
    assert max(ratios) - min(ratios) < 1e-9  # geometric
    assert abs(shares[0] / shares[-1] - 50) < 1e-9
    assert tuple(told[name] for name in NAMES) == long_tail_shares()
    bands = {shot.label: shot.attributes["band"] for shot in drawn}
    assert Counter(bands.values()) == {"common": 6, "middling": 6, "rare": 6}
    assert min(told[n] for n in NAMES if bands[n] == "common") > max(told[n] for n in NAMES if bands[n] == "middling")


def test_the_pictures_of_the_long_tail_are_not_those_of_world_objects():
    scenes = {shot.subject.scene for shot in shots("world-objects", 180)}
    assert not scenes & {shot.subject.scene for shot in shots("world-long-tail", 180)}
