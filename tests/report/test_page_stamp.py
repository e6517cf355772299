"""The page of a finished run is written again only where results, program or files of the page have changed."""

import json
import os
import shutil

import pytest

from eyechart import __version__
from eyechart.cli.main import main
from eyechart.exam import run
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.report import page_stamp

PLAN = Plan((ModelPlan("demo:"),), (DataPlan("world-objects", limit=36),), probes=("zero_shot",), prompts=("single",))


@pytest.fixture
def examined(tmp_path):
    def examine(plan=PLAN):
        return run(plan, out=tmp_path / "out", store=tmp_path / "store").folder / "report" / "index.html"

    return examine


def inode(page):
    """Another folder, and so another file, where the page was written anew."""
    return page.stat().st_ino, page.stat().st_mtime_ns


def flip(path):
    """One bit of a file; size and time of modification stay."""
    content, before = bytearray(path.read_bytes()), path.stat()
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


def test_a_second_run_leaves_the_page_as_it_is(examined):
    page = examined()
    before = inode(page)
    assert inode(examined()) == before


def test_other_results_are_written_to_the_page(examined):
    before = inode(examined())
    other = Plan(PLAN.models, PLAN.datasets, probes=("zero_shot", "class_count"), prompts=PLAN.prompts)
    page = examined(other)
    assert inode(page) != before
    assert "class_count" in "".join(path.read_text() for path in page.parent.rglob("*.js"))


@pytest.mark.parametrize(
    "harm", ["changed", "flipped", "flipped picture", "missing", "added", "no stamp", "broken stamp", "other version"]
)
def test_a_page_that_is_not_whole_is_written_again(examined, harm, monkeypatch):
    page = examined()
    data, stamp = sorted((page.parent / "data").iterdir())[0], page.parent / page_stamp.STAMP
    whole, before = data.read_bytes(), inode(page)
    if harm == "changed":
        data.write_bytes(whole + b" ")
    elif harm.startswith("flipped"):
        data = data if harm == "flipped" else sorted(page.parent.rglob("*.jpg"))[0]
        whole = data.read_bytes()
        flip(data)
    elif harm == "missing":
        data.unlink()
    elif harm == "added":
        (page.parent / "data" / "mine.js").write_text("0")
    elif harm == "no stamp":
        stamp.unlink()
    elif harm == "broken stamp":
        stamp.write_text("{")
    else:
        monkeypatch.setattr(page_stamp, "__version__", __version__ + "1")
    assert inode(examined()) != before
    assert data.read_bytes() == whole and not (page.parent / "data" / "mine.js").exists()


def test_the_stamp_holds_no_paths_of_the_user(examined, tmp_path):
    stamp = (examined().parent / page_stamp.STAMP).read_text()
    assert str(tmp_path) not in stamp and set(json.loads(stamp)) == {"made_from", "files"}


def test_a_copy_of_the_folder_is_recognized_by_content(examined, tmp_path):
    page = examined()
    copy = shutil.copytree(page.parents[1], tmp_path / "copy")
    assert page_stamp.is_written(copy)
    flip(sorted(copy.rglob("report/**/*.jpg"))[0])
    assert not page_stamp.is_written(copy)


def test_damage_of_one_file_is_found(examined):
    page = examined()
    assert not page_stamp.is_damaged(page.parent, "index.html")
    flip(page)
    assert page_stamp.is_damaged(page.parent, "index.html")
    (page.parent / page_stamp.STAMP).unlink()
    assert not page_stamp.is_damaged(page.parent, "index.html")


def test_a_page_that_report_wrote_has_a_stamp_of_its_own(examined, capsys):
    folder = examined().parents[1]
    assert main(["report", str(folder)]) == 0
    assert page_stamp.is_written(folder)
