import os

import numpy as np
import pytest
from PIL import Image
from tests.world.cutouts import draw_bank, picture

from eyechart.errors import DataError
from eyechart.world.folder_bank import open_bank


@pytest.fixture
def folder(tmp_path):
    return draw_bank(tmp_path / "bank", ("square", "disc"))


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("fire_hydrant.webp", "fire hydrant"),
        ("fire hydrant-2.png", "fire hydrant"),
        ("fire_hydrant_10.png", "fire hydrant"),
        ("fire hydrant (3).png", "fire hydrant"),
        ("t-shirt.png", "t-shirt"),
        ("t-shirt-2.PNG", "t-shirt"),
        ("route 66.png", "route 66"),
        ("TV.png", "TV"),
        ("cafe\u0301.png", "café"),
        ("  wide   gap .png", "wide gap"),
    ],
)
def test_names_come_from_file_names(tmp_path, file, name):
    picture("square").save(tmp_path / file)
    assert open_bank(tmp_path).names == (name,)


def test_several_pictures_of_one_name_are_its_variants(folder):
    picture("wedge").save(folder / "disc-2.png")
    bank = open_bank(folder)
    assert bank.names == ("disc", "square")
    assert len(bank.variants("disc")) == 2
    assert len(bank.variants("square")) == 1


@pytest.mark.parametrize("kind", ["webp", "png", "gif", "tiff"])
def test_every_format_with_transparency_is_read(tmp_path, kind):
    options = {"lossless": True} if kind == "webp" else {}
    picture("wedge").save(tmp_path / f"wedge.{kind}", **options)
    (cutout,) = open_bank(tmp_path).cutouts
    assert cutout.stretch == pytest.approx(1, rel=0.05)
    assert cutout.fill == pytest.approx(0.5, abs=0.03)


def test_a_palette_with_a_transparent_color_is_read(tmp_path):
    pixels = Image.fromarray((np.arange(64) % 8 // 4).astype(np.uint8).reshape(8, 8)).convert("P")
    pixels.putpalette([255, 0, 0, 0, 0, 255])
    pixels.save(tmp_path / "half.png", transparency=0)
    (cutout,) = open_bank(tmp_path).cutouts
    assert cutout.stretch == pytest.approx(0.5)


def test_other_files_hidden_ones_and_folders_below_are_passed_over(folder):
    (folder / "LICENSE.txt").write_text("MIT")
    (folder / ".hidden.png").write_bytes(b"no picture")
    draw_bank(folder / "more", ("bar",))
    bank = open_bank(folder)
    assert bank.names == ("disc", "square")
    assert bank.notices == ()


def test_broken_pictures_are_set_aside_with_a_notice(folder):
    (folder / "cut.png").write_bytes((folder / "disc.png").read_bytes()[:60])
    (folder / "empty.webp").write_bytes(b"")
    bank = open_bank(folder)
    assert bank.names == ("disc", "square")
    assert [notice.where.rsplit("/", 1)[1] for notice in bank.notices] == ["cut.png", "empty.webp"]
    assert all("set aside" in notice.what and notice.remedy for notice in bank.notices)


def test_a_link_out_of_the_folder_is_not_followed(folder, tmp_path):
    picture("bar").save(tmp_path / "secret.png")
    (folder / "bar.png").symlink_to(tmp_path / "secret.png")
    bank = open_bank(folder)
    assert bank.names == ("disc", "square")
    assert "leads out" in bank.notices[0].what


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no named pipes here")
def test_a_pipe_does_not_make_it_wait(folder):
    os.mkfifo(folder / "pipe.png")
    assert "not a regular file" in open_bank(folder).notices[0].what


def test_a_photograph_without_transparency_is_refused_with_what_to_do(folder):
    Image.new("RGB", (9, 9)).save(folder / "photo.jpg")
    with pytest.raises(
        DataError, match=r"photo\.jpg: no part of it is transparent; cut the object out and save it with a transparent background"
    ):
        open_bank(folder)


def test_a_picture_that_is_all_transparent_is_refused(folder):
    Image.new("RGBA", (9, 9)).save(folder / "ghost.png")
    with pytest.raises(DataError, match=r"ghost\.png: all of it is transparent"):
        open_bank(folder)


@pytest.mark.parametrize("file", ["-2.png", "_.png", "+.png", "\n\x1b[31mred.png", "right\u202eleft.png", "_(2).png"])
def test_a_file_name_that_names_nothing_is_refused_in_one_safe_line(folder, file):
    picture("bar").save(folder / file)
    with pytest.raises(DataError, match="not the name of an object") as error:
        open_bank(folder)
    assert "\x1b" not in str(error.value)
    assert "\n" not in str(error.value)


def test_bytes_that_are_no_text_are_refused_as_a_name(folder):
    picture("bar").save(folder / os.fsdecode(b"caf\xe9.png"))
    with pytest.raises(DataError, match="not the name of an object"):
        open_bank(folder)


def test_names_that_differ_only_in_capitals_are_refused(folder):
    picture("bar").save(folder / "Disc.png")
    with pytest.raises(DataError, match="'Disc' and 'disc' differ only in case"):
        open_bank(folder)


def test_where_there_is_no_picture_it_says_what_is_wanted(tmp_path, folder):
    (tmp_path / "empty").mkdir()
    draw_bank(tmp_path / "outer" / "inner")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken" / "a.png").write_bytes(b"")
    with pytest.raises(DataError, match="no pictures; add PNG"):
        open_bank(tmp_path / "empty")
    with pytest.raises(DataError, match="pictures in subfolders are not read"):
        open_bank(tmp_path / "outer")
    with pytest.raises(DataError, match=r"none of its 1 pictures can be used; the first: .*empty file"):
        open_bank(tmp_path / "broken")
    with pytest.raises(DataError, match="no such folder; did you mean 'bank'"):
        open_bank(tmp_path / "bnk")
    with pytest.raises(DataError, match="this is a file"):
        open_bank(folder / "disc.png")


def test_a_bank_is_known_by_its_content(folder, tmp_path):
    other = draw_bank(tmp_path / "other", ("square", "disc"))
    assert repr(open_bank(folder)) == repr(open_bank(other))
    picture("wedge").save(other / "disc.png")
    assert repr(open_bank(folder)) != repr(open_bank(other))
