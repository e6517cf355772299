"""Folders of generated pictures: prompts beside them, as CSV or JSONL, with what a detector saw or without."""

import json

import pytest

from eyechart.data.open import open_dataset
from eyechart.errors import DataError

CSV = "picture,prompt,objects,generator,seed\n"
SEEN = "picture,prompt,objects,detected\n"


@pytest.fixture
def folder(tmp_path, picture_bytes):
    for number in range(2):
        (tmp_path / f"{number}.png").write_bytes(picture_bytes(number))
    return tmp_path


def test_a_csv_is_read(folder):
    (folder / "prompts.csv").write_text(
        CSV + "0.png,a cat and a hot dog,cat; hot dog,sd,7\n" + '1.png,a hot dog and cats,"[""hot dog"", ""cat""]",sd,8\n'
    )
    dataset = open_dataset(f"generated:{folder}")
    assert dataset.ids() == ["0.png", "1.png"]
    assert dataset.table["attr.mentioned"].to_pylist() == [["cat", "hot dog"], ["hot dog", "cat"]]
    assert dataset.table["attr.prompt"][0].as_py() == "a cat and a hot dog"
    assert dataset.table["attr.seed"].to_pylist() == [7, 8]
    assert not dataset.has("objects") and not dataset.has("captions")  # a prompt is not what the picture shows
    assert dataset.pictures.read(0) == (folder / "0.png").read_bytes()
    assert dataset.notices == ()


def test_what_a_detector_saw_becomes_objects(folder):
    lines = [
        {"picture": "0.png", "prompt": "a cat and a dog", "objects": ["cat", "dog"],
         "detected": [{"name": "cat", "box": [0, 0, 10, 20]}, {"name": "tree", "area": 0.5}]},
        {"picture": "1.png", "prompt": "a dog and a cat", "objects": ["dog", "cat"], "detected": []},
    ]  # fmt: skip
    (folder / "prompts.jsonl").write_text("\n".join(map(json.dumps, lines)))
    first, second = open_dataset(f"generated:{folder}").table["objects"].to_pylist()
    assert [(thing["name"], thing["area"]) for thing in first] == [("cat", 200.0), ("tree", 0.5)]
    assert second == []


def test_prompts_that_say_it_in_other_words_are_counted(folder):
    (folder / "prompts.csv").write_text(CSV + "0.png,a kitten in a vacation photo beside a dog,cat; dog,sd,1\n")
    (notice,) = open_dataset(f"generated:{folder}").notices
    assert "1 prompt without the name of one of its objects" in notice.what


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("picture,prompt\n0.png,a cat", "no column 'objects'"),
        (CSV + "0.png,a dog and a cat,cat; dog,sd,1", "row 2: the prompt names 'dog' before 'cat'"),
        (CSV + "0.png,a cat,;,sd,1", "'objects' is empty"),
        (CSV + "0.png,a cat and a cat,cat; Cat,sd,1", "lists an object twice"),
        (CSV + "0.png,a cat,[1],sd,1", "something other than names"),
        (CSV + "0.png,a cat,[cat,sd,1", "not a JSON list"),
        (CSV + "../0.png,a cat,cat,sd,1", "leads out of"),
        (CSV + "0.png,a cat,cat,sd,1\n0.png,a dog,dog,sd,1", "is already used"),
        (SEEN + '0.png,a cat,cat,"[{""name"": ""cat"", ""box"": [1, 2]}]"', "left, top, right"),
        (SEEN + "0.png,a cat,cat,[1]", "have a name"),
    ],
)  # fmt: skip
def test_what_cannot_be_read_is_refused_by_its_place(folder, text, why):
    (folder / "prompts.csv").write_text(text)
    with pytest.raises(DataError, match=why):
        open_dataset(f"generated:{folder}")


def test_a_folder_holds_one_table(folder):
    with pytest.raises(DataError, match=r"contains no prompts\.jsonl, prompts\.csv"):
        open_dataset(f"generated:{folder}")
    for name in ("prompts.csv", "prompts.jsonl"):
        (folder / name).write_text("x")
    with pytest.raises(DataError, match="keep one of them"):
        open_dataset(f"generated:{folder}")
    with pytest.raises(DataError, match="no splits"):
        open_dataset(f"generated:{folder}", split="val")
