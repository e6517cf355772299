"""The recipes of docs/clusters.md are run as they are printed there."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from tests.clusters.logged_model import make_pictures

from eyechart.encode.shards import shard_size
from eyechart.store import Store

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "clusters.md").read_text(encoding="utf-8")

pytestmark = pytest.mark.skipif(sys.platform == "win32" or shutil.which("bash") is None, reason="shell scripts")


def block(language: str, containing: str) -> str:
    (found,) = [text for text in re.findall(rf"```{language}\n(.*?)```", PAGE, re.DOTALL) if containing in text]
    return found


@pytest.fixture
def environment(tmp_path):
    pictures = make_pictures(tmp_path / "photos", 9, broken=False)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return {
        **os.environ, "PATH": path, "MODEL": "demo:", "DATA": str(pictures), "DEVICE": "cpu", "STORE": str(tmp_path / "store"),
        "EYECHART_STORE": str(tmp_path / "store"),
    }  # fmt: skip


def test_the_slurm_script_encodes_its_part(environment, tmp_path):
    script = tmp_path / "encode.sh"
    script.write_text(block("bash", "#SBATCH"))
    assert re.search(r"^#SBATCH --array=0-\d+$", script.read_text(), re.MULTILINE), "parts are counted from 0"
    for task in ("0", "1"):
        slurm = {"SLURM_ARRAY_TASK_ID": task, "SLURM_ARRAY_TASK_COUNT": "2"}
        ran = subprocess.run(["bash", str(script)], env={**environment, **slurm}, capture_output=True, text=True, timeout=120)
        assert ran.returncode == 0, ran.stderr
    assert Store(tmp_path / "store").verify().vectors == 9


def test_the_kubernetes_job_encodes_its_part(environment, tmp_path):
    job = yaml.safe_load(block("yaml", "kind: Job"))
    spec = job["spec"]
    (container,) = spec["template"]["spec"]["containers"]
    assert (job["apiVersion"], spec["completionMode"]) == ("batch/v1", "Indexed")
    assert spec["template"]["spec"]["restartPolicy"] == "Never" and spec["backoffLimitPerIndex"] > 0
    assert container["args"][0].endswith(f'--shard "$JOB_COMPLETION_INDEX/{spec["completions"]}"'), "every index has a part"
    assert {entry["name"] for entry in container["env"]} == set(re.findall(r"\$([A-Z]+)\b(?!_)", container["args"][0]))
    index = {"JOB_COMPLETION_INDEX": str(spec["completions"] - 1)}
    command = [*container["command"], *container["args"]]
    ran = subprocess.run(command, env={**environment, **index}, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
    assert Store(tmp_path / "store").verify().vectors == 9


def test_the_numbers_of_shards_in_the_table():
    (row,) = [line for line in PAGE.splitlines() if line.startswith("| shards |")]
    counts = [-(-pictures // shard_size(pictures)) for pictures in (10**4, 10**6, 10**8)]
    assert [int(cell.replace(",", "")) for cell in row.split("|")[2:5]] == counts
