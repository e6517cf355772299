"""Local processes and parts of a job array: the same vectors and findings as in one process, whatever is killed."""

import os
import random
import signal
import subprocess
import sys
import time

import pytest
from tests.clusters.logged_model import ROOT, children, encoded, install, make_pictures
from tests.clusters.same_findings import assert_same_findings, assert_same_vectors

from eyechart.cli.main import main
from eyechart.store import Store

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="signals and /proc")

PICTURES, SIZE = 96, 8


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    return make_pictures(tmp_path_factory.mktemp("pictures"), PICTURES)


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    return install(tmp_path_factory.mktemp("installed") / "packages")


def examine(pictures, work, *options):
    """An examination with the embedded model, in this process."""
    flags = ["--probes", "zero_shot,calibration", "--prompts", "single", "--quiet", "--no-corruptions", "--no-ood"]
    return main(
        [
            "examine",
            "--model",
            "demo:",
            "--data",
            str(pictures),
            "--out",
            str(work / "out"),
            "--store",
            str(work / "store"),
            *flags,
            *options,
        ]
    )


@pytest.fixture(scope="module")
def alone(pictures, tmp_path_factory):
    work = tmp_path_factory.mktemp("alone")
    assert examine(pictures, work) == 0
    return work


def start(environment, work, pictures, *options, seconds=0.0, command="encode"):
    words = [
        sys.executable,
        "-m",
        "eyechart.cli.main",
        command,
        "--model",
        f"logged:{work / 'log'},{seconds}",
        "--data",
        str(pictures),
    ]
    words += ["--store", str(work / "store"), "--shard-size", str(SIZE), "--batch-size", "4", *options]
    return subprocess.Popen(words, cwd=ROOT, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def finish(process):
    out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    return out


def stored(work):
    """How many vectors the store has, all of them intact, each in one segment."""
    store = Store(work / "store")
    found = store.verify(repair=True)
    assert found.damaged == ()
    (shelf,) = [shelf for shelf in store.shelves() if shelf.label.role == "image"]
    names = [path.name for path in (shelf.folder / "manifest").glob("*.json")]
    assert sorted(names) == sorted(f"{path.name}.json" for path in shelf.segment_paths())
    return found.vectors


def test_worker_processes_give_the_same_vectors_and_findings(pictures, alone, tmp_path):
    assert examine(pictures, tmp_path, "--engine", "local:2", "--shard-size", str(SIZE)) == 0
    assert assert_same_vectors(tmp_path / "store", alone / "store") == PICTURES
    assert_same_findings(tmp_path / "out", alone / "out")


def test_parts_of_a_job_array_give_the_same_vectors_and_findings(pictures, alone, tmp_path, capsys):
    encode = [
        "encode",
        "--model",
        "demo:",
        "--data",
        str(pictures),
        "--store",
        str(tmp_path / "store"),
        "--shard-size",
        str(SIZE),
        "--quiet",
    ]
    for part in (2, 0, 1):
        assert main([*encode, "--shard", f"{part}/3"]) == 0
    assert assert_same_vectors(tmp_path / "store", alone / "store") == PICTURES
    assert main([*encode, "--shard", "1/3"]) == 0
    assert "0 encoded" in capsys.readouterr().out.splitlines()[-1]
    assert examine(pictures, tmp_path) == 0
    assert "1 text" not in capsys.readouterr().out
    assert assert_same_vectors(tmp_path / "store", alone / "store") == PICTURES
    assert_same_findings(tmp_path / "out", alone / "out")


def test_killed_workers_cost_their_shards_and_nothing_else(environment, pictures, tmp_path):
    dice, killed = random.Random(1), 0
    process = start(environment, tmp_path, pictures, "--engine", "local:2", seconds=0.02)
    while process.poll() is None and killed < 6:
        before = sum(encoded(tmp_path / "log").values())
        while process.poll() is None and sum(encoded(tmp_path / "log").values()) == before:
            time.sleep(0.01)
        time.sleep(dice.uniform(0, 0.2))
        if workers := children(process.pid):
            os.kill(dice.choice(workers), signal.SIGKILL)
            killed += 1
    finish(process)
    counts = encoded(tmp_path / "log")
    assert killed >= 4 and len(counts) == PICTURES and stored(tmp_path) == PICTURES
    assert sum(counts.values()) - PICTURES <= killed * SIZE, "more than the lost shards was encoded again"


@pytest.mark.slow
def test_a_killed_part_continues_where_it_was(environment, pictures, tmp_path):
    dice, kills = random.Random(2), 3
    for _ in range(kills):
        before = sum(encoded(tmp_path / "log").values())
        process = start(environment, tmp_path, pictures, "--shard", "0/1", seconds=0.01)
        while process.poll() is None and sum(encoded(tmp_path / "log").values()) < before + 2 * SIZE:
            time.sleep(0.01)
        time.sleep(dice.uniform(0, 0.1))
        process.kill()
        process.communicate()
    finish(start(environment, tmp_path, pictures, "--shard", "0/1"))
    counts = encoded(tmp_path / "log")
    assert len(counts) == PICTURES and stored(tmp_path) == PICTURES
    assert sum(counts.values()) - PICTURES <= kills * SIZE
    Store(tmp_path / "store").gc()
    assert list((tmp_path / "store").rglob("*.tmp")) == []


@pytest.mark.slow
def test_no_worker_outlives_a_killed_driver(environment, pictures, tmp_path):
    process = start(environment, tmp_path, pictures, "--engine", "local:2", seconds=0.2)
    while not encoded(tmp_path / "log"):
        time.sleep(0.02)
    workers = children(process.pid)
    process.kill()
    process.communicate()
    assert len(workers) == 2
    end = time.monotonic() + 20
    while any(_runs(pid) for pid in workers):
        assert time.monotonic() < end, "a worker goes on"
        time.sleep(0.05)


def _runs(pid):
    try:
        with open(f"/proc/{pid}/stat") as file:  # noqa: PTH123
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.slow
def test_ctrl_c_ends_at_once_and_the_same_command_continues(environment, pictures, tmp_path):
    process = start(environment, tmp_path, pictures, "--engine", "local:2", seconds=0.03)
    while sum(encoded(tmp_path / "log").values()) < 4 * SIZE:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130 and "run the same command again" in err and "Traceback" not in err
    finish(start(environment, tmp_path, pictures, "--engine", "local:2"))
    counts = encoded(tmp_path / "log")
    assert stored(tmp_path) == PICTURES and sum(counts.values()) - PICTURES <= 2 * SIZE


@pytest.mark.slow
def test_a_shard_that_ends_every_worker_is_given_up_with_a_sentence(environment, pictures, tmp_path):
    words = [
        "encode",
        "--model",
        f"logged:{tmp_path / 'log'},0,die",
        "--data",
        str(pictures),
        "--store",
        str(tmp_path / "store"),
        "--quiet",
    ]
    command = [sys.executable, "-m", "eyechart.cli.main", *words, "--engine", "local:1"]
    ran = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 9 and "5 workers were lost on the same shard" in ran.stderr and "code 3" in ran.stderr
    assert "Traceback" not in ran.stderr


@pytest.mark.slow
def test_two_drivers_at_once_encode_nothing_twice(environment, pictures, tmp_path):
    options = ("--engine", "local:1", "--probes", "zero_shot", "--prompts", "single", "--no-corruptions", "--no-ood")
    both = [
        start(environment, tmp_path, pictures, *options, "--out", str(tmp_path / f"out{n}"), seconds=0.01, command="examine")
        for n in range(2)
    ]
    for process in both:
        finish(process)
    assert set(encoded(tmp_path / "log").values()) == {1} and len(encoded(tmp_path / "log")) == PICTURES
    assert_same_findings(tmp_path / "out0", tmp_path / "out1")
