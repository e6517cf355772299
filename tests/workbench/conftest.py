"""Runs to open, a real server on loopback, the desks behind it, and a browser in front of it."""

import http.client
import json
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from tests.workbench.browser import until

import eyechart
from eyechart.findings.run import read_run
from eyechart.inputs import open_data
from eyechart.plan import DataPlan
from eyechart.store.store import Store
from eyechart.workbench.design_desk import DesignDesk
from eyechart.workbench.opened_model import OpenedModel

BINARY = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)


@pytest.fixture(scope="session")
def store_path(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="session")
def shapes(tmp_path_factory) -> Path:
    """A folder of pictures with a subfolder per class, some of them twice."""
    folder = tmp_path_factory.mktemp("data") / "shapes"
    dataset = open_data(DataPlan("world-objects", limit=180), seed=0)
    labels = dataset.table.column("label").to_pylist()
    for row, label in enumerate(labels):
        (folder / label).mkdir(parents=True, exist_ok=True)
        (folder / label / f"{row:03d}.png").write_bytes(dataset.pictures.read(row))
        if row % 9 == 0:
            (folder / label / f"{row:03d}-copy.png").write_bytes(dataset.pictures.read(row))
    return folder


@pytest.fixture(scope="session")
def exams(tmp_path_factory, store_path, shapes) -> Path:
    """Two runs: people under a class design, and a folder of shapes with out-of-distribution pictures, two models."""
    folder = tmp_path_factory.mktemp("exams")
    given: dict[str, Any] = {"store": store_path, "prompts": "openai-7"}
    probes = ["zero_shot", "class_groups", "class_change"]
    eyechart.examine("demo:", "world-people", limit=336, probes=probes, out=folder / "people", **given)
    probes = ["zero_shot", "calibration", "ood", "corruption"]
    options = {"probes": probes, "corruptions": "noise:3", **given}
    eyechart.examine("demo:", shapes, out=folder / "shapes", **options)
    loose = folder.parent / "loose"
    loose.mkdir()
    for place, file in enumerate(sorted(shapes.glob("*/*.png"))[::9]):
        (loose / f"{place}.png").write_bytes(file.read_bytes())
    alone = {"probes": ["lint"], "corruptions": [], "default_ood": False, **given}
    eyechart.examine("demo:", loose, out=folder / "unlabeled", **alone)
    plan = eyechart.Plan(
        models=(eyechart.ModelPlan("demo:", name="bare"), eyechart.ModelPlan("demo:", name="again")),
        datasets=(eyechart.DataPlan(str(shapes)),), probes=("zero_shot",), prompts=("bare",), corruptions=(), default_ood=False,
    )  # fmt: skip
    eyechart.run(plan, out=folder / "shapes-bare", store=store_path)
    return folder


@pytest.fixture(scope="session")
def store(store_path):
    return Store(store_path)


@pytest.fixture(scope="session")
def people(exams, store) -> DesignDesk:
    return DesignDesk(OpenedModel(read_run(exams / "people"), "demo", store=store), "world-people")


@pytest.fixture(scope="session")
def shape_desk(exams, store) -> DesignDesk:
    return DesignDesk(OpenedModel(read_run(exams / "shapes"), "demo", store=store), "shapes")


@dataclass
class Server:
    """A workbench in a process of its own."""

    address: str
    port: int
    process: subprocess.Popen[str]
    cookie: str = ""
    headers: dict[str, str] = field(default_factory=dict)

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, dict[str, str], bytes]:
        """One request, with exactly these headers and a Host; a header of "" is left out."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
        given = {"Host": f"127.0.0.1:{self.port}", **{k.replace("_", "-"): v for k, v in headers.items()}}
        if body is not None and "Content-Length" not in given and "Transfer-Encoding" not in given:
            given["Content-Length"] = str(len(body))
        for name, value in given.items():
            if value:
                connection.putheader(name, value)
        connection.endheaders(body)
        answer = connection.getresponse()
        found = answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read()
        connection.close()
        return found

    def sign_in(self) -> None:
        _, headers, _ = self.ask("GET", "/" + self.address.split("/", 3)[3])
        self.cookie = headers["set-cookie"].split(";")[0]

    def get(self, path: str) -> tuple[int, dict[str, str], bytes]:
        return self.ask("GET", path, Cookie=self.cookie)

    def post(self, name: str, content: Any) -> tuple[int, Any]:
        own = {"Cookie": self.cookie, "Origin": f"http://127.0.0.1:{self.port}", "Content-Type": "application/json"}
        status, _, body = self.ask("POST", f"/api/{name}", json.dumps(content).encode(), **own)
        return status, json.loads(body)


def start_server(folder: Path, *more: str, **environment: str) -> Server:
    command = [sys.executable, "-m", "eyechart", "open", str(folder), "--no-browser", *more]
    given = {**os.environ, "OPENBLAS_NUM_THREADS": "1", **environment}
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=given)
    assert process.stdout is not None
    line = process.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:(\d+)/\S+", line)
    assert found, line
    return Server(found[0], int(found[1]), process)


@pytest.fixture
def fresh_server(exams, store_path):
    """A server that nobody has signed in to."""
    pytest.importorskip("starlette")
    server = start_server(exams, "--store", str(store_path))
    yield server
    server.process.terminate()
    server.process.wait(timeout=20)


@pytest.fixture(scope="session")
def file_manager(tmp_path_factory) -> Path:
    """A folder with a program in place of the file manager, and in `opened` what it was asked to open."""
    folder = tmp_path_factory.mktemp("file-manager")
    for name in ("xdg-open", "open"):
        (folder / name).write_text(f'#!/bin/sh\nprintf "%s\\n" "$@" >> "{folder}/opened"\n')
        (folder / name).chmod(0o755)
    return folder


@pytest.fixture(scope="session")
def server(exams, store_path, file_manager):
    """A server with a cookie."""
    pytest.importorskip("starlette")
    server = start_server(exams, "--store", str(store_path), PATH=f"{file_manager}{os.pathsep}{os.environ['PATH']}")
    server.sign_in()
    yield server
    server.process.terminate()
    server.process.wait(timeout=20)


@pytest.fixture(scope="session")
def chromium():
    """A headless browser for all tests."""
    sync_api = pytest.importorskip("playwright.sync_api")
    pytest.importorskip("starlette")
    if BINARY is None:
        pytest.skip("there is no chromium: apt install chromium")
    with sync_api.sync_playwright() as playwright:
        flags = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=BINARY, args=flags)
        yield browser
        browser.close()


@pytest.fixture
def open_page(chromium, server):
    """A page of the workbench; the test fails where the console has errors or a request leaves the machine."""
    made, said, asked = [], [], []

    def make(view="design", run="shapes", **options):
        context = chromium.new_context(viewport=options.pop("viewport", {"width": 1400, "height": 900}), **options)
        context.add_cookies([{"name": server.cookie.split("=")[0], "value": server.cookie.split("=", 1)[1],
                              "url": f"http://127.0.0.1:{server.port}", "httpOnly": True, "sameSite": "Strict"}])  # fmt: skip
        page = context.new_page()
        page.on("console", lambda m: said.append(m.text) if m.type in ("error", "warning") else None)
        page.on("pageerror", lambda e: said.append(str(e)))
        page.on("request", lambda r: asked.append(r.url))
        page.under_way = set()
        page.on("request", lambda r: page.under_way.add(r))
        page.on("requestfinished", lambda r: page.under_way.discard(r))
        page.on("requestfailed", lambda r: page.under_way.discard(r))
        page.goto(f"http://127.0.0.1:{server.port}/#/{view}")
        page.wait_for_selector("#tabs a")
        page.wait_for_selector("main > *")
        if page.locator("#place select").first.input_value() != f"r-{run}":
            page.select_option("#place select >> nth=0", f"r-{run}")
        until(page, f"document.querySelector('#place select').value === 'r-{run}'")
        until(page, "!document.querySelector('#main').hasAttribute('aria-busy')")
        page.wait_for_selector("main > *")
        made.append(context)
        return page

    make.said = said
    yield make
    for context in made:
        context.close()
    assert said == []
    assert {re.match(r"(blob:)?http://[^/]+", url)[0].removeprefix("blob:") for url in asked} <= {
        f"http://127.0.0.1:{server.port}"
    }
