"""Inputs that were meant differently: the message says what they are and what to write instead."""

import re

import pytest
from PIL import Image

import eyechart
from eyechart.cli.main import main
from eyechart.corruptions.folder import corrupt_folder
from eyechart.data.open import default_name, open_dataset
from eyechart.errors import DataError
from eyechart.inputs import open_data
from eyechart.plan import DataPlan
from eyechart.progress import SilentProgress


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("hf:owner/name", r"hf:owner/name names a model of the Hugging Face hub; a dataset of the hub is hf://owner/name"),
        ("open_clip:ViT-B-32/openai", r"open_clip:ViT-B-32/openai names a model, not a dataset; give it with --model"),
        ("demo:", r"demo: names a model, not a dataset"),
    ],
)
def test_a_model_given_as_data(source, message):
    with pytest.raises(DataError, match=message):
        open_data(DataPlan(source), seed=0)


def test_a_folder_whose_name_has_a_colon_is_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hf:mine" / "cat").mkdir(parents=True)
    Image.new("RGB", (8, 8)).save(tmp_path / "hf:mine" / "cat" / "1.png")
    assert open_data(DataPlan("hf:mine"), seed=0).ids() == ["cat/1.png"]


@pytest.mark.parametrize("part", ["test", "train", "val", "Images", "data"])
def test_the_name_of_a_part_comes_with_the_folder_above(tmp_path, part):
    (tmp_path / "pets" / part).mkdir(parents=True)
    assert default_name(str(tmp_path / "pets" / part)) == f"pets/{part}"


def test_other_folders_keep_their_own_name(tmp_path):
    (tmp_path / "pets" / "tests").mkdir(parents=True)
    assert default_name(str(tmp_path / "pets" / "tests")) == "tests"
    assert default_name(str(tmp_path / "pets")) == "pets"


def test_the_output_of_corrupt_is_not_plain_data(photos, tmp_path):
    corrupt_folder(photos, tmp_path / "out", ["noise"], [3], SilentProgress())
    with pytest.raises(DataError, match=r"`eyechart corrupt` wrote this folder.*--data ORIGINALS --shift corrupted:"):
        open_dataset(tmp_path / "out")
    with pytest.raises(DataError, match=rf"its subfolders are severities.*--shift corrupted:{re.escape(str(tmp_path / 'out'))}$"):
        open_dataset(tmp_path / "out" / "noise")
    assert len(open_dataset(tmp_path / "out" / "noise" / "3")) == 15  # one severity alone is a folder of classes
    assert len(open_dataset(f"corrupted:{tmp_path / 'out'}")) == 15


def test_a_folder_without_labels_says_what_cannot_be_measured(photos, tmp_path, capsys):
    (tmp_path / "flat").mkdir()
    for path in sorted(photos.rglob("*.png")):
        path.rename(tmp_path / "flat" / path.name)
    words = ["examine", "--model", "demo:", "--data", str(tmp_path / "flat"), "--quiet"]
    assert main([*words, "--store", str(tmp_path / "store"), "--out", str(tmp_path / "out")]) == 7
    shown = capsys.readouterr().out
    assert "flat: it has no labels" in shown
    assert "known already" not in shown
    (notice,) = [n for n in eyechart.Examination(tmp_path / "out").notices if "no labels" in n.what]
    assert "one subfolder per class" in notice.remedy


def test_pictures_to_compare_with_need_no_labels(photos, drawn, tmp_path):
    plan = DataPlan(str(drawn / "star"), role="ood")
    assert open_data(plan, seed=0).notices == ()


def test_a_device_that_cannot_be_used_is_refused_though_all_vectors_are_stored(photos, tmp_path, capsys):
    words = ["examine", "--model", "demo:", "--data", str(photos), "--probes", "zero_shot", "--prompts", "bare", "--quiet"]
    words += ["--store", str(tmp_path / "store"), "--out", str(tmp_path / "out")]
    assert main(words) == 0
    assert main([*words, "--device", "mps"]) == 2
    assert "device 'mps' is not supported for ONNX models; use auto, cpu, cuda or cuda:N" in capsys.readouterr().err


def test_doctor_names_every_published_set(tmp_path, capsys):
    assert main(["doctor", "--store", str(tmp_path / "store")]) == 0
    lines = capsys.readouterr().out.splitlines()
    named = [line.split("data: ")[1].split("  ")[0] for line in lines if "data: " in line]
    assert {"imagenet-c", "corrupted", "dtd", "folder"} <= set(named)
    assert "published" not in named
    assert len(named) == len(set(named))


def test_the_world_draws_its_own_objects_unless_names_are_given(tmp_path, capsys):
    words = ["generate", str(tmp_path / "out"), "--generator", "world:no-order", "--sets", "2", "--side", "32", "--quiet"]
    assert main(words) == 0
    capsys.readouterr()
    (tmp_path / "names.txt").write_text("star\nzebra\nbroccoli\n")
    assert main([*words[:1], str(tmp_path / "other"), *words[2:], "--names", str(tmp_path / "names.txt")]) == 2
    said = capsys.readouterr().err
    assert "the world cannot draw zebra; broccoli (2 of 3 names); leave out --names for its own objects (cube," in said
    assert not (tmp_path / "other").exists()
