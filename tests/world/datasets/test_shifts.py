from collections import Counter

import numpy as np
import pytest
from tests.world.datasets.drawn import shots

from eyechart.corruptions import CORRUPTIONS, corrupt
from eyechart.world.composer import render
from eyechart.world.drawing import NAMES


@pytest.fixture(scope="module")
def drawn():
    return shots("world-shifts", 2 * 18 * (5 + 5 * len(CORRUPTIONS)))


def test_every_source_comes_in_every_version(drawn):
    versions = Counter((s.attributes["source_id"], s.attributes["shift"], s.attributes["severity"]) for s in drawn)
    assert set(versions.values()) == {1}
    wanted = {("none", 0), *((shift, 0) for shift in ("poster", "sketch", "dark", "elevation"))}
    wanted |= {(name, severity) for name in CORRUPTIONS for severity in range(1, 6)}
    sources = [shot for shot in drawn if shot.attributes["shift"] == "none"]
    assert set(versions) == {(source.id, *version) for source in sources for version in wanted}
    assert Counter(source.label for source in sources) == dict.fromkeys(NAMES, 2)


def test_a_part_has_whole_cells_and_the_middle_severity_first(drawn):
    first = drawn[: 18 * (5 + len(CORRUPTIONS))]
    cells = Counter((s.attributes["shift"], s.attributes["severity"]) for s in first)
    assert set(cells.values()) == {18}
    assert {severity for _, severity in cells} == {0, 3}


def test_spoiled_pictures_are_those_of_the_source_with_its_depth(drawn):
    by_id = {shot.id: shot for shot in drawn}
    for shot in [shot for shot in drawn if shot.attributes["kind"] == "corruption"][::173]:
        source = by_id[shot.attributes["source_id"]]
        assert shot.label == source.label and shot.subject.scene == source.subject.scene
        clean, spoiled = source.subject.render(48), shot.subject.render(48)
        again = corrupt(
            clean.picture, shot.attributes["shift"], shot.attributes["severity"], depth=clean.depth, seed=shot.subject.seed
        )
        assert np.array_equal(spoiled.picture, again)
        assert not np.array_equal(spoiled.picture, clean.picture)
        assert np.array_equal(spoiled.owner, clean.owner)


def test_natural_shifts_move_one_side_of_a_scene(drawn):
    by_id = {shot.id: shot for shot in drawn}
    moves = {"poster": {"style", "tone"}, "sketch": {"style"}, "dark": {"level"}, "elevation": {"camera"}}
    for shot in drawn[18 : 18 * 5]:
        before, after = by_id[shot.attributes["source_id"]].subject.scene, shot.subject.scene
        assert {k for k in vars(before) if vars(before)[k] != vars(after)[k]} == moves[shot.attributes["shift"]]
        assert shot.attributes["kind"] == "natural"


def test_seen_from_higher_up_more_of_the_ground_lies_at_one_distance(drawn):
    (steep,) = [shot for shot in drawn[:90] if shot.attributes["shift"] == "elevation" and shot.label == "pot"]
    level = next(shot for shot in drawn if shot.id == steep.attributes["source_id"])
    assert np.ptp(render(steep.subject.scene, 32).depth) < np.ptp(render(level.subject.scene, 32).depth)
