"""Where a model may be kept: asked before training, for what stands there is replaced."""

import pytest

from eyechart.errors import StoreError, UsageError
from eyechart.world.training.keeping import check_place


def model_in(folder):
    folder.mkdir()
    for name in ("recipe.json", "model.json", "model.safetensors", "image.onnx"):
        (folder / name).write_text("{}")
    return folder


def test_a_new_an_empty_and_an_earlier_folder_will_do(tmp_path):
    (tmp_path / "empty").mkdir()
    for folder in (tmp_path / "new" / "mine", tmp_path / "empty", model_in(tmp_path / "earlier")):
        check_place(folder)


def _foreign(tmp_path):
    (tmp_path / "thesis").mkdir()
    (tmp_path / "thesis" / "chapter.tex").write_text("years of work")
    return tmp_path / "thesis"


def _mixed(tmp_path):
    (model_in(tmp_path / "mine") / "notes.txt").write_text("do not lose")
    return tmp_path / "mine"


def _with_folder(tmp_path):
    (model_in(tmp_path / "mine") / "more.json").mkdir()
    return tmp_path / "mine"


def _link(tmp_path):
    (tmp_path / "link").symlink_to(model_in(tmp_path / "earlier"))
    return tmp_path / "link"


@pytest.mark.parametrize("place", [_foreign, _mixed, _with_folder, _link])
def test_what_is_no_model_of_ours_is_never_replaced(tmp_path, place):
    folder = place(tmp_path)
    with pytest.raises(UsageError, match="name a new or empty folder"):
        check_place(folder)
    assert any(folder.iterdir())


def test_a_place_that_cannot_be_is_said_in_words(tmp_path):
    (tmp_path / "file").write_text("")
    for folder in (tmp_path / "file", tmp_path / "file" / "mine"):
        with pytest.raises(StoreError, match="cannot be written"):
            check_place(folder)
