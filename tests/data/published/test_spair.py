"""SPair-71k in its own layout, two pairs of it."""

import json

import pytest

from eyechart.data.open import open_dataset
from eyechart.errors import DataError


def pair(category, first, second, viewpoint, **more):
    said = {
        "src_imname": f"{first}.jpg", "trg_imname": f"{second}.jpg", "category": category,
        "src_imsize": [40, 30, 3], "trg_imsize": [40, 30, 3], "src_bndbox": [1, 2, 30, 25], "trg_bndbox": [4, 5, 24, 29],
        "src_kps": [[3, 4], [10, 12]], "trg_kps": [[5, 6], [20, 21]], "kps_ids": ["0", "4"],
        "viewpoint_variation": viewpoint, "scale_variation": 0, "truncation": 0, "occlusion": 0,
    }  # fmt: skip
    return said | more


@pytest.fixture
def spair(tmp_path, picture_bytes):
    root = tmp_path / "SPair-71k"
    (root / "PairAnnotation" / "test").mkdir(parents=True)
    for number, (category, first, second) in enumerate([("cat", "2008_1", "2009_2"), ("bus", "2010_3", "2011_4")]):
        (root / "JPEGImages" / category).mkdir(parents=True)
        for name in (first, second):
            (root / "JPEGImages" / category / f"{name}.jpg").write_bytes(picture_bytes(number, "JPEG", (40, 30)))
        name = f"{number:06d}-{first}-{second}-{category}.json"
        (root / "PairAnnotation" / "test" / name).write_text(json.dumps(pair(category, first, second, number * 2)))
    return root


def test_pairs_have_their_key_points_box_and_viewpoint(spair):
    dataset = open_dataset(f"spair:{spair}")
    assert dataset.ids() == ["bus/2010_3.jpg", "bus/2011_4.jpg", "cat/2008_1.jpg", "cat/2009_2.jpg"]
    assert dataset.table.column("label").to_pylist() == ["bus", "bus", "cat", "cat"]
    first, second = dataset.pairs.to_pylist()
    assert (first["id_a"], first["id_b"]) == ("cat/2008_1.jpg", "cat/2009_2.jpg")
    assert (first["points_a"], first["points_b"]) == ([[3, 4], [10, 12]], [[5, 6], [20, 21]])
    assert first["box_b"] == [4, 5, 24, 29]
    assert (first["viewpoint"], second["viewpoint"]) == (0, 2)
    assert dataset.pictures.read(3)


def test_a_limit_keeps_whole_pairs(spair):
    dataset = open_dataset(f"spair:{spair}", limit=3)
    assert len(dataset) == 2
    assert dataset.pairs.num_rows == 1


def annotation(root):
    return next((root / "PairAnnotation" / "test").iterdir())


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (
            lambda root: (root / "JPEGImages").rename(root / "Pictures"),
            "contains no JPEGImages/; give the folder SPair-71k/",
        ),
        (lambda root: [file.unlink() for file in (root / "PairAnnotation/test").iterdir()], "contains no pairs"),
        (lambda root: annotation(root).write_text("{"), "not valid JSON"),
        (lambda root: annotation(root).write_text('{"category": "cat"}'), "not a pair of SPair-71k: 'src_imname' is missing"),
        (lambda root: annotation(root).write_text(json.dumps(pair("cat", "a", "b", 0, trg_kps=[[1, 2]]))), "2 and 1 keypoints"),
        (lambda root: annotation(root).write_text(json.dumps(pair("../cat", "a", "b", 0))), "must be in JPEGImages/"),
    ],
)
def test_a_folder_that_does_not_look_right_is_named(spair, spoil, message):
    spoil(spair)
    with pytest.raises(DataError, match=message):
        open_dataset(f"spair:{spair}")


def test_splits_have_their_names(spair):
    with pytest.raises(DataError, match="PairAnnotation/trn: it contains no pairs"):
        open_dataset(f"spair:{spair}", split="train")
    with pytest.raises(DataError, match="there is no split 'tests'; did you mean 'test'"):
        open_dataset(f"spair:{spair}", split="tests")
