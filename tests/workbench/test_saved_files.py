"""What the workbench saves: nothing is lost between two processes, and nothing is left of one that was killed."""

import subprocess
import sys

import pytest

from eyechart.errors import StoreError
from eyechart.workbench.looks import FILE, Looks
from eyechart.workbench.saved_files import TAGS, read_tags, write_tags

TAG = """
import sys
from pathlib import Path
from eyechart.workbench.looks import Looks
from eyechart.workbench.saved_files import write_tags
run, me = Path(sys.argv[1]), sys.argv[2]
for number in range(20):
    write_tags(run, "pets", [(f"{me}-{number}", "cat", "dog")], tagged=True)
    Looks(run).add("m", "pets", me)
"""


def test_two_processes_at_once_lose_no_tag_and_no_look(tmp_path):
    running = [subprocess.Popen([sys.executable, "-c", TAG, str(tmp_path), me]) for me in "abc"]
    assert [one.wait(60) for one in running] == [0, 0, 0]
    assert read_tags(tmp_path, "pets") == {f"{me}-{number}" for me in "abc" for number in range(20)}
    assert Looks(tmp_path).count("m", "pets") == 60


@pytest.mark.parametrize("save", ["tag", "look"])
def test_what_a_killed_process_left_is_removed(tmp_path, save):
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    import socket

    left = tmp_path / "workbench" / f".{socket.gethostname()}~{dead.pid}~0123456789ab.tmp"
    left.parent.mkdir()
    left.write_text("half a file")
    if save == "tag":
        write_tags(tmp_path, "pets", [("1", "cat", "dog")], tagged=True)
    else:
        Looks(tmp_path).add("m", "pets", "measured")
    assert not left.exists()


@pytest.mark.parametrize(
    "wrong_tags",
    [
        "dataset,id,label,predicted,comment\npets,1,cat,dog,sure\n",
        "dataset;id;label;predicted\npets;1;cat;dog\n",
        "dataset,id,label,predicted\npets,1,cat,dog\npets,2,cat\n",
        "id,label\n1,cat\n",
    ],
)
def test_a_list_of_tags_that_is_not_understood_is_never_replaced(tmp_path, wrong_tags):
    """A spreadsheet may have added a column or written semicolons; these tags would be lost."""
    write_tags(tmp_path, "pets", [("1", "cat", "dog")], tagged=True)
    path = tmp_path / "workbench" / TAGS
    path.write_text(wrong_tags)
    with pytest.raises(StoreError, match=rf"{TAGS}: .*move it away to begin a new list"):
        write_tags(tmp_path, "pets", [("2", "cat", "dog")], tagged=True)
    assert path.read_text() == wrong_tags


def test_tags_that_a_spreadsheet_has_saved_are_kept(tmp_path):
    """With a byte order mark, other ends of lines and an empty last line."""
    write_tags(tmp_path, "pets", [("1", "cat", "dog")], tagged=True)
    path = tmp_path / "workbench" / TAGS
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n") + b"\r\n")
    write_tags(tmp_path, "pets", [("2", "cat", "dog")], tagged=True)
    assert read_tags(tmp_path, "pets") == {"1", "2"}


@pytest.mark.parametrize(
    "content", ['{"a":' * 100_000, '{"m on pets": 5}', '{"m on pets": "xxx"}', "[]", "{", '{"a": ' + "1" * 5000 + "}"]
)
def test_looks_that_cannot_be_counted_are_refused_and_kept(tmp_path, content):
    Looks(tmp_path).add("m", "pets", "measured")
    path = tmp_path / "workbench" / FILE
    path.write_text(content)
    for use in (lambda: Looks(tmp_path).count("m", "pets"), lambda: Looks(tmp_path).add("m", "pets", "again")):
        with pytest.raises(StoreError, match=rf"{FILE}[:,] .*move it away to count from 0"):
            use()
    assert path.read_text() == content
