"""DomainNet: domains as splits, names as COCO has them, and folders that are none."""

import pytest

from eyechart.data.open import open_dataset
from eyechart.errors import DataError

PICTURES = {
    "real/television/real_309_000001.jpg": "tv",
    "real/cell_phone/real_065_000002.jpg": "cell phone",
    "sketch/teddy-bear/sketch_308_000003.jpg": "teddy bear",
    "sketch/television/sketch_309_000004.jpg": "tv",
}


@pytest.fixture
def folder(tmp_path, picture_bytes):
    for number, path in enumerate([*PICTURES, "real/readme.jpg"]):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(picture_bytes(number))
    return tmp_path


def test_classes_have_the_names_of_coco_and_pictures_their_domain(folder, picture_bytes):
    dataset = open_dataset(f"domainnet:{folder}")
    names = {c.label: c.name for c in dataset.classes}
    rows = {row["id"]: row for row in dataset.table.to_pylist()}
    assert {id: names[row["label"]] for id, row in rows.items()} == PICTURES
    assert {id: row["attr.domain"] for id, row in rows.items()} == {id: id.partition("/")[0] for id in PICTURES}
    assert {dataset.pictures.read(i) for i in range(4)} == {picture_bytes(i) for i in range(4)}
    place = dataset.ids().index("sketch/television/sketch_309_000004.jpg")
    assert dataset.pictures.read(place) == picture_bytes(3)


def test_a_split_is_one_domain(folder):
    dataset = open_dataset(f"domainnet:{folder}", split="sketch")
    assert sorted(dataset.ids()) == sorted(id for id in PICTURES if id.startswith("sketch"))


def test_what_is_no_domainnet_is_refused(folder, tmp_path):
    with pytest.raises(DataError, match="there is no domain 'scetch'; did you mean 'sketch'"):
        open_dataset(f"domainnet:{folder}", split="scetch")
    with pytest.raises(DataError, match="it contains none of the folders clipart"):
        open_dataset(f"domainnet:{folder / 'real'}")
