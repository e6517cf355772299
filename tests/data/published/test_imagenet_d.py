"""ImageNet-D in its own layout: subsets, classes as its folders spell them, and the wrong options of its questions."""

import pytest
from PIL import Image

from eyechart.data.class_file import read_classes
from eyechart.data.open import open_dataset
from eyechart.errors import DataError

HEAD = "image_dir\tgt_category\ttop1_pred_cate\ttop2_pred_cate\n"


@pytest.fixture
def folder(tmp_path):
    for place in ("background/binder_closed/1.png", "texture/mug/2.png", "material/coffee_or_french_press/3.png"):
        path = tmp_path / "ImageNet-D" / place
        path.parent.mkdir(parents=True)
        Image.new("RGB", (8, 8)).save(path)
    questions = tmp_path / "ImageNet-D" / "questions"
    questions.mkdir()
    (questions / "background.csv").write_text(HEAD + "background/binder_closed/1.png\tbinder (closed)\tmug\tpen\n")
    (questions / "texture.csv").write_text(HEAD + "texture/mug/2.png\tmug\tmug\tcoffee or french press\n")
    return tmp_path


def test_classes_subsets_and_wrong_options(folder):
    dataset = open_dataset(f"imagenet-d:{folder}")
    rows = {row["id"]: row for row in dataset.table.to_pylist()}
    assert len(dataset.classes) == 113 and dataset.benchmark == "imagenet-d"
    assert rows["background/binder_closed/1.png"]["label"] == "binder_closed"
    assert rows["background/binder_closed/1.png"]["attr.distractor"] == "mug"
    second = rows["texture/mug/2.png"]  # CLIP's best class is the true one, so the second best is the wrong option
    assert (second["attr.distractor"], second["attr.subset"]) == ("coffee_or_french_press", "texture")
    assert rows["material/coffee_or_french_press/3.png"]["attr.distractor"] is None
    said = " ".join(map(str, dataset.notices))
    assert "1 pictures have no question" in said and "has 4,835" in said


def test_the_true_class_in_another_spelling_is_not_the_wrong_option(folder):
    path = folder / "ImageNet-D" / "questions" / "background.csv"
    path.write_text(HEAD + "background/binder_closed/1.png\tbinder (closed)\tbinder_closed\tpen\n")
    rows = {row["id"]: row["attr.distractor"] for row in open_dataset(f"imagenet-d:{folder}").table.to_pylist()}
    assert rows["background/binder_closed/1.png"] == "pen"


def test_a_split_is_a_subset(folder):
    assert open_dataset(f"imagenet-d:{folder}", split="texture").ids() == ["texture/mug/2.png"]
    with pytest.raises(DataError, match="no subset 'tekture'"):
        open_dataset(f"imagenet-d:{folder}", split="tekture")


def test_names_are_those_of_the_published_prompts_and_words_those_of_its_scoring():
    classes = {c.label: c for c in read_classes("imagenet-d")}
    assert classes["binder_closed"].names == ("binder (closed)", "binder")
    assert classes["helmet"].same_as == ("n03379051", "n03127747")  # ImageNet's football helmet (560) and crash helmet (518)


def test_what_does_not_look_right_is_named(folder):
    questions = folder / "ImageNet-D" / "questions" / "texture.csv"
    questions.write_text(HEAD.replace("\t", ",") + "texture/mug/2.png,mug,mug,pen\n")
    with pytest.raises(DataError, match=r"texture.csv, row 2: .* separated by tabs"):
        open_dataset(f"imagenet-d:{folder}")
    questions.unlink()
    (folder / "ImageNet-D" / "texture" / "mug").rename(folder / "ImageNet-D" / "texture" / "dragon")
    with pytest.raises(DataError, match="one of the 113 classes"):
        open_dataset(f"imagenet-d:{folder}")


def test_another_folder_is_not_taken_for_it(tmp_path):
    (tmp_path / "dog").mkdir()
    Image.new("RGB", (8, 8)).save(tmp_path / "dog" / "1.png")
    with pytest.raises(DataError, match="no pictures in background, texture, material"):
        open_dataset(f"imagenet-d:{tmp_path}")


def test_questions_that_are_no_table_are_an_error(folder):
    (folder / "ImageNet-D" / "questions" / "background.csv").write_text(HEAD + "x" * 200_000 + "\n")
    with pytest.raises(DataError, match=r"background.csv: it cannot be read as a table \(field larger"):
        open_dataset(f"imagenet-d:{folder}")
