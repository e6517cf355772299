"""world-prompts: every shape in every turn, and generators that do what they are said to."""

from collections import Counter

import pytest
from tests.world.datasets.drawn import shots

from eyechart.errors import UsageError
from eyechart.metrics.intervals import wilson
from eyechart.world.drawing import NAMES
from eyechart.world.prompted import DROPPED, drawn_for


@pytest.fixture(scope="module")
def block():
    return shots("world-prompts", 180)


def of(block, generator):
    return [shot for shot in block if shot.attributes["generator"] == generator]


def areas_rank(shot):
    return [thing.name for thing in sorted(shot.subject.scene.things, key=lambda thing: -thing.size)]


def test_every_shape_is_named_as_often_in_every_turn_before_both_generators(block):
    told = Counter((s.attributes["generator"], n, k) for s in block for k, n in enumerate(s.attributes["mentioned"]))
    assert len(told) == 2 * len(NAMES) * 3 and set(told.values()) == {5}
    assert block[0].attributes["prompt"].count(" and ") == 2


def test_the_partial_one_draws_the_first_named_largest_and_drops_later_ones_as_often_as_it_says(block):
    mine = of(block, "first-largest")
    assert all(areas_rank(shot)[0] == shot.attributes["mentioned"][0] for shot in mine)
    for turn, dropped in enumerate(DROPPED):
        gone = sum(shot.attributes["mentioned"][turn] not in areas_rank(shot) for shot in mine)
        low, high = wilson(gone, len(mine), 0.999)
        assert low <= dropped <= high


def test_the_other_one_does_the_same_to_things_in_no_order(block):
    mine = of(block, "no-order")
    for turn in range(3):
        gone = sum(shot.attributes["mentioned"][turn] not in areas_rank(shot) for shot in mine)
        large = sum(areas_rank(shot)[0] == shot.attributes["mentioned"][turn] for shot in mine)
        for count, chance in ((gone, sum(DROPPED) / 3), (large, 1 / 3)):
            low, high = wilson(count, len(mine), 0.999)
            assert low <= chance <= high


@pytest.mark.parametrize(
    ("names", "habit", "why"),
    [(["cube"], "lazy", "no habit"), (["cube", "cube"], "no-order", "different"), (["cube", "cat"], "no-order", "no 'cat'")],
)
def test_what_it_cannot_draw_is_refused(names, habit, why):
    with pytest.raises(UsageError, match=why):
        drawn_for(names, habit, None)
