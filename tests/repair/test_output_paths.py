"""Which paths a repair may write to: what is already there is an earlier page, or nothing."""

import pytest

from eyechart.errors import StoreError, UsageError
from eyechart.repair.output_paths import page_folder, prepare_classifier_file, prepare_page_folder, score_file
from eyechart.report.exhibit_page import MARK


def test_files_beside_the_classifier_have_its_name(tmp_path):
    out = tmp_path / "a.b.safetensors"
    assert page_folder(out) == tmp_path / "a.b-page" and score_file(out) == tmp_path / ".a.b-weighing.jsonl"


@pytest.mark.parametrize("files", [(), (MARK,), (MARK, "index.html")])
def test_an_empty_folder_and_an_earlier_page_are_written_to(tmp_path, files):
    place = tmp_path / "r-page"
    place.mkdir()
    for name in files:
        (place / name).touch()
    prepare_page_folder(place)
    assert sorted(file.name for file in place.iterdir()) == sorted(files)


def test_other_files_are_never_overwritten(tmp_path):
    place = tmp_path / "r-page"
    place.touch()
    with pytest.raises(UsageError, match="not an Eyechart page"):
        prepare_page_folder(place)
    place.unlink()
    place.mkdir()
    (place / "thesis.txt").touch()
    with pytest.raises(UsageError, match="not an Eyechart page"):
        prepare_classifier_file(tmp_path / "r.safetensors")


def test_parent_folders_are_created_or_refused(tmp_path):
    prepare_classifier_file(tmp_path / "a" / "b" / "r.safetensors")
    assert list((tmp_path / "a" / "b").iterdir()) == []
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot be created"):
        prepare_classifier_file(tmp_path / "file" / "c" / "r.safetensors")


@pytest.mark.parametrize(("name", "suggested"), [("r.pt", "r.safetensors"), ("r", "r.safetensors")])
def test_a_classifier_is_a_safetensors_file(tmp_path, name, suggested):
    with pytest.raises(UsageError, match=f"such as {suggested}"):
        prepare_classifier_file(tmp_path / name)
    (tmp_path / "taken.safetensors").mkdir()
    with pytest.raises(UsageError, match="is a folder"):
        prepare_classifier_file(tmp_path / "taken.safetensors")
