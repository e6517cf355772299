from collections import Counter

import numpy as np
from tests.world.datasets.drawn import shots

from eyechart.world.datasets.ood import KINDS
from eyechart.world.drawing import NAMES
from eyechart.world.materials import COLORS, second_tone
from eyechart.world.solids import HELD_OUT
from eyechart.world.subjects import Wall


def test_four_kinds_equally_often_and_labels_for_the_known_alone():
    drawn = shots("world-ood")
    assert Counter(shot.attributes["kind"] for shot in drawn) == dict.fromkeys(KINDS, 360)
    assert Counter(shot.label for shot in drawn) == {None: 1080, **dict.fromkeys(NAMES, 20)}


def test_each_kind_shows_what_it_says():
    for shot in shots("world-ood", 80):
        scene, kind = shot.subject.scene, shot.attributes["kind"]
        if kind == "known":
            assert scene.things[0].name == shot.label == shot.attributes["shows"]
        elif kind == "held-out shape":
            assert scene.things[0].name in HELD_OUT and scene.things[0].name not in NAMES
        elif kind == "empty":
            assert scene.things == ()
        else:
            assert scene is None


def test_a_wall_shows_its_two_tones_everywhere():
    wall = Wall("checked", "red", angle=0.0, width=4.0, level=1.0, grain=3)
    rendering = wall.render(64)
    tones = np.array([COLORS["red"], second_tone("red")], dtype=float)
    apart = np.linalg.norm(rendering.picture[:, :, None].astype(float) - tones, axis=-1)
    assert apart.min(axis=-1).max() < 25  # noise
    share = (apart.argmin(axis=-1) == 0).mean()
    assert 0.45 < share < 0.55  # a chessboard is half and half
    assert (rendering.owner == -1).all() and np.ptp(rendering.depth) == 0
