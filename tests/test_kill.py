"""kill -9 at any moment: twenty times, and the findings come out the same."""

import os
import random
import signal
import subprocess
import sys
import time

import numpy as np
import pyarrow.parquet as pq
import pytest
from PIL import Image

pytestmark = pytest.mark.long

KILLS = 20


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pictures")
    rng = np.random.default_rng(0)
    for c in ("circle", "square", "star"):
        (folder / c).mkdir()
        for i in range(150):
            pixels = rng.integers(0, 256, (6, 6, 3), dtype=np.uint8)
            Image.fromarray(pixels).resize((200, 160)).save(folder / c / f"{i}.png")
    (folder / "star" / "broken.png").write_bytes(b"no picture")
    return folder


def start(pictures, work):
    command = [
        sys.executable,
        "-m",
        "eyechart.cli.main",
        "examine",
        "--model",
        "demo:",
        "--data",
        str(pictures),
        "--out",
        str(work / "out"),
    ]
    options = ["--prompts", "single", "--batch-size", "8", "--workers", "1", "--quiet"]
    return subprocess.Popen(
        [*command, *options],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env={**os.environ, "EYECHART_STORE": str(work / "store")},
    )


def finish(pictures, work):
    process = start(pictures, work)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors.decode()
    return pq.read_table(work / "out" / "findings.parquet")


@pytest.mark.slow
def test_twenty_kills_and_the_same_findings(pictures, tmp_path):
    began = time.monotonic()
    expected = finish(pictures, tmp_path / "undisturbed")
    whole = time.monotonic() - began

    rng = random.Random(0)
    kills = works = 0
    while kills < KILLS:
        began = time.monotonic()
        process = start(pictures, tmp_path / str(works))
        try:
            process.wait(timeout=rng.uniform(0.1, 1.0) * whole)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            kills += 1
        process.communicate()
        # A run that got through is compared, and the next kills meet an empty store again. It may have been quicker than the
        # first one was: kills aimed at a slower run would all come too late.
        if process.returncode == 0:
            whole = min(whole, time.monotonic() - began)
            assert_same(pq.read_table(tmp_path / str(works) / "out" / "findings.parquet"), expected)
            works += 1
    assert_same(finish(pictures, tmp_path / str(works)), expected)


def assert_same(found, expected):
    numbers = ["value", "low", "high"]
    assert found.drop(numbers).to_pylist() == expected.drop(numbers).to_pylist()
    for column in numbers:
        np.testing.assert_allclose(
            np.array(found.column(column).to_pylist(), float), np.array(expected.column(column).to_pylist(), float), atol=1e-9
        )
