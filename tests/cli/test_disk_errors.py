"""Errors of the disk: a sentence with a next step and exit code 6, in every command."""

import errno
import os
import subprocess
from pathlib import Path

import pytest

from eyechart.cli.main import main
from eyechart.cli.output_files import output_file
from eyechart.errors import StoreError, disk_error

STEPS = {errno.ENOSPC: "free some space", errno.EROFS: "read-only", errno.EACCES: "no permission", errno.ENAMETOOLONG: "shorter"}


@pytest.mark.parametrize("number, step", STEPS.items())
def test_a_reason_has_its_next_step(number, step):
    text = disk_error(OSError(number, os.strerror(number), "a\x1b[31m.csv"))
    assert step in text and text.startswith("a") and "\x1b" not in text


def test_an_error_of_the_disk_has_no_traceback(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["world", "render", "--dataset", "world-objects", "--n", "1", "--quiet", str(tmp_path / ("x" * 300))]) == 6
    assert "Traceback" not in (said := capsys.readouterr().err) and said.startswith("eyechart: ")


def test_a_plan_that_did_not_fit_on_the_disk_leaves_nothing(tmp_path, capsys, monkeypatch):
    """Else the next attempt would find an empty plan that must not be replaced."""

    def full(fd):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    assert main(["plan", "--init", str(tmp_path / "plan.toml")]) == 6
    assert "No space left on device" in capsys.readouterr().err and not list(tmp_path.iterdir())
    monkeypatch.undo()
    assert main(["plan", "--init", str(tmp_path / "plan.toml")]) == 0


def test_a_pipe_is_not_replaced_by_an_output_file(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="it is a named pipe"), output_file(tmp_path / "pipe") as unfinished:
        unfinished.write_text("x")
    assert (tmp_path / "pipe").is_fifo() and len(list(tmp_path.iterdir())) == 1


def test_a_looping_link_does_not_stop_a_folder(tmp_path, capsys):
    from PIL import Image

    from eyechart.data.open import open_dataset

    (tmp_path / "cat").mkdir()
    Image.new("RGB", (4, 4)).save(tmp_path / "cat" / "a.png")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "cat" / "loop.png").symlink_to("loop.png")
    os.mkfifo(tmp_path / "cat" / "pipe.png")
    dataset = open_dataset(tmp_path)
    assert "cat/a.png" in dataset.ids()
    for row, name in enumerate(dataset.ids()):
        if name != "cat/a.png":
            with pytest.raises(OSError):
                dataset.pictures.read(row)


def test_a_folder_of_1500_folders_is_refused_with_a_sentence(tmp_path):
    from eyechart.data.open import open_dataset
    from eyechart.errors import DataError

    here = Path.cwd()
    os.chdir(tmp_path)  # relative names: the whole path would be too long
    try:
        for _ in range(1500):
            Path("d").mkdir()
            os.chdir("d")
        os.chdir(tmp_path)
        with pytest.raises(DataError, match=r"too deeply|cannot be listed"):
            open_dataset(tmp_path)
    finally:
        os.chdir(here)
        subprocess.run(["rm", "-rf", str(tmp_path / "d")], check=True)  # too deep for pytest to remove
