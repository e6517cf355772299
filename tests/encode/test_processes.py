"""Several processes, Ctrl-C and kill -9: nothing is lost that was kept, nothing is encoded twice."""

import signal
import subprocess
import sys
import time
from collections import Counter
from itertools import chain
from pathlib import Path

import numpy as np
import pytest
from tests.encode.tiny import TinyEncoder, key_of, logged, vector_of

from eyechart.encode.gather import gather
from eyechart.store import Store

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def start(store: Path, log: Path, pictures: int, delay: float, texts: int = 0) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "tests.encode.tiny_run", str(store), str(log), str(pictures), str(delay), str(texts)]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_until(condition, seconds=20.0):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.005)


def test_two_processes_share_the_work_and_encode_nothing_twice(tmp_path):
    log = tmp_path / "log"
    both = [start(tmp_path / "store", log, 400, 0.004, texts=40) for _ in range(2)]
    said = [process.communicate(timeout=60) for process in both]
    assert [process.returncode for process in both] == [0, 0], said
    numbers = [number for batch in logged(log) for number in batch]
    assert Counter(n for n in numbers if n.isdigit()) == Counter(map(str, range(400)))
    assert Counter(n for n in numbers if not n.isdigit()) == Counter(f"word_{i}" for i in range(40))
    ends = [out.split("\n")[1].split() for out, _ in said]
    assert [end[0] for end in ends] == ["400", "400"]
    shares = [int(end[1]) for end in ends]
    assert sum(shares) == 400 and min(shares) >= 50, f"one process did nearly all: {shares}"


# Forked from a process that has imported everything and done nothing, so that what is killed is work, not its beginning.
KILLED_TEN_TIMES = """
import os, random, signal, sys, time
from pathlib import Path
from eyechart.store import Store
from tests.encode.tiny import drawn_dataset
from tests.encode.tiny_run import main

drawn_dataset([1])  # what pyarrow imports on its first table

def in_a_child(work):
    pid = os.fork()
    if pid == 0:
        os._exit(work() or 0)
    return pid

log = Path(sys.argv[2])
log.touch()
dice = random.Random(3)
for _ in range(10):
    written = log.stat().st_size
    pid = in_a_child(lambda: main(sys.argv[1], str(log), "300", "0.01", "50"))
    while log.stat().st_size == written:
        time.sleep(0.002)
    time.sleep(dice.uniform(0.0, 0.5))
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    checked = in_a_child(lambda: len(Store(Path(sys.argv[1])).verify().damaged))
    assert os.waitpid(checked, 0)[1] == 0
"""


@pytest.mark.slow
def test_kill_9_at_random_moments_loses_only_the_last_moments(tmp_path):
    store_path, log = tmp_path / "store", tmp_path / "log"
    subprocess.run([sys.executable, "-c", KILLED_TEN_TIMES, str(store_path), str(log)], cwd=ROOT, check=True, timeout=60)
    assert sum(map(len, logged(log))) > 100, "the kills came before there was anything to lose"
    process = start(store_path, log, 300, 0.0)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    store = Store(store_path)
    got = gather(store.shelf(TinyEncoder.fingerprint, "image"), [key_of(i) for i in range(300)])
    np.testing.assert_allclose(got, np.stack([vector_of(i) for i in range(300)]), rtol=1e-4, atol=1e-2)
    assert store.verify().damaged == ()
    store.gc()
    assert list(store_path.rglob("*.tmp")) == []


def test_a_process_takes_over_what_a_killed_one_had_claimed(tmp_path):
    first = start(tmp_path / "store", tmp_path / "log1", 300, 0.05)
    wait_until(lambda: logged(tmp_path / "log1"))
    second = start(tmp_path / "store", tmp_path / "log2", 300, 0.0)
    wait_until(lambda: len(logged(tmp_path / "log2")) > 3)
    first.kill()
    out, err = second.communicate(timeout=30)
    first.communicate()
    assert second.returncode == 0, err
    assert out.split("\n")[1].split()[0] == "300"


def test_ctrl_c_keeps_what_is_done_and_ends_quickly(tmp_path):
    log = tmp_path / "log"
    process = start(tmp_path / "store", log, 400, 0.04)
    wait_until(lambda: len(logged(log)) >= 4)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert len(logged(log)) < 400  # it did not go on to the end
    assert "KeyboardInterrupt" in err
    through = logged(log)
    kept = [
        number for number in range(400) if not Store(tmp_path / "store").shelf("7a" * 32, "image").missing([key_of(number)])[0]
    ]
    # Every batch that came out of the network is there; the one it was in the middle of may be.
    assert set(map(int, chain(*through[:-1]))) <= set(kept) <= set(map(int, chain(*through)))


def test_a_resumed_run_forms_the_same_batches(tmp_path):
    whole, first, second = tmp_path / "whole", tmp_path / "first", tmp_path / "second"
    assert start(tmp_path / "a", whole, 200, 0.0).wait(30) == 0
    process = start(tmp_path / "b", first, 200, 0.01)
    wait_until(lambda: len(logged(first)) >= 6)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=20)
    assert start(tmp_path / "b", second, 200, 0.0).wait(30) == 0
    resumed = logged(second)
    assert 0 < len(resumed) < len(logged(whole))
    assert all(batch in logged(whole) for batch in resumed)
