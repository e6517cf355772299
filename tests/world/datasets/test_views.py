import numpy as np
import pytest
from tests.world.datasets.drawn import shots

from eyechart.world.datasets.open import open_world
from eyechart.world.scene import Camera, seen_from


@pytest.fixture(scope="module")
def views():
    return open_world("world-views", n=16)


def test_two_views_of_one_scene_at_four_turns():
    drawn = shots("world-views", 16)
    for a, b in zip(drawn[0::2], drawn[1::2], strict=True):
        turn = a.attributes["turn"]
        assert a.attributes["scene"] == b.attributes["scene"] and b.attributes["turn"] == turn
        assert seen_from(a.subject.scene, Camera(azimuth=turn)).things == b.subject.scene.things
        assert a.subject.scene.grain != b.subject.scene.grain
    assert [shot.attributes["turn"] for shot in drawn[0:8:2]] == [15, 45, 75, 105]


def test_pairs_name_pictures_and_points_within_them(views):
    assert views.pairs.column_names == ["id_a", "id_b", "points_a", "points_b"]
    for pair, (a, b) in zip(views.pairs.to_pylist(), zip(views.ids()[0::2], views.ids()[1::2], strict=True), strict=True):
        assert (pair["id_a"], pair["id_b"]) == (a, b)
        for points in (np.array(pair["points_a"]), np.array(pair["points_b"])):
            assert points.shape == (len(pair["points_a"]), 2)
            assert ((points >= 0) & (points < 64)).all()


def test_there_are_points_to_go_by_at_every_turn(views):
    counts = [len(points) for points in views.pairs["points_a"].to_pylist()]
    assert min(counts) >= 12
    assert counts[0] == 48  # a small turn hides little


def test_points_lie_on_the_same_thing_in_both_pictures(views):
    for row, pair in enumerate(views.pairs.to_pylist()):
        things = []
        for view, key in enumerate(("points_a", "points_b")):
            column, line = np.floor(pair[key]).astype(int).T
            things.append(views.pictures.render(2 * row + view).owner[line, column])
        assert np.array_equal(things[0], things[1]) and (things[0] >= 0).all()
