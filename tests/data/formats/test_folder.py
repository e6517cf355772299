import os
import unicodedata

import pytest

from eyechart.data.formats.folder import read_folder
from eyechart.data.open import open_dataset
from eyechart.errors import DataError


@pytest.fixture
def lay(tmp_path, picture_bytes):
    """Lay pictures at the given places of a folder."""

    def make(*places):
        for number, place in enumerate(places):
            path = tmp_path / "pets" / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(picture_bytes(number))
        return tmp_path / "pets"

    return make


def test_subfolders_are_labels_and_paths_are_ids(lay, picture_bytes):
    dataset = open_dataset(lay("maine_coon/b.png", "maine_coon/a.PNG", "beagle/a.jpg"))
    assert dataset.ids() == ["beagle/a.jpg", "maine_coon/a.PNG", "maine_coon/b.png"]
    assert dataset.table.column("label").to_pylist() == ["beagle", "maine_coon", "maine_coon"]
    assert [(c.label, c.name) for c in dataset.classes] == [("beagle", "beagle"), ("maine_coon", "maine coon")]
    assert dataset.label_indices().tolist() == [0, 1, 1]
    assert dataset.pictures.read(0) == picture_bytes(2)


def test_a_flat_folder_has_no_labels(lay):
    dataset = open_dataset(lay("b.png", "a.png"))
    assert (dataset.ids(), dataset.has("label"), dataset.classes) == (["a.png", "b.png"], False, None)


def test_hidden_files_are_not_seen_and_others_are_counted_once(lay):
    folder = lay("cat/a.png", "cat/.b.png", ".git/c.png", "dog/d.png")
    (folder / "cat" / "notes.txt").write_text("x")
    (folder / "Thumbs.db").write_text("x")
    reading = read_folder(folder)
    assert reading.table.column("id").to_pylist() == ["cat/a.png", "dog/d.png"]
    (notice,) = reading.notices
    assert "2 files other than pictures ignored" in str(notice)
    (folder / "Thumbs.db").unlink()
    assert "1 file other than pictures ignored" in str(read_folder(folder).notices[0])


def test_a_link_that_leads_out_is_refused_and_counted(lay, tmp_path, picture_bytes):
    folder = lay("cat/a.png", "dog/b.png")
    (tmp_path / "outside.png").write_bytes(picture_bytes(9))
    (folder / "cat" / "link.png").symlink_to(tmp_path / "outside.png")
    (folder / "dog" / "same.png").symlink_to(folder / "cat" / "a.png")
    reading = read_folder(folder)
    assert reading.table.column("id").to_pylist() == ["cat/a.png", "dog/b.png", "dog/same.png"]
    assert "1 links lead out of the folder" in str(reading.notices[0])


def test_a_link_may_lead_into_the_root_that_was_given(lay, tmp_path, picture_bytes):
    folder = lay("cat/a.png", "dog/b.png")
    (tmp_path / "outside.png").write_bytes(picture_bytes(9))
    (folder / "cat" / "link.png").symlink_to(tmp_path / "outside.png")
    dataset = open_dataset(folder, root=tmp_path)
    assert dataset.pictures.read(dataset.ids().index("cat/link.png")) == picture_bytes(9)


def test_links_in_a_circle_come_to_an_end(lay):
    folder = lay("cat/a.png", "dog/b.png")
    (folder / "cat" / "round").symlink_to(folder)
    assert len(read_folder(folder).table) >= 2


def test_deeper_folders_take_the_topmost_label(lay):
    dataset = open_dataset(lay("cat/young/a.png", "cat/young/small/b.png", "dog/c.png"))
    assert dataset.table.column("label").to_pylist() == ["cat", "cat", "dog"]
    assert any("2 pictures are deeper" in str(n) for n in dataset.notices)


def test_folders_of_splits_are_no_classes(lay):
    folder = lay("train/cat/a.png", "train/dog/b.png", "val/cat/c.png")
    with pytest.raises(DataError, match="splits train, val; choose one"):
        open_dataset(folder)
    assert open_dataset(folder, split="train").table.column("label").to_pylist() == ["cat", "dog"]
    with pytest.raises(DataError, match="no split 'vall'; did you mean 'val'"):
        open_dataset(folder, split="vall")


def test_pictures_beside_class_folders_have_no_label(lay):
    dataset = open_dataset(lay("cat/a.png", "dog/b.png", "loose.png"))
    assert dataset.table.column("label").to_pylist() == ["cat", "dog", None]
    assert dataset.label_indices().tolist() == [0, 1, -1]
    assert any("1 pictures are in no subfolder" in str(n) for n in dataset.notices)


def test_an_empty_subfolder_is_a_class_without_pictures(lay):
    folder = lay("cat/a.png", "dog/b.png")
    (folder / "zebra").mkdir()
    dataset = open_dataset(folder)
    assert [c.label for c in dataset.classes] == ["cat", "dog", "zebra"]
    assert any("1 of 3 classes have no picture: zebra" in str(n) for n in dataset.notices)


def test_an_empty_folder_says_what_was_looked_for(tmp_path):
    with pytest.raises(DataError, match=r"contains no pictures \(looked for bmp, gif"):
        open_dataset(tmp_path)


def test_accents_of_folder_names_are_of_one_spelling(lay, tmp_path):
    folder = lay(unicodedata.normalize("NFD", "café") + "/a.png", "thé/b.png")
    (tmp_path / "names.txt").write_text("café\nthé\n", encoding="utf-8")
    dataset = open_dataset(folder, classes=tmp_path / "names.txt")
    assert dataset.label_indices().tolist() == [0, 1]
    assert dataset.pictures.read(0)


def test_a_file_name_that_is_not_utf8_is_spelled_out_and_read(lay, picture_bytes):
    folder = lay("cat/a.png")
    (folder / "cat" / os.fsdecode(b"b\xe9.png")).write_bytes(picture_bytes(5))
    dataset = open_dataset(folder)
    assert dataset.ids() == ["cat/a.png", "cat/b\\udce9.png"]
    assert dataset.pictures.read(1) == picture_bytes(5)
    dataset.pictures.place(1).encode("utf-8")


def test_a_named_pipe_does_not_hold_up_reading(lay):
    folder = lay("cat/a.png")
    os.mkfifo(folder / "cat" / "b.png")
    dataset = open_dataset(folder)
    with pytest.raises(OSError, match="not a regular file"):
        dataset.pictures.read(1)


def test_a_file_removed_after_opening_has_no_identity_and_cannot_be_read(lay):
    folder = lay("cat/a.png", "cat/b.png")
    dataset = open_dataset(folder)
    assert dataset.pictures.identity(0).place == str(folder / "cat/a.png")
    (folder / "cat" / "a.png").unlink()
    assert dataset.pictures.identity(0) is None
    with pytest.raises(FileNotFoundError):
        dataset.pictures.read(0)


def test_numbered_folders_are_sorted_as_numbers(lay):
    dataset = open_dataset(lay("0/a.png", "2/a.png", "10/a.png"))
    assert [c.label for c in dataset.classes] == ["0", "2", "10"]
    assert any("labels are numbers" in str(n) for n in dataset.notices)


def test_numbered_folders_count_the_class_list_that_is_given(lay):
    dataset = open_dataset(lay("0/a.png", "2/a.png", "999/a.png"), classes="imagenet-1k")
    assert dataset.label_indices().tolist() == [0, 2, 999]
    assert dataset.classes[999].name == "toilet paper"


def test_wordnet_ids_get_their_imagenet_names(lay):
    dataset = open_dataset(lay("n01443537/a.png", "n01440764/b.png"))
    assert [(c.label, c.name) for c in dataset.classes] == [("n01440764", "tench"), ("n01443537", "goldfish")]
    assert any("2 classes get their names from imagenet-1k" in str(n) for n in dataset.notices)


def test_pictures_beside_a_folder_called_train_are_not_lost(lay):
    assert open_dataset(lay("a.png", "train/b.png")).ids() == ["a.png", "train/b.png"]
