"""A user's pictures under corruptions: what is written where, what is never written, and how a run goes on."""

import errno
import json
import os
import shutil

import numpy as np
import pytest
from PIL import Image

from eyechart.cli.main import main
from eyechart.corruptions import CORRUPTIONS, corrupt
from eyechart.corruptions.folder import CorruptionSettings, corrupt_folder
from eyechart.errors import DataError, StoreError, UsageError
from eyechart.progress import SilentProgress

FREE = [name for name, c in CORRUPTIONS.items() if not c.needs_depth]


@pytest.fixture
def pictures(tmp_path):
    """Two classes, a PNG and a JPEG."""
    folder, rng = tmp_path / "in", np.random.default_rng(0)
    for label, name in (("cat", "1.png"), ("dog", "deep/2.jpg")):
        place = folder / label / name
        place.parent.mkdir(parents=True)
        Image.fromarray(rng.integers(0, 256, (40, 60, 3), dtype=np.uint8)).save(place, quality=95)
    return folder


def corrupted(source, out, corruptions=None, severities=(1, 2, 3, 4, 5), **options):
    return corrupt_folder(source, out, corruptions, severities, SilentProgress(), **options)


def files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def test_the_layout_is_corruption_severity_and_the_pictures_own_path(pictures, tmp_path):
    outcome = corrupted(pictures, tmp_path / "out", ["contrast", "jpeg"], [2, 5])
    expected = [f"{c}/{s}/{p}" for c in ("contrast", "jpeg") for s in (2, 5) for p in ("cat/1.png", "dog/deep/2.jpg")]
    assert files(tmp_path / "out") == sorted(["corrupted.json", *expected])
    assert (outcome.written, outcome.kept, outcome.set_aside) == (8, 0, ())


def test_without_depth_all_corruptions_that_need_none_are_made(pictures, tmp_path):
    corrupted(pictures, tmp_path / "out", severities=[1])
    assert sorted(p.name for p in (tmp_path / "out").iterdir() if p.is_dir()) == sorted(FREE)


def test_pixels_are_those_of_the_corruption(pictures, tmp_path):
    """Without a random part a PNG holds exactly what the pure function gives; a JPEG comes close."""
    corrupted(pictures, tmp_path / "out", ["contrast"], [3])
    for name, apart in (("cat/1.png", 0), ("dog/deep/2.jpg", 4)):
        expected = corrupt(np.asarray(Image.open(pictures / name)), "contrast", 3)
        found = np.asarray(Image.open(tmp_path / "out" / "contrast" / "3" / name))
        assert np.abs(found.astype(int) - expected).mean() <= apart


def test_every_picture_has_its_own_noise_and_the_same_in_every_run(pictures, tmp_path):
    shutil.copy(pictures / "cat" / "1.png", pictures / "cat" / "copy.png")
    for out in ("a", "b"):
        corrupted(pictures, tmp_path / out, ["noise"], [3])
    first, again = (tmp_path / out / "noise" / "3" / "cat" / "1.png" for out in ("a", "b"))
    assert first.read_bytes() == again.read_bytes()
    assert first.read_bytes() != (first.parent / "copy.png").read_bytes()
    corrupted(pictures, tmp_path / "c", ["noise"], [3], settings=CorruptionSettings(seed=1))
    assert first.read_bytes() != (tmp_path / "c" / "noise" / "3" / "cat" / "1.png").read_bytes()


def test_depth_maps_make_the_others_possible(pictures, tmp_path):
    """Fog hides what is far and leaves what is near: the right half of each picture lies ten times as far away."""
    depth = np.repeat([[1.0] * 30 + [10.0] * 30], 40, axis=0)
    for name in ("cat/1.npy", "dog/deep/2.npy"):
        (tmp_path / "depth" / name).parent.mkdir(parents=True)
        np.save(tmp_path / "depth" / name, depth)
    corrupted(pictures, tmp_path / "out", ["fog_3d"], [5], depth=tmp_path / "depth")
    before = np.asarray(Image.open(pictures / "cat" / "1.png")).astype(int)
    after = np.asarray(Image.open(tmp_path / "out" / "fog_3d" / "5" / "cat" / "1.png")).astype(int)
    assert after[:, 30:].std() < 0.3 * before[:, 30:].std()
    assert after[:, :30].std() > 0.6 * before[:, :30].std()
    everything = corrupted(pictures, tmp_path / "all", severities=[1], depth=tmp_path / "depth")
    assert everything.written == 2 * len(CORRUPTIONS)


def test_a_picture_without_a_depth_map_is_set_aside(pictures, tmp_path):
    (tmp_path / "depth" / "cat").mkdir(parents=True)
    np.save(tmp_path / "depth" / "cat" / "1.npy", np.ones((40, 60)))
    outcome = corrupted(pictures, tmp_path / "out", ["fog_3d"], [1], depth=tmp_path / "depth")
    assert outcome.written == 1
    assert [(path, "no depth map" in reason) for path, reason in outcome.set_aside] == [("dog/deep/2.jpg", True)]


def test_depth_is_asked_for_before_anything_is_written(pictures, tmp_path):
    with pytest.raises(UsageError, match="fog_3d needs depth maps; give their folder with --depth"):
        corrupted(pictures, tmp_path / "out", ["fog_3d"])
    assert not (tmp_path / "out").exists()


def test_a_run_goes_on_and_replaces_nothing(pictures, tmp_path):
    out = tmp_path / "out"
    corrupted(pictures, out, ["contrast"], [1, 2])
    (out / "contrast" / "1" / "cat" / "1.png").unlink()
    kept = out / "contrast" / "2" / "cat" / "1.png"
    kept.write_bytes(b"mine")
    outcome = corrupted(pictures, out, ["contrast", "brightness"], [1, 2])
    assert (outcome.written, outcome.kept) == (5, 3)
    assert kept.read_bytes() == b"mine"


def test_an_unfinished_file_is_never_left(pictures, tmp_path, monkeypatch):
    def fail(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("eyechart.files.atomic.os.fsync", fail)
    (tmp_path / "out").mkdir()
    with pytest.raises(StoreError, match="No space left on device"):
        corrupted(pictures, tmp_path / "out", ["contrast"], [1])
    assert files(tmp_path / "out") == []


@pytest.mark.parametrize("changed", [{"seed": 7}, {"size": 32}, {"quality": 80}])
def test_other_settings_need_another_folder(pictures, tmp_path, changed):
    corrupted(pictures, tmp_path / "out", ["contrast"], [1])
    with pytest.raises(UsageError, match=f"was written with {next(iter(changed))}"):
        corrupted(pictures, tmp_path / "out", ["contrast"], [2], settings=CorruptionSettings(**changed))


def test_a_folder_of_somebody_elses_files_is_left_alone(pictures, tmp_path):
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "letter.txt").write_text("dear")
    with pytest.raises(UsageError, match="did not write; choose a new or empty folder"):
        corrupted(pictures, tmp_path / "out")
    assert files(tmp_path / "out") == ["letter.txt"]


@pytest.mark.parametrize("out", ["in/out", "in", "."])
def test_neither_folder_lies_in_the_other(pictures, tmp_path, out):
    with pytest.raises(UsageError, match=r"is inside .* or contains it"):
        corrupted(pictures, tmp_path / out)


def test_a_link_in_the_folder_leads_nowhere(pictures, tmp_path):
    out = tmp_path / "out"
    corrupted(pictures, out, ["contrast"], [1])
    (tmp_path / "elsewhere").mkdir()
    (out / "noise").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(StoreError, match="leads out of"):
        corrupted(pictures, out, ["noise"], [1])
    assert files(tmp_path / "elsewhere") == []
    assert list((tmp_path / "elsewhere").iterdir()) == []


@pytest.mark.parametrize(
    "name", [b"new\nline.png", b"\xff\xfe.png", b" .png", b"-rf.png", b"..png", "Größe ✓.png".encode(), b"a\\b.png"]
)
def test_hostile_names_stay_names(pictures, tmp_path, name):
    (pictures / "cat" / "1.png").rename(pictures / "cat" / os.fsdecode(name))
    outcome = corrupted(pictures, tmp_path / "out", ["contrast"], [1])
    if name.startswith(b"."):
        assert outcome.written == 1  # hidden
    else:
        assert [os.fsencode(p.name) for p in (tmp_path / "out" / "contrast" / "1" / "cat").iterdir()] == [name]


def test_the_longest_name_is_written(pictures, tmp_path):
    name = "x" * 251 + ".png"
    (pictures / "cat" / "1.png").rename(pictures / "cat" / name)
    assert corrupted(pictures, tmp_path / "out", ["contrast"], [1]).written == 2
    assert (tmp_path / "out" / "contrast" / "1" / "cat" / name).is_file()


def test_a_name_that_is_too_long_for_the_new_place_is_set_aside(pictures, tmp_path, monkeypatch):
    def refuse(path):
        raise OSError(errno.ENAMETOOLONG, "File name too long")

    monkeypatch.setattr("eyechart.corruptions.folder.atomic_path", refuse)
    outcome = corrupted(pictures, tmp_path / "out", ["contrast"], [1])
    assert outcome.written == 0
    assert "too long" in outcome.set_aside[0][1]


def test_broken_pictures_are_set_aside(pictures, tmp_path):
    (pictures / "cat" / "broken.png").write_text("no")
    outcome = corrupted(pictures, tmp_path / "out", ["contrast"], [1])
    assert outcome.written == 2
    assert outcome.set_aside == (("cat/broken.png", "not a JPEG, PNG, WebP, BMP, TIFF or GIF picture"),)


def test_a_gif_becomes_a_png_and_never_takes_anothers_place(pictures, tmp_path):
    Image.new("RGB", (40, 30), "red").save(pictures / "cat" / "3.gif")
    corrupted(pictures, tmp_path / "out", ["contrast"], [1])
    assert (tmp_path / "out" / "contrast" / "1" / "cat" / "3.png").is_file()
    Image.new("RGB", (40, 30), "red").save(pictures / "cat" / "1.gif")
    with pytest.raises(DataError, match="two pictures would be written under this name"):
        corrupted(pictures, tmp_path / "again", ["contrast"], [1])


def test_the_shorter_side_is_brought_down(pictures, tmp_path):
    corrupted(pictures, tmp_path / "out", ["contrast"], [1], settings=CorruptionSettings(size=20))
    assert Image.open(tmp_path / "out" / "contrast" / "1" / "cat" / "1.png").size == (30, 20)
    corrupted(pictures, tmp_path / "same", ["contrast"], [1], settings=CorruptionSettings(size=500))
    assert Image.open(tmp_path / "same" / "contrast" / "1" / "cat" / "1.png").size == (60, 40)


def test_the_command_says_what_it_did(pictures, tmp_path, capsys):
    words = ["corrupt", str(pictures), str(tmp_path / "out"), "--corruption", "contrast", "--severity", "3", "--quiet"]
    assert main(words) == 0
    assert "2 pictures written, 0 already existed" in capsys.readouterr().out
    assert main([*words, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["kept"] == 2


def test_the_command_names_the_corruptions_that_it_leaves_out(pictures, tmp_path, capsys):
    assert main(["corrupt", str(pictures), str(tmp_path / "all"), "--severity", "1", "--quiet"]) == 0
    (note,) = [line for line in capsys.readouterr().out.splitlines() if "need depth maps" in line]
    left_out = note.split(": ")[-1].split(", ")
    written = [path.name for path in (tmp_path / "all").iterdir() if path.is_dir()]
    assert left_out and not set(left_out) & set(written) and {*left_out, *written} == set(CORRUPTIONS)


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["--corruption", "fogg"], 2, "there is no corruption called 'fogg'; did you mean 'fog'?"),
        (["--quality", "101"], 2, "from 1 to 100"),
        (["--depth", "nowhere"], 2, "no such folder of depth maps"),
    ],
)
def test_wrong_flags_are_named(pictures, tmp_path, capsys, words, code, message):
    assert main(["corrupt", str(pictures), str(tmp_path / "out"), *words]) == code
    assert message in capsys.readouterr().err


def test_a_folder_of_broken_pictures_is_an_error(tmp_path, capsys):
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.png").write_text("no")
    assert main(["corrupt", str(tmp_path / "in"), str(tmp_path / "out"), "--quiet"]) == 3
    assert "no picture could be corrupted" in capsys.readouterr().err
