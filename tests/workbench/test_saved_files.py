"""What the workbench saves: nothing is lost between two processes, and nothing is left of one that was killed."""

import subprocess
import sys

import pytest

from eyechart.workbench.looks import Looks
from eyechart.workbench.saved_files import read_tags, write_tags

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
