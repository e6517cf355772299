"""Files of an examination's page over real HTTP: a damaged one is refused, a name that no file can have is not found."""

import json
import shutil

import pytest
from tests.workbench.conftest import start_server

from eyechart.report.page_stamp import STAMP

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


@pytest.fixture(scope="module")
def opened(exams, store_path, tmp_path_factory):
    """The folder of an examination of its own, the address of its page, and a server."""
    folder = shutil.copytree(exams / "shapes", tmp_path_factory.mktemp("page") / "run")
    server = start_server(folder, "--store", str(store_path))
    server.sign_in()
    page = json.loads(server.get("/api/runs")[2])["runs"][0]["page"].removesuffix("index.html")
    yield folder / "report", page, server
    server.process.terminate()
    server.process.wait(timeout=20)


@pytest.fixture
def changed():
    """Changes the content of a file until the end of the test."""
    before = {}

    def change(path, content):
        before[path] = path.read_bytes()
        path.write_bytes(content)

    yield change
    for path, content in before.items():
        path.write_bytes(content)


@pytest.mark.parametrize("pattern", ["index.html", "data/*.js", "assets/*.js", "pictures/**/*.jpg"])
def test_a_damaged_file_is_refused_with_its_name_and_the_next_step(opened, changed, pattern):
    report, page, server = opened
    path = sorted(report.glob(pattern))[0]
    name, content = path.relative_to(report).as_posix(), bytearray(path.read_bytes())
    assert server.ask("GET", page + name)[::2] == (200, bytes(content))
    content[len(content) // 2] ^= 1
    changed(path, content)
    status, _, body = server.ask("GET", page + name)
    assert status == 500
    assert body.decode() == f"eyechart: {path} is damaged; `eyechart report {report.parent}` writes the page again\n"
    other = "data" if pattern == "index.html" else "index.html"
    other = next(file for file in sorted(report.rglob("*")) if file.is_file() and file.relative_to(report).parts[0] == other)
    assert server.ask("GET", page + other.relative_to(report).as_posix())[0] == 200


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"[" * 100_000, b'{"made_from": "", "files": {"index.html": ' + b"1" * 5000 + b"}}"]
)
def test_nothing_is_given_unchecked_because_the_checksums_are_damaged(opened, changed, content):
    report, page, server = opened
    changed(report / STAMP, content)
    status, _, body = server.ask("GET", page + "index.html")
    assert status == 500 and b"is damaged" in body and b"<html" not in body


@pytest.mark.parametrize("name", ["%00", "a%00.js", "a" * 300, "a/" * 3000, "loop", "loop/index.html", "%ff%fe"])
def test_a_name_that_no_file_can_have_is_not_found(opened, name):
    report, page, server = opened
    (report / "loop").symlink_to("loop")
    try:
        status, _, body = server.ask("GET", page + name)
    finally:
        (report / "loop").unlink()
    assert (status, body) == (404, b"eyechart: there is no such file in the page\n")
