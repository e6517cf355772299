"""Cue-conflict pictures by their file names."""

from collections import Counter

import pytest

from eyechart.data.open import open_dataset
from eyechart.data.published.cue_conflict import CATEGORIES
from eyechart.errors import DataError, UsageError


@pytest.fixture
def stimuli(tmp_path, picture_bytes):
    def put(*paths):
        for number, path in enumerate(paths):
            file = tmp_path / "stimuli" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(picture_bytes(number))
        return f"cue-conflict:{tmp_path / 'stimuli'}"

    return put


def test_a_name_tells_shape_texture_and_their_sources(stimuli):
    dataset = open_dataset(stimuli("cat/cat7-elephant1.png", "oven/oven10-dog2.png"))
    assert dataset.name == "cue-conflict"
    assert dataset.ids() == ["cat/cat7-elephant1.png", "oven/oven10-dog2.png"]
    assert dataset.table.column("attr.shape").to_pylist() == ["cat", "oven"]
    assert dataset.table.column("attr.texture").to_pylist() == ["elephant", "dog"]
    assert dataset.table.column("attr.shape_source").to_pylist() == ["cat7", "oven10"]
    assert dataset.table.column("attr.texture_source").to_pylist() == ["elephant1", "dog2"]


def test_both_answers_are_right_so_there_is_no_label(stimuli):
    dataset = open_dataset(stimuli("cat/cat7-elephant1.png"))
    assert not dataset.has("label")


def test_some_of_the_sixteen_categories_are_answered_among_all(stimuli):
    dataset = open_dataset(stimuli("cat/cat7-elephant1.png"))
    assert [c.name for c in dataset.classes] == list(CATEGORIES) == sorted(CATEGORIES)
    assert len(CATEGORIES) == 16


def test_other_categories_are_those_of_the_files(stimuli):
    dataset = open_dataset(stimuli("cat/cat1-sofa1.png"))
    assert [c.name for c in dataset.classes] == ["cat", "sofa"]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("cat/cat7.png", "cat7.png: the file name does not tell shape and texture; rename it to <shape>/"),
        ("dog/cat7-elephant1.png", "a picture with the shape 'cat' is in the folder 'dog'"),
    ],
)
def test_a_folder_that_does_not_look_right_names_the_file(stimuli, path, message):
    with pytest.raises(DataError, match=message):
        open_dataset(stimuli(path))


def test_a_folder_that_is_not_there_is_named(tmp_path):
    with pytest.raises(DataError, match=r"cue-conflict: there is no folder '.*stimulii'"):
        open_dataset(f"cue-conflict:{tmp_path / 'stimulii'}")


def test_columns_cannot_be_chosen(stimuli):
    with pytest.raises(UsageError, match="cue-conflict: its columns are fixed"):
        open_dataset(stimuli("cat/cat7-elephant1.png"), columns={"label": "x"})


@pytest.mark.refdata
def test_the_published_stimuli_are_read(refdata):
    dataset = open_dataset(f"cue-conflict:{refdata / 'cue-conflict'}")
    shapes, textures = (dataset.table.column(f"attr.{part}").to_pylist() for part in ("shape", "texture"))
    assert (len(dataset), set(Counter(shapes).values())) == (256, {16})
    assert sum(shape == texture for shape, texture in zip(shapes, textures, strict=True)) == 17
