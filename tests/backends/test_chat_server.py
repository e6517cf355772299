"""`chat:` against a real server: transformers' own `serve` with the zoo's LLaVA, over HTTP on this machine."""

import io
import os
import socket
import subprocess
import sys
import time
import urllib.request
from importlib.util import find_spec

import pytest

pytest.importorskip("torch")
pytest.importorskip("transformers")
if find_spec("fastapi") is None or find_spec("uvicorn") is None:
    pytest.skip("transformers serve needs fastapi and uvicorn", allow_module_level=True)

from PIL import Image

from eyechart.exam import examine
from eyechart.models.answering import CLASS_QUESTION
from eyechart.models.open import open_model
from eyechart.world.datasets.open import open_world
from eyechart.world.zoo import zoo_folder

LONGEST_START = 180  # seconds


@pytest.fixture(scope="module")
def base(tmp_path_factory):
    """The address of the server, once it answers. It is ended after the tests of this file."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = tmp_path_factory.mktemp("serve") / "log.txt"
    command = [sys.executable, "-m", "transformers.cli.transformers", "serve", str(zoo_folder("llava"))]
    command += ["--host", "127.0.0.1", "--port", str(port), "--device", "cpu", "--dtype", "float32"]
    offline = {**os.environ, "HF_HUB_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    with log.open("wb") as out, subprocess.Popen(command, stdout=out, stderr=out, env=offline) as server:
        try:
            _wait(f"http://127.0.0.1:{port}/health", server, log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            server.terminate()
            try:
                server.wait(20)
            except subprocess.TimeoutExpired:
                server.kill()


def _wait(url, server, log):
    end = time.monotonic() + LONGEST_START
    while time.monotonic() < end:
        try:
            with urllib.request.urlopen(url, timeout=5) as reply:
                if reply.status == 200:
                    return
        except OSError:
            pass
        if server.poll() is not None:
            break
        time.sleep(0.5)
    pytest.fail(f"the server did not start: {log.read_text(errors='replace')[-2000:]}")


@pytest.fixture(scope="module")
def spec(base):
    return f"chat:{base}#{zoo_folder('llava')},quality=0,at_once=1,seconds=120"


def shown(count):
    dataset = open_world("world-objects", n=count)
    return [Image.open(io.BytesIO(dataset.pictures.read(row))).convert("RGB") for row in range(count)]


def test_replies_over_http_are_those_of_the_same_model_without_a_server(spec):
    served, local = open_model(spec), open_model("zoo:llava")
    for picture in shown(8):
        over_http = served.answer(picture, CLASS_QUESTION)
        assert over_http.kind == "text" and over_http.text == local.answer(picture, CLASS_QUESTION).text
        assert over_http.prompt_tokens and over_http.reply_tokens


def test_an_examination_over_http(spec, tmp_path):
    settings = {"answers": {"asks": ["choice"], "pictures": 0, "tower": "zoo:random-order-0"}, "picture_use": {"pictures": 18}}
    runs = [
        examine(
            model, "world-objects", limit=18, probes=["answers", "picture_use", "zero_shot"], settings=settings,
            out=tmp_path / str(number), store=tmp_path / "store",
        )
        for number, model in enumerate((spec, "zoo:llava"))
    ]  # fmt: skip
    found = [{(r["metric"], r["slice"]): r["value"] for r in run.findings.to_pylist() if r["probe"] == "answers"} for run in runs]
    same = {key for key in found[0] if "tokens" not in key[0]}
    assert ("choice_accuracy", "{}") in same
    assert all(found[0][key] == pytest.approx(found[1][key]) for key in same)
    reasons = {s["probe"]: s["reason"] for s in runs[0].skips.to_pylist()}
    assert reasons["zero_shot"] == "it has no image encoder, and gives no log-likelihoods of answers"
