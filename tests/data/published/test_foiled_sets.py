"""Sets of captions and foils in the forms they are published in, on a handful of pictures."""

import io
import json

import pytest
from PIL import Image

from eyechart.data.open import open_dataset
from eyechart.errors import DataError


@pytest.fixture
def place(tmp_path, picture_bytes):
    def place(*files, folder="images"):
        for number, file in enumerate(files):
            path = tmp_path / folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture_bytes(number))
        return tmp_path

    return place


def column(dataset, name):
    return dataset.table.column(name).to_pylist()


def write(folder, name, content):
    (folder / name).write_text(content if isinstance(content, str) else json.dumps(content))


def test_sugarcrepe_has_a_kind_for_each_file(place):
    folder = place("1.jpg", "2.jpg", folder="val2017")
    write(folder, "swap_obj.json", {"0": {"filename": "1.jpg", "caption": "a on b", "negative_caption": "b on a"}})
    write(folder, "add_att.json", {"0": {"filename": "2.jpg", "caption": "a cat", "negative_caption": "a wet cat"}})
    dataset = open_dataset(f"sugarcrepe:{folder}")
    assert column(dataset, "attr.kind") == ["add_att", "swap_obj"]
    assert column(dataset, "captions") == [["a cat"], ["a on b"]]
    assert column(dataset, "foils") == [["a wet cat"], ["b on a"]]
    assert dataset.pictures.read(1) == (folder / "val2017" / "1.jpg").read_bytes()
    assert open_dataset(f"sugarcrepe:{folder}", split="swap_obj").ids() == ["swap_obj/00000"]


def test_sugarcrepe_pp_has_two_true_captions(place):
    folder = place("1.jpg")
    row = {"id": 0, "filename": "1.jpg", "caption": "a", "caption2": "the a", "negative_caption": "b"}
    write(folder, "replace_att.json", [row])
    assert column(open_dataset(f"sugarcrepe-pp:{folder}"), "captions") == [["a", "the a"]]
    del row["caption2"]
    write(folder, "replace_att.json", [row])
    with pytest.raises(DataError, match=r"entry 0: it has no second caption.* sugarcrepe:"):
        open_dataset(f"sugarcrepe-pp:{folder}")


def test_winoground_is_two_pictures_a_line(place):
    folder = place("ex_0_img_0.png", "ex_0_img_1.png")
    row = {"id": 0, "image_0": "ex_0_img_0", "image_1": "ex_0_img_1", "collapsed_tag": "Object"}
    write(folder, "examples.jsonl", json.dumps(row | {"caption_0": "old kisses young", "caption_1": "young kisses old"}) + "\n")
    dataset = open_dataset(f"winoground:{folder}")
    assert column(dataset, "captions") == [["old kisses young"], ["young kisses old"]]
    assert column(dataset, "foils") == [["young kisses old"], ["old kisses young"]]
    assert column(dataset, "attr.group") == ["0", "0"]
    assert dataset.pictures.read(1) == (folder / "images" / "ex_0_img_1.png").read_bytes()


def test_aro_looks_at_the_box(tmp_path):
    picture = Image.new("RGB", (40, 30), "white")
    picture.paste("red", (10, 5, 30, 25))
    (tmp_path / "images").mkdir()
    picture.save(tmp_path / "images" / "9.png")
    row = {"image_path": "9.png", "bbox_x": 10, "bbox_y": 5, "bbox_w": 20, "bbox_h": 20, "relation_name": "on"}
    write(tmp_path, "visual_genome_relation.json", [row | {"true_caption": "a on b", "false_caption": "b on a"}])
    dataset = open_dataset(f"aro:{tmp_path}")
    seen = Image.open(io.BytesIO(dataset.pictures.read(0)))
    assert seen.size == (20, 20)
    assert seen.convert("RGB").getcolors() == [(400, (255, 0, 0))]
    assert column(dataset, "attr.kind") == ["relation"]


def test_valse_leaves_out_what_people_did_not_agree_on(place):
    folder = place("1.jpg")
    row = {"image_file": "1.jpg", "caption": "There are no people.", "foil": "There are people."}
    votes = [{"caption": 3, "foil": 0}, {"caption": 1, "foil": 2}]
    write(folder, "existence.json", {f"k{i}": row | {"mturk": votes[i]} for i in range(2)})
    dataset = open_dataset(f"valse:{folder}")
    assert dataset.ids() == ["existence/00000"]
    assert "1 entry without agreement of the annotators left out" in dataset.notices[0].what


def test_whatsup_groups_pictures_of_the_same_two_things(place):
    folder = place("mug_left_of_plate.jpeg", "mug_right_of_plate.jpeg", "000000000042.jpg")
    options = ["A mug to the left of a plate", "A mug to the right of a plate"]
    rows = [
        {"image_path": f"data/controlled_images/mug_{side}_of_plate.jpeg", "caption_options": said}
        for side, said in (("left", options), ("right", options[::-1]))
    ]
    write(folder, "controlled_images_dataset.json", rows)
    write(folder, "coco_qa_one_obj.json", [[42, "A photo of a cat on the left", "A photo of a cat on the right"]])
    dataset = open_dataset(f"whatsup:{folder}")
    groups = column(dataset, "attr.group")
    assert groups == [None, *["controlled_images_dataset: mug and plate"] * 2]
    assert column(dataset, "foils")[2] == [options[0]]
    assert all(dataset.pictures.read(row) for row in range(3))


@pytest.mark.parametrize("name", ["sugarcrepe", "winoground", "aro", "valse", "whatsup"])
def test_an_empty_folder_is_said_to_be_none(tmp_path, name):
    with pytest.raises(DataError, match=r"give the folder"):
        open_dataset(f"{name}:{tmp_path}")


def test_missing_pictures_ask_for_a_root(tmp_path):
    write(tmp_path, "swap_obj.json", {"0": {"filename": "1.jpg", "caption": "a", "negative_caption": "b"}})
    with pytest.raises(DataError, match=r"no picture such as 1.jpg.*give --root"):
        open_dataset(f"sugarcrepe:{tmp_path}")


@pytest.mark.parametrize("file", ["../secret.jpg", "/etc/passwd"])
def test_names_that_lead_out_are_refused(tmp_path, place, file):
    folder = place("1.jpg")
    rows = [{"filename": f, "caption": "a", "negative_caption": "b"} for f in ("1.jpg", file)]
    write(folder, "swap_obj.json", rows)
    with pytest.raises(DataError, match=r"entry 1: .* leads out of"):
        open_dataset(f"sugarcrepe:{folder}")


def test_a_foil_that_is_no_text_is_named(place):
    folder = place("1.jpg")
    write(folder, "swap_obj.json", [{"filename": "1.jpg", "caption": "a", "negative_caption": 7}])
    with pytest.raises(DataError, match=r"entry 0: 'negative_caption' is 7"):
        open_dataset(f"sugarcrepe:{folder}")
