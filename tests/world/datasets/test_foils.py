import re

import pytest

from eyechart.world.datasets.open import open_world

KINDS = ["another thing", "another color", "colors swapped"]


@pytest.fixture(scope="module")
def rows():
    return open_world("world-foils", n=90, side=32).table.to_pylist()


def pairs(caption):
    """{(color, name), …} as a caption tells them."""
    return set(re.findall(r"an? (\w+) (\w+)", caption))


def shown(row):
    return {(thing["color"], thing["name"]) for thing in row["objects"]}


def test_captions_are_true_and_foils_are_not(rows):
    for row in rows:
        assert pairs(row["captions"][0]) == shown(row)
        assert pairs(row["foils"][0]) != shown(row)


def test_a_foil_is_wrong_in_what_its_kind_says(rows):
    assert [row["attr.kind"] for row in rows[:6]] == KINDS * 2
    for row in rows:
        true, false = shown(row), pairs(row["foils"][0])
        colors, names = ({part[i] for part in true} for i in (0, 1))
        told_colors, told_names = ({part[i] for part in false} for i in (0, 1))
        if row["attr.kind"] == "another thing":
            assert told_colors == colors and len(told_names & names) == 1
        elif row["attr.kind"] == "another color":
            assert told_names == names and len(told_colors & colors) == 1
        else:
            assert (told_names, told_colors) == (names, colors) and not true & false
