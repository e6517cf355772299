from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from eyechart.world.composer import render
from eyechart.world.datasets.open import open_world
from eyechart.world.scene import Scene, Thing
from eyechart.world.scene_pictures import ScenePictures
from eyechart.world.subjects import Spoiled, Staged

SCENE = Scene((Thing("mug", "red", size=0.6),))


@pytest.mark.parametrize(
    "name, means",
    {
        "world-cue-conflict": [167.3, 161.4, 126.7, 187.8],
        "world-factors": [168.2, 147.5, 127.6, 171.7],
        "world-long-tail": [158.0, 155.1, 153.7, 137.8],
        "world-objects": [175.6, 155.1, 191.5, 136.7],
        "world-ood": [141.3, 128.9, 168.3, 148.7],
        "world-people": [162.3, 182.8, 162.8, 153.6],
        "world-retrieval": [178.5, 151.5, 146.2, 159.1],
        "world-scenes": [156.9, 179.8, 152.4, 142.1],
        "world-shifts": [191.1, 203.7, 164.2, 187.6],
        "world-views": [187.3, 188.5, 146.0, 147.4],
    }.items(),
)
def test_the_same_pictures_as_ever(name, means):
    """A change here moves pictures that people have results for: raise RENDERING_VERSION with it."""
    pictures = open_world(name, n=4, side=32).pictures
    assert [pictures.render(row).picture.mean() for row in range(4)] == pytest.approx(means, abs=0.3)


def test_identities_differ_wherever_the_bytes_do():
    subjects = [
        Staged(SCENE),
        Staged(replace(SCENE, grain=1)),
        Staged(replace(SCENE, things=(replace(SCENE.things[0], x=0.5 + 1e-9),))),
        Spoiled(SCENE, "noise", 1, seed=0),
        Spoiled(SCENE, "noise", 2, seed=0),
        Spoiled(SCENE, "noise", 1, seed=1),
        Spoiled(SCENE, "fog", 1, seed=0),
    ]
    identities = {ScenePictures(tuple(subjects), side).identity(row) for row in range(len(subjects)) for side in (32, 64)}
    assert len(identities) == 2 * len(subjects)
    assert ScenePictures((Staged(SCENE),), 32).identity(0) == ScenePictures((Staged(replace(SCENE)),), 32).identity(0)


def test_threads_read_what_one_would_have_read():
    """Views that no other test asks for, so that the threads meet at work that is not done yet."""
    things = [Thing("pot", "blue", yaw=1.0 + 0.25 * turn) for turn in range(12)]
    pictures = ScenePictures(tuple(Staged(Scene((thing,))) for thing in things), 48)
    with ThreadPoolExecutor(6) as pool:
        together = list(pool.map(pictures.read, [*range(12)] * 2))
    assert together == [pictures.read(row) for row in range(12)] * 2


def test_pictures_and_depth_are_those_of_the_scene():
    pictures = ScenePictures((Staged(SCENE), Spoiled(SCENE, "contrast", 5, seed=0)), 40)
    clean = render(SCENE, 40)
    assert np.array_equal(pictures.render(0).picture, clean.picture)
    assert np.array_equal(pictures.depth(1), clean.depth)
    assert pictures.render(1).picture.std() < clean.picture.std() / 3
