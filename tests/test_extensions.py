"""The examples of CONTRIBUTING.md, installed as a package of their own: a probe, a metric, a model source and a dataset.

Nothing else changes: the package adds files and entry points, and the commands list, run, show and judge what it adds.
"""

import doctest
import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image
from scipy.stats import trim_mean
from tests.command_server import Commands

ROOT = Path(__file__).resolve().parent.parent
COLORS = {"red": (220, 20, 20), "green": (20, 220, 20), "blue": (20, 20, 220)}


def blocks():
    """File name → content, of the blocks that begin with a comment that names their file."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    return dict(re.findall(r"^```\w+\n# (\S+)\n(.*?)^```", text, re.S | re.M))


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    """The package in a folder that Python finds, with the metadata that an installer would write."""
    site = tmp_path_factory.mktemp("site")
    found = blocks()
    points = tomllib.loads(found.pop("pyproject.toml"))["project"]["entry-points"]
    for name, body in found.items():
        (site / name).parent.mkdir(exist_ok=True)
        (site / name).write_text(body, encoding="utf-8")
    (site / "eyechart_extra" / "__init__.py").write_text("", encoding="utf-8")
    info = site / "eyechart_extra-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: eyechart-extra\nVersion: 1.0\n", encoding="utf-8")
    lines = [line for group, names in points.items() for line in (f"[{group}]", *(f"{n} = {t}" for n, t in names.items()))]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return site


@pytest.fixture(scope="module")
def commands(installed):
    """Runs the command with the package installed."""
    made = Commands(PYTHONPATH=os.pathsep.join([str(installed), str(ROOT / "src")]))
    yield made
    made.close()


@pytest.fixture
def eyechart(commands, tmp_path):
    """Runs the command with the package installed."""
    return lambda *words: commands.run(*words, cwd=tmp_path, env={"EYECHART_STORE": str(tmp_path / "store")})


@pytest.fixture(scope="module")
def broken_commands(tmp_path_factory):
    """Runs the command with a package of which no entry point can be used."""
    site = tmp_path_factory.mktemp("broken-site")
    info = site / "eyechart_broken-1.0.dist-info"
    info.mkdir()
    (site / "eyechart_broken.py").write_text("import a_library_that_is_gone", encoding="utf-8")
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: eyechart-broken\nVersion: 1.0\n", encoding="utf-8")
    points = [f"[eyechart.{group}]\nlost = eyechart_broken:thing" for group in ("probes", "models", "datasets")]
    (info / "entry_points.txt").write_text("\n".join(points), encoding="utf-8")
    made = Commands(PYTHONPATH=os.pathsep.join([str(site), str(ROOT / "src")]))
    yield made
    made.close()


@pytest.fixture
def broken(broken_commands, tmp_path):
    """Runs the command with a package of which no entry point can be used."""
    return lambda *words: broken_commands.run(*words, cwd=tmp_path, env={"EYECHART_STORE": str(tmp_path / "store")})


@pytest.fixture
def pictures(tmp_path):
    """The layout of the dataset in the example."""
    rng = np.random.default_rng(0)
    for color, rgb in COLORS.items():
        folder = tmp_path / "photos" / "images-test" / color
        folder.mkdir(parents=True)
        for i in range(4):
            noise = rng.integers(-20, 20, (16, 16, 3))
            Image.fromarray(np.clip(np.array(rgb) + noise, 0, 255).astype(np.uint8)).save(folder / f"{i}.png")
    return tmp_path / "photos"


def test_all_four_kinds_are_shown():
    assert set(blocks()) == {
        "pyproject.toml", "eyechart_extra/trimmed_mean.py", "eyechart_extra/confidence.py", "test_confidence.py",
        "eyechart_extra/mean_color.py", "eyechart_extra/split_folders.py",
    }  # fmt: skip


@pytest.mark.parametrize(("command", "name"), [("probes", "confidence"), ("models", "mean-color"), ("datasets", "split-folders")])
def test_what_a_package_adds_is_listed(eyechart, command, name):
    listed = eyechart(command, "--json")
    assert listed.returncode == 0, listed.stderr
    assert name in listed.stdout


def test_the_metric_agrees_with_scipy(installed, monkeypatch):
    monkeypatch.syspath_prepend(installed)
    from eyechart_extra import trimmed_mean

    assert doctest.testmod(trimmed_mean).failed == 0
    values = np.random.default_rng(0).normal(size=101)
    assert trimmed_mean.trimmed_mean(values, 0.15) == pytest.approx(trim_mean(values, 0.15))


def test_model_dataset_probe_and_metric_work_together(eyechart, pictures, tmp_path):
    ran = eyechart(
        "examine", "--model", "mean-color:", "--data", f"split-folders:{pictures}", "--prompts", "single",
        "--probes", "confidence", "--probes", "zero_shot", "--out", "out",
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert "cosine of the nearest class, mean over pictures" in ran.stdout
    rows = {r["metric"]: r for r in pq.read_table(tmp_path / "out" / "findings.parquet").to_pylist() if r["slice"] != "{}"}
    assert rows["top1"]["value"] == 1.0 and rows["top1"]["n"] == 12
    best = rows["best_cosine"]
    assert (best["unit"], best["higher_is_better"], best["n"]) == ("cosine", True, 12)
    assert 0 < best["low"] <= best["value"] <= best["high"] <= 1 and "best_cosine_trimmed" in rows
    protocol = json.loads((tmp_path / "out" / "protocol.json").read_text())
    assert protocol["probes"]["confidence"]["metrics"][0]["limits"]["at_least"] == 0.1
    page = (tmp_path / "out" / "report" / "index.html").read_text()
    assert "How close is the nearest class to a picture?" in page
    # Twelve pictures are too few to decide.
    assert "It is inconclusive whether the nearest class has a mean cosine above 0.1." in page


def test_a_run_is_shown_without_the_package_that_made_it(eyechart, pictures, tmp_path):
    words = ("--data", f"split-folders:{pictures}", "--prompts", "single", "--probes", "confidence", "--out", "out")
    assert eyechart("examine", "--model", "mean-color:", *words).returncode == 0
    env = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    shown = subprocess.run(
        [sys.executable, "-m", "eyechart", "report", "out", "--markdown"], capture_output=True, text=True, env=env, cwd=tmp_path
    )
    assert "cosine of the nearest class, mean over pictures" in shown.stdout, shown.stderr


def test_an_entry_point_that_cannot_be_loaded_is_named_with_its_package(installed, tmp_path):
    (installed / "eyechart_extra" / "confidence.py").rename(installed / "eyechart_extra" / "gone.py")
    try:
        words = [
            "examine",
            "--model",
            "demo:",
            "--data",
            "world-objects",
            "--limit",
            "36",
            "--probes",
            "confidence",
            "--out",
            "out",
        ]
        env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), str(ROOT / "src")])}
        ran = subprocess.run([sys.executable, "-m", "eyechart", *words], capture_output=True, text=True, env=env, cwd=tmp_path)
    finally:
        (installed / "eyechart_extra" / "gone.py").rename(installed / "eyechart_extra" / "confidence.py")
    assert ran.returncode == 2 and "eyechart-extra" in ran.stderr and "Traceback" not in ran.stderr


@pytest.mark.parametrize(
    ("command", "ours"), [("probes", "zero_shot"), ("models", "onnx:"), ("datasets", "coco:"), ("doctor", "onnx:")]
)
@pytest.mark.parametrize("words", [(), ("--json",)])
def test_an_entry_point_that_cannot_be_used_is_listed_with_its_reason(broken, command, ours, words):
    listed = broken(command, *words)
    assert listed.returncode == 0, listed.stderr
    # The table may break a long reason over lines.
    text = re.sub(r"\s+", "", listed.stdout)
    assert ours in text and "lost" in text and "Nomodulenamed'a_library_that_is_gone'" in text


@pytest.mark.slow
def test_an_examination_reports_a_probe_that_cannot_be_used_and_runs_the_others(broken, tmp_path):
    ran = broken(
        "examine", "--model", "demo:", "--data", "world-objects", "--limit", "36", "--prompts", "single", "--out", "out", "--json"
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    told = json.loads(ran.stdout)
    assert any(row["metric"] == "top1" for row in told["findings"])
    (notice,) = [n for n in told["notices"] if "lost" in n]
    assert notice.startswith("probe lost: cannot be used: ") and "update or uninstall eyechart-broken" in notice
    assert "a_library_that_is_gone" in (tmp_path / "out" / "report" / "data" / "protocol.js").read_text()


@pytest.mark.parametrize(
    "words",
    [
        ("--model", "lost:x", "--data", "world-objects"),
        ("--model", "demo:", "--data", "lost:."),
        ("--model", "demo:", "--data", "world-objects", "--probes", "lost"),
    ],
)
def test_naming_an_entry_point_that_cannot_be_used_is_an_error(broken, words):
    ran = broken("examine", *words, "--limit", "36", "--out", "out")
    assert ran.returncode == 2 and "Traceback" not in ran.stderr
    assert "'lost' of the package eyechart-broken cannot be used" in ran.stderr and "a_library_that_is_gone" in ran.stderr


def test_the_record_of_a_model_source_is_listed(eyechart):
    rows = {row["kind"]: row for row in json.loads(eyechart("models", "--json").stdout)}
    assert rows["mean-color:"]["about"] == "the mean color of a picture"
    assert rows["mean-color:"]["gives"] == "images, texts, logit_scale"


def test_the_test_of_the_probe_passes(installed):
    env = {**os.environ, "PYTHONPATH": os.pathsep.join([str(installed), str(ROOT / "src")])}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "test_confidence.py"],
        capture_output=True, text=True, env=env, cwd=installed, check=False,
    )  # fmt: skip
    assert ran.returncode == 0 and "1 passed" in ran.stdout, ran.stdout
