"""A real Ray cluster of several nodes, each a group of processes on this machine; nodes and workers are killed at random."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.clusters.logged_model import ROOT, children, encoded, install, make_pictures
from tests.clusters.same_findings import assert_same_findings, assert_same_vectors

from eyechart.cli.main import main
from eyechart.clusters.ray_pool import RayActors
from eyechart.errors import UsageError
from eyechart.store import Store

ray = pytest.importorskip("ray")

SIZE = 8
QUICK = {
    "health_check_initial_delay_ms": 500,
    "health_check_period_ms": 500,
    "health_check_timeout_ms": 2000,
    "health_check_failure_threshold": 2,
}
EXAMINE = ("--probes", "zero_shot,calibration", "--prompts", "single", "--quiet", "--no-corruptions", "--no-ood")


class Nodes:
    """A head without CPUs, which keeps the driver, and nodes of one CPU, on each of which one actor fits."""

    def __init__(self, count: int) -> None:
        from ray.cluster_utils import Cluster

        head = {"num_cpus": 0, "object_store_memory": 80_000_000, "_system_config": QUICK}
        self.cluster = Cluster(initialize_head=True, head_node_args=head)
        self.nodes = [self.add() for _ in range(count)]
        self.address = self.cluster.address

    def add(self):
        return self.cluster.add_node(num_cpus=1, object_store_memory=80_000_000)

    def workers(self) -> list[int]:
        """The processes of actors, by the name that Ray gives them."""
        raylets = [node.all_processes["raylet"][0].process.pid for node in self.nodes]
        return [pid for raylet in raylets for pid in children(raylet) if _title(pid).startswith("ray::_Actor")]

    def kill_node(self, number: int) -> None:
        self.cluster.remove_node(self.nodes[number], allow_graceful=False)
        self.nodes[number] = self.add()


def _title(pid: int) -> str:
    try:
        with open(f"/proc/{pid}/cmdline") as file:  # noqa: PTH123
            return file.read()
    except OSError:
        return ""


@pytest.fixture(scope="module")
def packages(tmp_path_factory):
    environment = install(tmp_path_factory.mktemp("installed") / "packages")
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = environment["PYTHONPATH"]  # before the cluster begins: its workers inherit it
    yield environment["PYTHONPATH"].split(os.pathsep)[0]
    if before is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = before


@pytest.fixture(scope="module")
def nodes(packages):
    made = Nodes(3)
    yield made
    ray.shutdown()
    made.cluster.shutdown()


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    return make_pictures(tmp_path_factory.mktemp("pictures"), 96)


def examine(model, pictures, work, *options):
    command = [
        "examine",
        "--model",
        model,
        "--model-name",
        "m",
        "--data",
        str(pictures),
        "--out",
        str(work / "out"),
        "--store",
        str(work / "store"),
    ]
    assert main([*command, *EXAMINE, *options]) == 0


def test_a_cluster_gives_the_same_vectors_and_findings_as_one_process(nodes, pictures, tmp_path):
    examine("demo:", pictures, tmp_path / "alone")
    examine("demo:", pictures, tmp_path / "ray", "--engine", f"ray:{nodes.address}", "--shard-size", str(SIZE))
    assert assert_same_vectors(tmp_path / "ray" / "store", tmp_path / "alone" / "store") == 96
    assert_same_findings(tmp_path / "ray" / "out", tmp_path / "alone" / "out")
    (shelf,) = [one for one in Store(tmp_path / "ray" / "store").shelves() if one.label.role == "image"]
    made_by = shelf.folder / "manifest"
    assert len(list(made_by.iterdir())) == 4  # 97 files, a batch of 32 a shard


def test_encode_on_a_cluster_divides_a_listing(nodes, pictures, tmp_path, capsys):
    command = ["encode", "--model", "demo:", "--data", str(pictures), "--store", str(tmp_path / "store"), "--quiet"]
    for words in ("96 encoded", "0 encoded"):
        assert main([*command, "--engine", f"ray:{nodes.address}", "--shard-size", "16", "--ray-workers", "2"]) == 0
        assert words in capsys.readouterr().out


def test_no_cluster_at_an_address_is_an_error_with_the_next_step():
    with pytest.raises(UsageError, match="ray start --head"):
        RayActors("127.0.0.1:1")._connect(ray)


@pytest.mark.parametrize("kills", [6, pytest.param(24, marks=pytest.mark.slow)])
def test_nodes_and_workers_are_killed_and_nothing_is_lost(nodes, packages, tmp_path, kills, monkeypatch):
    monkeypatch.syspath_prepend(packages)
    count, dice = 30 * kills, random.Random(kills)
    pictures = make_pictures(tmp_path / "pictures", count)
    alone, log = tmp_path / "alone", tmp_path / "log"
    examine(f"logged:{tmp_path / 'other'},0", pictures, alone, "--batch-size", "4")
    driver = start(f"logged:{log},0.08", pictures, tmp_path, nodes.address)
    killed = {"node": 0, "worker": 0}
    while sum(killed.values()) < kills and driver.poll() is None:
        before = sum(encoded(log).values())
        while sum(encoded(log).values()) <= before and driver.poll() is None:
            time.sleep(0.02)  # until some worker is in the middle of a shard
        time.sleep(dice.uniform(0, 0.3))
        if dice.random() < 0.3:
            nodes.kill_node(dice.randrange(3))
            killed["node"] += 1
        elif workers := nodes.workers():
            os.kill(dice.choice(workers), signal.SIGKILL)
            killed["worker"] += 1
    _, err = driver.communicate(timeout=300)
    assert driver.returncode == 0, err
    again = sum(encoded(log).values()) - count
    print(f"{killed['node']} nodes and {killed['worker']} workers killed, {again} of {count} pictures encoded again")
    assert sum(killed.values()) >= kills and min(killed.values()) >= 1
    assert len(encoded(log)) == count
    assert again <= sum(killed.values()) * SIZE, "more than the lost shards was encoded again"
    assert assert_same_vectors(tmp_path / "store", alone / "store") == count
    assert_same_findings(tmp_path / "out", alone / "out")
    assert Store(tmp_path / "store").verify().damaged == ()


def start(model, pictures, work, address):
    """A driver in a process of its own: the chaos is in this one."""
    words = [sys.executable, "-m", "eyechart.cli.main", "examine", "--model", model, "--model-name", "m", "--data", str(pictures)]
    words += ["--out", str(work / "out"), "--store", str(work / "store"), *EXAMINE, "--engine", f"ray:{address}"]
    words += ["--shard-size", str(SIZE), "--batch-size", "4"]
    return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def test_the_recipe_of_the_guide_runs_on_a_cluster(nodes, pictures, tmp_path):
    page = (ROOT / "docs" / "clusters.md").read_text(encoding="utf-8")
    (recipe,) = [text for text in re.findall(r"```bash\n(.*?)```", page, re.DOTALL) if "RAY_ADDRESS" in text]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    given = {
        "MODEL": "demo:",
        "DATA": str(pictures),
        "STORE": str(tmp_path / "store"),
        "OUT": str(tmp_path / "out"),
        "DEVICE": "cpu",
    }
    # The backend environment has the package on its path, and no `eyechart` command.
    recipe = recipe.replace("eyechart examine", f"{sys.executable} -m eyechart.cli.main examine")
    environment = {**os.environ, "PATH": path, "RAY_ADDRESS": nodes.address, **given}
    ran = subprocess.run(["bash", "-c", recipe], env=environment, capture_output=True, text=True, timeout=300)
    assert ran.returncode == 0, ran.stderr
    shelves = [s for s in Store(tmp_path / "store").shelves() if s.label.role == "image"]
    assert all(path.name.startswith("shard-") for shelf in shelves for path in shelf.segment_paths())
