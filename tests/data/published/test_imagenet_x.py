"""ImageNet-X beside the user's pictures: found without importing the package, attached by file name."""

import json
from importlib import import_module

import numpy as np
import pytest

from eyechart.data.class_file import read_classes
from eyechart.data.open import open_dataset
from eyechart.data.published.imagenet_x import FACTORS
from eyechart.errors import DataError

NAMES = [f"ILSVRC2012_val_{i:08d}.JPEG" for i in range(1, 6)]
WNIDS = [c.label for c in read_classes("imagenet-1k")]


@pytest.fixture
def package(tmp_path, monkeypatch):
    """A package with the files of imagenet-x that cannot be imported. Of five pictures of classes 0, 0, 1, 2, 152 the second is a
    prototype and the last was not annotated; the first is marked for pose, the third for texture."""
    folder = tmp_path / "site" / "imagenet_x" / "annotations"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").write_text("raise RuntimeError('imported')")
    rows = [(NAMES[0], 0, {"pose"}), (NAMES[1], 0, {"pose"}), (NAMES[2], 1, {"texture"}), (NAMES[3], 2, set())]
    for kind, more in (("top", set()), ("multi", {"color"})):
        lines = [
            json.dumps({"file_name": n, "class": c, **{f: int(f in marked | more) for f in FACTORS}, "one_word": "x"})
            for n, c, marked in rows
        ]
        (folder / f"imagenet_x_val_{kind}_factor.jsonl").write_text("\n".join(lines))
    (folder / "prototypical_paths.csv").write_text(f"file_name\n{NAMES[1]}\n")
    (folder / "filename_label.csv").write_text(
        "file_name,label\n" + "".join(f"{n},{c}\n" for n, c in zip(NAMES, (0, 0, 1, 2, 152), strict=True))
    )
    metaclasses = ["fish"] * 151 + ["dog"] * 849
    (folder / "imagenet_1k_classes_to_100_metaclasses.csv").write_text(
        "wnid,name,metaclass\n" + "".join(f"n0,{m},0\n" for m in metaclasses)
    )
    (folder / "imagenet_real_labels.jsonl").write_text("[[0], [], [1, 5], [2], [152]]")
    monkeypatch.syspath_prepend(tmp_path / "site")
    return folder


@pytest.fixture
def val(tmp_path, picture_bytes):
    def put(*paths):
        for number, path in enumerate(paths):
            file = tmp_path / "val" / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(picture_bytes(number, "JPEG"))
        return f"imagenet-x:{tmp_path / 'val'}"

    return put


def column(dataset, name):
    return dict(zip(dataset.ids(), dataset.table.column(name).to_pylist(), strict=True))


def test_factors_are_attached_by_file_name_without_prototypes(package, val):
    dataset = open_dataset(val(*NAMES))
    assert column(dataset, "factor.pose") == dict(zip(NAMES, [True, None, False, False, None], strict=True))
    assert column(dataset, "factor.texture") == dict(zip(NAMES, [False, None, True, False, None], strict=True))
    assert [name for name in dataset.table.column_names if name.startswith("factor.")] == [f"factor.{f}" for f in FACTORS]
    assert any("2 of 5 pictures are prototypes or have no annotation" in n.what for n in dataset.notices)


def test_labels_and_classes_are_imagenets_own_whatever_the_folders(package, val):
    dataset = open_dataset(val(*NAMES))
    assert dataset.table.column("label").to_pylist() == [WNIDS[c] for c in (0, 0, 1, 2, 152)]
    assert len(dataset.classes) == 1000
    np.testing.assert_array_equal(dataset.label_indices(), [0, 0, 1, 2, 152])


def test_metaclasses_and_real_labels_stand_beside(package, val):
    dataset = open_dataset(val(*NAMES))
    assert list(column(dataset, "attr.metaclass").values()) == ["other", "other", "other", "other", "dog"]
    assert list(column(dataset, "attr.real").values()) == [[WNIDS[0]], [], [WNIDS[1], WNIDS[5]], [WNIDS[2]], [WNIDS[152]]]


def test_all_factors_of_a_picture_are_a_set_of_their_own(package, val):
    dataset = open_dataset(val(*NAMES).replace("imagenet-x:", "imagenet-x-multi:"))
    assert column(dataset, "factor.color")[NAMES[0]] is True
    assert column(dataset, "factor.pose")[NAMES[0]] is True


def test_folders_of_wordnet_ids_are_taken_and_checked(package, val):
    assert len(open_dataset(val(f"{WNIDS[0]}/{NAMES[0]}", f"{WNIDS[1]}/{NAMES[2]}"))) == 2
    with pytest.raises(DataError, match=rf"it is in {WNIDS[3]} but belongs to class {WNIDS[2]}; move it there"):
        open_dataset(val(f"{WNIDS[3]}/{NAMES[3]}"))


def test_pictures_that_are_not_of_the_validation_set_are_refused(package, val):
    with pytest.raises(DataError, match=r"none of its 1 pictures is named like the ImageNet validation set .*; give the folder"):
        open_dataset(val("cat.jpg"))


def test_without_the_package_it_says_what_to_install(tmp_path, val, monkeypatch):
    monkeypatch.setattr("eyechart.data.published.imagenet_x.find_spec", lambda name: None)
    with pytest.raises(DataError, match="which is not installed: pip install --no-deps imagenet-x"):
        open_dataset(val(NAMES[0]))


def test_a_package_without_its_files_is_named(package, val):
    (package / "prototypical_paths.csv").unlink()
    with pytest.raises(DataError, match=r"prototypical_paths.csv: the annotations cannot be read .*; install the package again"):
        open_dataset(val(NAMES[0]))


def test_the_package_of_this_test_cannot_be_imported(package):
    with pytest.raises(RuntimeError, match="imported"):
        import_module("imagenet_x")
