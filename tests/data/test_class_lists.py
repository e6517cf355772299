"""Class lists of the usual benchmarks: sizes as published, and folders as the sets give them out get the names at once."""

import json

import pytest
from tests.data.published.layouts import in_folders

from eyechart.data.class_file import class_list_names, read_classes
from eyechart.data.open import open_dataset

SIZES = {
    "aircraft": 100, "caltech101": 102, "cars": 196, "cifar10": 10, "cifar100": 100,
    "dtd": 47, "eurosat": 10, "flowers102": 102, "food101": 101,
    "imagenet-1k": 1000, "pets": 37, "sun397": 397, "ucf101": 101,
}  # fmt: skip


@pytest.mark.parametrize("name", SIZES)
def test_sizes_are_the_published_ones_and_no_name_stands_twice(name):
    classes = read_classes(name)
    assert len(classes) == SIZES[name]
    assert name == "imagenet-1k" or len({c.name for c in classes}) == len(classes)
    assert "license" in classes.source


def test_every_list_says_what_it_is():
    assert set(SIZES) <= set(class_list_names())
    assert all(read_classes(name).source for name in class_list_names())


@pytest.mark.refdata
@pytest.mark.parametrize(("name", "published"), [("pets", "oxfordpets"), ("food101", "food101"), ("dtd", "dtd")])
def test_names_are_those_of_published_figures(refdata, name, published):
    figures = json.loads((refdata / "per-class" / f"{published}_ensemble_results.json").read_text())
    theirs = {n.replace("_", " ").replace("-", " ").lower() for n in next(iter(figures.values()))["classwise"]}
    assert {c.name.replace("-", " ").lower() for c in read_classes(name)} == theirs


@pytest.mark.parametrize(
    ("name", "folders"),
    [
        ("eurosat", {"AnnualCrop": "annual crop land", "SeaLake": "lake or sea"}),
        ("pets", {"Egyptian_Mau": "Egyptian Mau", "yorkshire_terrier": "Yorkshire Terrier"}),
        ("caltech101", {"Faces_easy": "centered face", "yin_yang": "yin and yang symbol"}),
        ("flowers102", {"1": "pink primrose", "102": "blackberry lily"}),
        ("ucf101", {"ApplyEyeMakeup": "Apply Eye Makeup", "YoYo": "Yo Yo"}),
        ("cifar100", {"aquarium_fish": "aquarium fish", "willow tree": "willow tree"}),
        ("sun397", {"apartment_building_outdoor": "apartment building outdoor", "abbey": "abbey"}),
        ("cars", {"smart fortwo Convertible 2012": "smart fortwo Convertible 2012"}),
        ("aircraft", {"Cessna_172": "Cessna 172", "707-320": "707-320"}),
        ("food101", {"apple_pie": "apple pie", "waffles": "waffles"}),
    ],
)
def test_a_folder_of_the_set_gets_its_names(tmp_path, name, folders):
    dataset = open_dataset(in_folders(tmp_path, folders), classes=name)
    found = [dataset.classes[int(c)].name for c in dataset.label_indices()]
    assert set(found) == set(folders.values())
