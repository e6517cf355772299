"""Karpathy's splits in the form they are published in, on a handful of pictures."""

import json

import pytest

from eyechart.data.open import open_dataset
from eyechart.errors import DataError


def entry(number, split="test", captions=5, **more):
    sentences = [
        {"tokens": ["a"], "raw": f"caption {number}.{j}", "imgid": number, "sentid": 9 * number + j} for j in range(captions)
    ]
    known = {"sentids": [9 * number + j for j in range(captions)], "imgid": number, "sentences": sentences}
    return known | {"split": split, "filename": f"{number}.jpg"} | more


@pytest.fixture
def write(tmp_path, picture_bytes):
    def write(entries, name="dataset_flickr30k.json", folder="flickr30k-images"):
        for one in entries:
            place = tmp_path / folder / one.get("filepath", "")
            place.mkdir(parents=True, exist_ok=True)
            (place / one["filename"]).write_bytes(picture_bytes(one["imgid"]))
        (tmp_path / name).write_text(json.dumps({"images": entries, "dataset": "x"}))
        return tmp_path / name

    return write


def test_flickr30k_is_its_test_split_with_five_captions_each(write):
    dataset = open_dataset(write([entry(1, "train"), entry(2), entry(3, "val"), entry(4)]))
    assert dataset.ids() == ["2.jpg", "4.jpg"]
    assert dataset.table.column("captions").to_pylist()[1] == [f"caption 4.{j}" for j in range(5)]
    assert dataset.pictures.read(1)
    assert not dataset.notices


def test_coco_pictures_lie_in_folders_by_year_and_a_sixth_caption_is_left_out(write):
    file = write([entry(7, captions=7, filepath="val2014"), entry(8, filepath="val2014")], "dataset_coco.json", "coco")
    dataset = open_dataset(file, root=file.parent / "coco")
    assert dataset.ids() == ["val2014/7.jpg", "val2014/8.jpg"]
    assert [len(said) for said in dataset.table.column("captions").to_pylist()] == [5, 5]
    assert "2 captions beyond the 5th" in dataset.notices[0].what
    assert dataset.pictures.read(0)


def test_another_split_is_chosen_by_name(write):
    file = write([entry(1, "train"), entry(2), entry(3, "restval")])
    assert open_dataset(file, split="restval").ids() == ["3.jpg"]
    with pytest.raises(DataError, match=r"no split 'tests'; did you mean 'test'\?.*restval, test, train"):
        open_dataset(file, split="tests")


def test_without_pictures_the_root_is_asked_for(write, tmp_path):
    file = write([entry(1)])
    (tmp_path / "flickr30k-images" / "1.jpg").unlink()
    with pytest.raises(DataError, match=r"no picture such as 1.jpg found .*give --root the folder of the pictures"):
        open_dataset(file)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{", "not valid JSON"),
        ("[1]", "not one of Karpathy's split files"),
        ('{"images": [{"filename": "1.jpg"}]}', "not one of Karpathy's split files"),
        ('{"images": [{"split": "test", "sentences": [{"raw": "a"}]}]}', r"images\[0\]: 'filename' is None"),
        ('{"images": [{"split": "test", "filename": "1.jpg", "sentences": ["a"]}]}', "each with its text under 'raw'"),
        ('{"images": [{"split": "test", "filename": "../1.jpg", "sentences": [{"raw": "a"}]}]}', "no picture such as"),
    ],
)
def test_a_file_that_is_something_else_is_named(tmp_path, content, message):
    (tmp_path / "dataset_coco.json").write_text(content)
    with pytest.raises(DataError, match=message):
        open_dataset(tmp_path / "dataset_coco.json")


def test_a_picture_may_not_lie_outside_of_the_root(write, tmp_path):
    file = write([entry(1)])
    file.write_text(json.dumps({"images": [entry(1, filename="../1.jpg")]}))
    with pytest.raises(DataError, match="leads out of"):
        open_dataset(file, root=tmp_path / "flickr30k-images")


def test_a_picture_that_stands_twice_is_named(write):
    with pytest.raises(DataError, match=r"images\[1\]: id '1.jpg' is already used in"):
        open_dataset(write([entry(1), entry(1)]))


def test_a_folder_is_given_by_the_set_s_name(write, tmp_path):
    write([entry(2), entry(3)])
    assert open_dataset(f"flickr30k:{tmp_path}").ids() == ["2.jpg", "3.jpg"]
    with pytest.raises(DataError, match=r"it contains no dataset_coco\.json"):
        open_dataset(f"coco-karpathy:{tmp_path}")
