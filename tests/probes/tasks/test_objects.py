"""The objects of pictures: hand-worked scenes, and every source of sizes and positions."""

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answering import NoPictures

from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.dataset import Dataset
from eyechart.probes.tasks.objects import (
    Scenes,
    object_areas,
    object_names,
    object_scenes,
    plain_name,
    single_objects,
    total_areas,
)


def showing(*pictures, type=None, **columns):
    """A dataset with these lists of objects."""
    return Dataset(
        "test",
        pa.table({"id": [str(i) for i in range(len(pictures))], "objects": pa.array(pictures, type), **columns}),
        NoPictures(len(pictures)),
    )


def thing(name, x, area):
    return {"name": name, "x": x, "area": area}


def read(dataset):
    """Number of objects → (row, names from left to right, areas) of each scene."""
    found = object_scenes(dataset)
    return {
        scenes.count: [
            (int(row), [found.names[o] for o in objects], areas.tolist())
            for row, objects, areas in zip(scenes.rows, scenes.objects, scenes.areas, strict=True)
        ]
        for scenes in found.scenes
    }


def test_scenes_are_grouped_by_their_number_of_objects_and_read_from_left_to_right():
    dataset = showing(
        [thing("cup", 0.9, 4), thing("dog", 0.1, 9)],
        [thing("ball", 0.5, 1)],
        [thing("dog", 0.7, 2), thing("cup", 0.2, 3), thing("ball", 0.4, 5)],
        [],
        None,
        [thing("Ball", 0.2, 7), thing("cup", 0.3, 6)],
    )
    assert object_scenes(dataset).names == ("ball", "cup", "dog")
    assert read(dataset) == {
        2: [(0, ["dog", "cup"], [9, 4]), (5, ["ball", "cup"], [7, 6])],
        3: [(2, ["cup", "ball", "dog"], [3, 5, 2])],
    }
    assert object_scenes(dataset).measured


def test_objects_of_one_name_are_one_at_their_mean_position_weighted_by_area():
    """Two cups at 0 (area 3) and 0.8 (area 1) stand at 0.2, left of the dog at 0.3; their plain mean is 0.4. In the second
    picture the areas are the other way round: they stand at 0.6, right of it."""
    cups = [[thing("cup", 0.0, a), thing("cup", 0.8, b), thing("dog", 0.3, 2)] for a, b in ((3, 1), (1, 3))]
    assert read(showing(*cups)) == {2: [(0, ["cup", "dog"], [4, 2]), (1, ["dog", "cup"], [2, 4])]}


def test_pictures_are_not_mixed_up():
    """Two names in four pictures, in alphabetical order where two objects stand at one place."""
    dataset = showing(*([thing("dog", 0.5, i + 1), thing("cup", 0.5, 10 + i)] for i in range(4)))
    assert read(dataset) == {2: [(i, ["cup", "dog"], [10 + i, i + 1]) for i in range(4)]}


def test_what_cannot_be_seen_or_placed_or_named_is_left_out():
    whole = [thing("cup", 0.1, 1), thing("dog", 0.2, 1)]
    gone = [
        thing("a", 0.3, 0),
        thing("b", 0.4, -1),
        thing("c", 0.5, None),
        thing("d", None, 1),
        thing("", 0.6, 1),
        thing(None, 0.7, 1),
    ]
    assert read(showing(whole + gone)) == {2: [(0, ["cup", "dog"], [1, 1])]}
    assert read(showing(gone)) == {}
    assert object_areas(showing(whole + gone)) == [{"cup": [1], "dog": [1], "d": [1]}]  # no position is needed for an area


def test_areas_are_added_by_name():
    dataset = showing([thing("Fire_Hydrant", 0.1, 2), thing("fire hydrant", 0.2, 3), thing("dog", 0.3, 4)], [])
    assert object_areas(dataset) == [{"fire hydrant": [2, 3], "dog": [4]}, {}]
    assert total_areas(dataset) == [{"fire hydrant": 5, "dog": 4}, {}]
    assert object_names(dataset) == {"Fire_Hydrant", "fire hydrant", "dog"}


def test_without_areas_a_name_counts_as_often_as_it_is_there():
    dataset = showing([{"name": "cup"}, {"name": "cup"}, {"name": "dog"}])
    assert total_areas(dataset) == [{"cup": 2, "dog": 1}]
    assert object_areas(dataset, unknown=0.5) == [{"cup": [0.5, 0.5], "dog": [0.5]}]
    assert object_areas(dataset) == [{}]


BOX = {"name": "cup", "box": [2.0, 1.0, 5.0, 3.0]}  # 3 wide, 2 high, at 3.5
RUNS = [10, 4, 7, 5]  # ten pixels off, four on, seven off, five on


def test_boxes_give_areas_and_positions():
    other = {"name": "dog", "box": [0.0, 0.0, 2.0, 7.0]}
    assert read(showing([BOX, other])) == {2: [(0, ["dog", "cup"], [14, 6])]}
    # Left of 3.5 by its center, though it ends farther right than the cup.
    assert read(showing([BOX, {"name": "dog", "box": [-1.0, 0.0, 7.0, 1.0]}])) == {2: [(0, ["dog", "cup"], [8, 6])]}


@pytest.mark.parametrize(
    "box", [[3.0, 0.0, 3.0, 4.0], [3.0, 0.0, 2.0, 4.0], [0.0, 3.0, 4.0, 2.0], [5.0, 5.0, 2.0, 2.0], [1.0, 2.0, 3.0], None]
)
def test_empty_turned_and_broken_boxes_have_no_area(box):
    assert object_areas(showing([BOX, {"name": "dog", "box": box}])) == [{"cup": [6]}]
    assert read(showing([BOX, {"name": "dog", "box": box}])) == {}


@pytest.mark.parametrize(
    ("fields", "area"),
    [
        ({"mask": RUNS}, 9),
        ({"mask": RUNS, "area": 2.5}, 2.5),
        ({"mask": RUNS, "area": None}, 9),
        ({"mask": RUNS, "box": BOX["box"]}, 6),
        ({"mask": RUNS, "box": None, "area": None}, 9),
        ({"area": 2.5, "box": BOX["box"]}, 2.5),
        ({"area": None, "box": BOX["box"]}, 6),
        ({"area": 2.5, "large": True}, 2.5),
        ({"area": None, "large": True}, 2),
        ({"large": True}, 2),
    ],
)
def test_one_source_of_areas_is_used_for_all_objects(fields, area):
    assert object_areas(showing([{"name": "cup", **fields}, {"name": "dog", **dict.fromkeys(fields)}]))[0]["cup"] == [area]


def test_fields_may_come_in_any_order():
    assert object_areas(showing([{"mask": RUNS, "name": "cup"}])) == [{"cup": [9]}]
    assert object_areas(showing([{"area": 2.5, "mask": RUNS, "name": "cup"}])) == [{"cup": [2.5]}]
    assert object_areas(showing([{"box": BOX["box"], "name": "cup"}])) == [{"cup": [6]}]


def test_objects_that_are_only_marked_have_ranks_for_areas():
    dataset = showing([{"name": "cup", "x": 0.2, "large": False}, {"name": "dog", "x": 0.1, "large": True}])
    assert read(dataset) == {2: [(0, ["dog", "cup"], [2, 1])]}
    assert not object_scenes(dataset).measured
    sized = showing([{"name": "cup", "x": 0.2, "large": False, "area": 3}, {"name": "dog", "x": 0.1, "large": True, "area": 5}])
    assert object_scenes(sized).measured and read(sized) == {2: [(0, ["dog", "cup"], [5, 3])]}


@pytest.mark.parametrize(
    ("pictures", "type"),
    [
        (["cup"], None),
        ([["cup", "dog"]], None),
        ([["cup"]], pa.large_list(pa.string())),
        ([{"name": "cup"}], None),
        ([None], pa.null()),
    ],
)
def test_a_column_of_something_else_holds_no_objects(pictures, type):
    dataset = showing(*pictures, type=type)
    assert object_scenes(dataset).scenes == () and object_names(dataset) == set() and object_areas(dataset) == [{}]


def test_large_lists_are_lists():
    fields = pa.struct([("name", pa.string()), ("x", pa.float64()), ("area", pa.float64())])
    dataset = showing([thing("cup", 0.2, 1), thing("dog", 0.1, 2)], type=pa.large_list(fields))
    assert read(dataset) == {2: [(0, ["dog", "cup"], [2, 1])]}


def test_objects_without_a_name_are_none():
    dataset = showing([{"x": 0.1, "area": 1.0}, {"x": 0.2, "area": 2.0}])
    assert object_scenes(dataset).scenes == () and object_names(dataset) == set() and single_objects(dataset) == [None]


def test_a_dataset_without_objects_has_no_scenes():
    dataset = Dataset("test", pa.table({"id": ["a"]}), NoPictures(1))
    assert object_scenes(dataset).names == () and object_scenes(dataset).scenes == () and object_names(dataset) == set()
    assert single_objects(dataset) == [None]


def test_a_single_object_is_that_of_a_picture_with_one():
    dataset = showing([thing("Red_Cup", 0.1, 1)], [thing("cup", 0.1, 1), thing("dog", 0.2, 1)], [], [thing(None, 0.1, 1)])
    assert single_objects(dataset) == ["red cup", None, None, None]


def test_without_objects_a_label_names_the_single_one():
    table = pa.table({"id": ["a", "b", "c"], "label": ["n01", "Hot_Dog", None]})
    classes = ClassList("test", (PictureClass("n01", "Tench"),))
    assert single_objects(Dataset("test", table, NoPictures(3), classes)) == ["tench", "hot dog", None]
    assert single_objects(Dataset("test", table, NoPictures(3))) == ["n01", "hot dog", None]


def test_names_are_compared_in_lower_case_with_single_spaces():
    assert plain_name(" Fire_Hydrant  RED ") == "fire hydrant red"


def test_sizes_of_a_scene_by_hand():
    """The second picture has two equal objects: the left one comes first. 6 / mean(2, 4) = 2, and 5 / mean(5, 2) = 10/7."""
    scenes = Scenes(np.array([3, 8]), np.array([[0, 1, 2], [2, 0, 1]]), np.array([[2.0, 6.0, 4.0], [5.0, 5.0, 2.0]]))
    assert (len(scenes), scenes.count) == (2, 3)
    assert scenes.by_size.tolist() == [[1, 2, 0], [0, 1, 2]]
    assert scenes.ratios == pytest.approx([2, 10 / 7])
    kept = scenes.subset(np.array([False, True]))
    assert kept.rows.tolist() == [8] and kept.objects.tolist() == [[2, 0, 1]] and kept.areas.tolist() == [[5, 5, 2]]
