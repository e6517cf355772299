from collections import Counter
from itertools import product

import numpy as np
from tests.world.datasets.drawn import shots

from eyechart.world.composer import render
from eyechart.world.datasets.cue_conflict import CUE_CONFLICT, SHAPE_CUES, TEXTURE_CUES


def test_every_shape_carries_every_texture_equally_often():
    drawn = shots("world-cue-conflict")
    seen = Counter((shot.attributes["shape"], shot.attributes["texture"]) for shot in drawn)
    assert set(seen) == set(product(SHAPE_CUES, TEXTURE_CUES)) and set(seen.values()) == {40}
    for shot in drawn:
        thing = shot.subject.scene.things[0]
        assert (thing.name, thing.texture) == (shot.attributes["shape"], shot.attributes["texture"])
        assert shot.label is None


def test_the_names_to_choose_from_are_both_cues():
    assert [c.name for c in CUE_CONFLICT.classes] == [*SHAPE_CUES, *TEXTURE_CUES]


def test_a_texture_can_be_seen_and_the_ground_has_none():
    """Two tones on the thing: its pixels vary far more than the same thing's without texture."""
    for shot in shots("world-cue-conflict", 25):
        scene = shot.subject.scene
        assert scene.background in ("plain", "shaded", "cloudy")
        rendering = render(scene, 64)
        assert rendering.picture[rendering.owner == 0].astype(float).std(axis=0).max() > 20
        assert np.mean(rendering.owner == 0) > 0.07
