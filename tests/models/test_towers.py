"""Each tower has a fingerprint of its own: what concerns one of them leaves the stored vectors of the other as they are."""

import json
import shutil

import numpy as np
import pytest

import eyechart
from eyechart.files.hashing import HashMemory
from eyechart.models.open import open_model
from eyechart.models.towers import image_fingerprint, text_fingerprint
from eyechart.store.store import Store
from eyechart.world.zoo import zoo_folder

DATA = {"data": "world-objects", "limit": 20, "probes": ["zero_shot"], "prompts": "single"}


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(zoo_folder("sigmoid"), tmp_path / "model")


def changed(folder, change):
    path = folder / "model.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    return open_model(f"onnx:{folder}", hashes=HashMemory())


@pytest.mark.parametrize(
    ("change", "image", "text"),
    [
        (lambda content: content.update(logit_scale=50.0), True, True),
        (lambda content: content["text"].update(context=content["text"]["context"] - 1), True, False),
        (lambda content: content["image"].update(mean=[0.1, 0.2, 0.3]), False, True),
    ],
)
def test_a_change_concerns_the_towers_that_it_changes(folder, change, image, text):
    before = open_model(f"onnx:{folder}", hashes=HashMemory())
    after = changed(folder, change)
    assert before.fingerprint != after.fingerprint
    assert (image_fingerprint(before) == image_fingerprint(after)) is image
    assert (text_fingerprint(before) == text_fingerprint(after)) is text


def test_the_content_of_a_file_counts_and_not_its_name(folder):
    before = open_model(f"onnx:{folder}", hashes=HashMemory())
    name = json.loads((folder / "model.json").read_text())["image"]["file"]
    (folder / name).rename(folder / "other.onnx")
    after = changed(folder, lambda content: content["image"].update(file="other.onnx"))
    assert image_fingerprint(before) == image_fingerprint(after)


def test_another_logit_scale_encodes_no_picture_and_no_text(folder, tmp_path):
    store = tmp_path / "store"
    first = eyechart.examine(model=f"onnx:{folder}", out=tmp_path / "a", store=store, **DATA)
    changed(folder, lambda content: content.update(logit_scale=1.0))
    stored = {row.role: row.vectors for row in Store(store).ls()}
    again = eyechart.examine(model=f"onnx:{folder}", out=tmp_path / "b", store=store, **DATA)
    assert {row.role: row.vectors for row in Store(store).ls()} == stored and len(Store(store).ls()) == 2
    confidence = [np.mean(exam.predictions["confidence"].to_numpy()) for exam in (first, again)]
    assert confidence[1] < confidence[0] - 0.1  # the new scale is used


def test_the_store_tells_ways_of_decoding_apart(folder, tmp_path):
    for exif in ("apply", "ignore"):
        eyechart.examine(model=f"onnx:{folder}", out=tmp_path / exif, store=tmp_path / "store", exif=exif, **DATA)
    pictures = [row for row in Store(tmp_path / "store").ls() if row.role == "image"]
    assert len({row.decoding for row in pictures}) == len(pictures) == 2
    assert any("exif ignore" in row.decoding for row in pictures)
