"""Where descriptions come from, and what becomes of them."""

import json

import pytest

from eyechart.data.classes import ClassList, PictureClass
from eyechart.errors import DataError, UsageError
from eyechart.repair.descriptions import describer_of, phrases

CLASSES = ClassList("c", (PictureClass("n1", "cube"), PictureClass("n2", "moon")))


def test_a_description_stands_around_the_name_or_behind_it():
    assert phrases("cube", ["a red {}", "with six sides"]) == ["a red cube", "cube, with six sides"]


def test_a_file_names_classes_by_label_or_name(tmp_path):
    path = tmp_path / "d.json"
    path.write_text(json.dumps({"n1": ["with six sides "], "moon": ["a sickle"]}))
    assert describer_of(str(path), CLASSES)(["cube", "moon", "star"]) == {"cube": ["with six sides"], "moon": ["a sickle"]}


def test_the_world_has_colors_textures_and_sizes():
    said = describer_of("world", CLASSES)(["cube"])["cube"]
    assert {"red {}", "striped {}", "small {}"} <= set(said)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("[", "row 1: not valid JSON"),
        ("[1]", "it must be a table of keys and values"),
        ('{"cub": ["x"]}', "did you mean 'cube'"),
        ('{"cube": "x"}', "cube is .x.; it must be a list of texts"),
        ('{"cube": []}', "list of descriptions"),
        ('{"cube": [" "]}', "list of descriptions"),
        ('{"cube": ["with six sides", " "]}', "list of descriptions"),
    ],
)
def test_a_file_that_makes_no_sense_is_named(tmp_path, content, reason):
    (tmp_path / "d.json").write_text(content)
    with pytest.raises(DataError, match=reason):
        describer_of(str(tmp_path / "d.json"), CLASSES)


def test_a_source_that_is_not_there():
    with pytest.raises(UsageError, match="there is no such JSON file"):
        describer_of("wrold", CLASSES)
