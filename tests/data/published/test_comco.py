"""ComCO: names from file names, the large object from folder names, and folders that do not say it."""

import pytest

from eyechart.data.open import open_dataset
from eyechart.data.published.comco import large_place
from eyechart.errors import DataError

FILES = (
    "CoCo-OneObject/cat.png",
    "CoCo-OneObject/fire hydrant.png",
    "CoCo-FourObject-Middle-Big/cat_fire hydrant_cup_bed.png",
    "CoCo-FourObject-Middle-Big/bed_cup_cat_dog.png",
    "CoCo-ThreeObject-End-Big/dog_cat_cup.png",
    "CoCo-FiveObject-Middle-Big/a_b_c_d_e.png",
    "CoCo-TwoObject-Start-Big/cup_cat.png",
)


@pytest.fixture
def folder(tmp_path, picture_bytes):
    for number, path in enumerate(FILES):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_bytes(picture_bytes(number))
    return tmp_path


def test_names_are_in_file_names_and_the_large_object_in_folder_names(folder, picture_bytes):
    dataset = open_dataset(f"comco:{folder}")
    rows = {row["id"]: row for row in dataset.table.to_pylist()}
    large = {
        "cat_fire hydrant_cup_bed": "fire hydrant",
        "bed_cup_cat_dog": "cup",
        "dog_cat_cup": "cup",
        "a_b_c_d_e": "c",
        "cup_cat": "cup",
    }
    assert {id.split("/")[1].removesuffix(".png"): row["label"] for id, row in rows.items()} == large
    for id, row in rows.items():
        names = id.split("/")[1].removesuffix(".png").split("_")
        assert [o["name"] for o in row["objects"]] == names
        assert [o["name"] for o in row["objects"] if o["large"]] == [row["label"]]
        across = [o["x"] for o in row["objects"]]
        assert across == sorted(across)
        assert 0 < across[0] <= across[-1] < 1
        assert row["attr.count"] == len(names)
    at = {id.split("/")[0].split("-")[1]: row["attr.large_at"] for id, row in rows.items()}
    assert at == {"FourObject": "middle", "ThreeObject": "end", "FiveObject": "middle", "TwoObject": "start"}
    place = dataset.ids().index("CoCo-ThreeObject-End-Big/dog_cat_cup.png")
    assert dataset.pictures.read(place) == picture_bytes(FILES.index("CoCo-ThreeObject-End-Big/dog_cat_cup.png"))


@pytest.mark.parametrize("as_split", [True, False])
def test_single_objects_are_targets(folder, as_split):
    dataset = (
        open_dataset(f"comco:{folder}", split="CoCo-OneObject") if as_split else open_dataset(f"comco:{folder}/CoCo-OneObject")
    )
    rows = dataset.table.to_pylist()
    assert [row["label"] for row in rows] == ["cat", "fire hydrant"]
    assert [[o["name"] for o in row["objects"]] for row in rows] == [["cat"], ["fire hydrant"]]
    assert [row["attr.large_at"] for row in rows] == [None, None]


def test_one_folder_of_scenes_by_itself(folder):
    dataset = open_dataset(f"comco:{folder}/CoCo-ThreeObject-End-Big")
    assert dataset.table.to_pylist()[0]["label"] == "cup"


def test_folders_that_do_not_say_where_the_large_object_is(folder, picture_bytes):
    (folder / "CoCo-TwoObject-Middle-Big").mkdir()
    (folder / "CoCo-TwoObject-Middle-Big" / "cat_dog.png").write_bytes(picture_bytes(20))
    (folder / "Others").mkdir()
    (folder / "Others" / "cat_dog_cup.png").write_bytes(picture_bytes(21))
    dataset = open_dataset(f"comco:{folder}")
    assert not [id for id in dataset.ids() if "/cat_dog" in id]
    said = " ".join(str(notice) for notice in dataset.notices)
    assert "2 pictures left out" in said
    assert "Others" in said
    with pytest.raises(DataError, match="no folder says where the large object stands"):
        open_dataset(f"comco:{folder}/Others")
    with pytest.raises(DataError, match="did you mean 'CoCo-OneObject'"):
        open_dataset(f"comco:{folder}", split="CoCo-OneObjects")


def test_a_file_name_without_names_is_refused(folder, picture_bytes):
    (folder / "CoCo-TwoObject-Start-Big" / "cat__dog.png").write_bytes(picture_bytes(9))
    with pytest.raises(DataError, match="names of its objects joined by '_'"):
        open_dataset(f"comco:{folder}")


@pytest.mark.parametrize(
    ("name", "place"),
    [
        ("SimCo/four_objects_large_first", "start"),
        ("CoCo-FiveObject-End-Big", "end"),
        ("Middle-Big/images", "middle"),
        ("CoCo-OneObject", None),
        ("Legend-of-Startup", None),  # words, not parts of words
    ],
)
def test_words_of_folder_names(name, place):
    assert large_place(name) == place
