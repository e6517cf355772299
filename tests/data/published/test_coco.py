"""COCO's annotations in the form they are given out in, on a handful of pictures."""

import json

import pytest

from eyechart.data.open import open_dataset
from eyechart.errors import DataError


@pytest.fixture
def coco(tmp_path, picture_bytes):
    def write(split="val2017", captions=True, **more):
        (tmp_path / "annotations").mkdir(exist_ok=True)
        (tmp_path / split).mkdir(exist_ok=True)
        images = [{"id": n, "file_name": f"{n}.jpg", "width": 20, "height": 10} for n in (7, 9)]
        for image in images:
            (tmp_path / split / image["file_name"]).write_bytes(picture_bytes(image["id"]))
        annotations = [
            {"image_id": 7, "category_id": 1, "bbox": [0, 0, 10, 10], "area": 50.0, "iscrowd": 0},
            {"image_id": 7, "category_id": 3, "bbox": [10, 0, 4, 5], "iscrowd": 0},
            {"image_id": 9, "category_id": 3, "bbox": [0, 0, 20, 10], "area": 200.0, "iscrowd": 1},
        ]
        categories = [{"id": 1, "name": "person"}, {"id": 3, "name": "hot dog"}]
        content = {"images": images, "annotations": annotations, "categories": categories} | more
        (tmp_path / "annotations" / f"instances_{split}.json").write_text(json.dumps(content))
        if captions:
            said = [{"image_id": 7, "caption": " A person with a hot dog.\n"}, {"image_id": 7, "caption": "lunch"}]
            (tmp_path / "annotations" / f"captions_{split}.json").write_text(json.dumps({"annotations": said}))
        return f"coco:{tmp_path}"

    return write


def test_things_have_the_area_of_their_mask_or_else_of_their_box(coco):
    dataset = open_dataset(coco())
    assert dataset.ids() == ["7.jpg", "9.jpg"]
    assert [c.name for c in dataset.classes] == ["person", "hot dog"]
    person, dog = dataset.table.column("objects").to_pylist()[0]
    assert person == {"name": "person", "area": 0.25, "box": [0.0, 0.0, 10.0, 10.0]}
    assert dog == {"name": "hot dog", "area": 0.1, "box": [10.0, 0.0, 14.0, 5.0]}
    assert dataset.table.column("captions").to_pylist() == [["A person with a hot dog.", "lunch"], []]
    assert dataset.table.column("objects").to_pylist()[1] == []  # a crowd is no thing
    assert any("1 annotation of crowds" in notice.what for notice in dataset.notices)
    assert dataset.pictures.read(0)


def test_captions_may_be_missing_and_splits_must_be_chosen(coco):
    assert open_dataset(coco(captions=False)).table.column("captions").to_pylist() == [[], []]
    spec = coco("train2017")
    with pytest.raises(DataError, match="train2017, val2017; choose one with --split"):
        open_dataset(spec)
    assert len(open_dataset(spec, split="train2017")) == 2
    with pytest.raises(DataError, match="did you mean 'val2017'"):
        open_dataset(spec, split="val2018")


@pytest.mark.parametrize(
    ("more", "says"),
    [
        ({"images": None}, "no list 'images'"),
        ({"annotations": [{"image_id": 7}]}, r"annotations\[0\]: it lacks 'category_id'"),
        ({"annotations": [{"image_id": 8, "category_id": 1, "bbox": [0, 0, 1, 1]}]}, "not in the file"),
        ({"images": [{"id": 1, "file_name": "../x.jpg", "width": 1, "height": 1}], "annotations": []}, "leads out"),
    ],
)
def test_damaged_files_are_named(coco, more, says):
    with pytest.raises(DataError, match=says):
        open_dataset(coco(**more))
