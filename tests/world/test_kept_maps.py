"""A memory that counts bytes."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from eyechart.world import sprites
from eyechart.world.composer import render
from eyechart.world.kept_maps import KeptMaps
from eyechart.world.scene import Scene, Thing


class Maker:
    """Makes arrays of so many bytes, and notes what it was asked for."""

    def __init__(self, most):
        self.made = []
        self.kept = KeptMaps(self.make, lambda array: array.nbytes, most)

    def make(self, size):
        self.made.append(size)
        return np.zeros(size, np.uint8)


def test_what_was_made_is_not_made_again():
    maker = Maker(100)
    assert maker.kept(30) is maker.kept(30)
    assert maker.made == [30]
    assert maker.kept.held == 30


def test_what_was_used_longest_ago_goes_first():
    maker = Maker(100)
    for size in (30, 40, 30, 50):  # 120 bytes: the 40 was used before the 30
        maker.kept(size)
    assert maker.kept.held == 80
    maker.kept(30)
    maker.kept(40)
    assert maker.made == [30, 40, 50, 40]


def test_what_is_too_large_is_made_and_not_kept():
    maker = Maker(100)
    assert maker.kept(101).nbytes == 101
    assert maker.kept.held == 0


def test_threads_share_it_and_its_weight_stays_true():
    maker = Maker(1000)
    with ThreadPoolExecutor(8) as pool:
        sizes = list(pool.map(lambda number: maker.kept(100 + number % 7).nbytes, range(400)))
    assert sizes == [100 + number % 7 for number in range(400)]
    assert maker.kept.held == sum(range(100, 107))


def test_pictures_are_the_same_without_any_memory(monkeypatch):
    scene = Scene((Thing("mug", "red", "striped", x=0.4), Thing("cap", "blue", x=0.7, y=0.6, size=0.3)))
    before = render(scene, 64)
    for name in ("_master", "sprite", "shadow"):
        remembered = getattr(sprites, name)
        monkeypatch.setattr(remembered, "_most", 0)
        monkeypatch.setattr(remembered, "_kept", type(remembered._kept)())
        monkeypatch.setattr(remembered, "held", 0)
    after = render(scene, 64)
    assert sprites.sprite.held == 0
    assert np.array_equal(before.picture, after.picture)
    assert np.array_equal(before.owner, after.owner)
    assert np.array_equal(before.depth, after.depth)


def test_the_weight_of_a_sprite_is_that_of_its_maps():
    made = sprites.sprite("cube", sprites.View(0.0, 0.0, 28.0), "left", 30, 20)
    assert made.weight() == 30 * 20 * 4 * (4 + 5)  # alpha, shade, gloss and height, and five textures
