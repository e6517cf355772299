"""Who is refused, over real HTTP: foreign hosts and origins, missing or wrong tokens, paths out of the runs, large bodies."""

import json
import socket

import pytest

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")


def at(run="r-people", dataset="world-people"):
    return {"run": run, "model": "demo", "dataset": dataset}


def pages(server):
    """The secret beginning of the addresses of pages."""
    listed = json.loads(server.get("/api/runs")[2])["runs"]
    return next(r["page"] for r in listed if r["title"] == "people").removesuffix("r-people/index.html")


def test_a_page_of_a_run_is_in_a_sandbox_without_the_rights_of_the_workbench(server):
    """It needs no cookie, so that its scripts need none; and they can neither read answers nor change anything."""
    path = pages(server) + "r-people/index.html"
    status, headers, body = server.ask("GET", path)
    assert status == 200 and b"world-people" in body
    policy = headers["content-security-policy"]
    assert policy.startswith("sandbox allow-scripts") and "allow-same-origin" not in policy and "connect-src" not in policy
    assert server.ask("POST", path, b"{}")[0] == 401
    assert server.ask("GET", path, Host="evil.example")[0] == 421
    assert len(path.split("/")[2]) >= 32
    for inside in ("../../api/runs", "%2e%2e/%2e%2e/api/runs", "r-people/../../../api/runs"):
        status, _, body = server.ask("GET", pages(server) + inside)
        assert status == 404 and b"world-people" not in body


def test_the_token_works_once_and_becomes_a_cookie(fresh_server):
    first = "/" + fresh_server.address.split("/", 3)[3]
    status, headers, _ = fresh_server.ask("GET", first)
    assert status == 303 and headers["location"] == "/"
    cookie = headers["set-cookie"]
    assert "HttpOnly" in cookie and "samesite=strict" in cookie.lower() and "Path=/" in cookie
    assert fresh_server.ask("GET", first)[0] == 401  # another browser
    own = cookie.split(";")[0]
    assert fresh_server.ask("GET", first, Cookie=own)[0] == 303  # the same browser
    status, headers, body = fresh_server.ask("GET", "/", Cookie=own)
    assert status == 200 and b"<script type" in body
    token = first.split("=")[1]
    assert token not in own


@pytest.mark.parametrize(
    "path", ["/", "/static/app.js", "/api/runs", "/picture?run=r-people", "/pages/guess/r-people/index.html", "/?token=guess"]
)
def test_nothing_is_shown_without_the_cookie(server, path):
    for cookie in ("", f"eyechart_{server.port}=guess", "eyechart_1=x"):
        status, _, body = server.ask("GET", path, Cookie=cookie)
        assert status == 401 and b"people" not in body


def test_a_wrong_token_does_not_use_up_the_right_one(fresh_server):
    assert fresh_server.ask("GET", "/?token=wrong")[0] == 401
    fresh_server.sign_in()
    assert fresh_server.get("/api/runs")[0] == 200


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "localhost:{port}.evil.example"]
)
def test_a_foreign_host_is_refused(server, host):
    status, _, body = server.ask("GET", "/api/runs", Cookie=server.cookie, Host=host.format(port=server.port))
    assert status in (400, 421) and b"people" not in body


def test_localhost_is_the_same_machine(server):
    assert server.ask("GET", "/api/runs", Cookie=server.cookie, Host=f"localhost:{server.port}")[0] == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1:{port}", "http://127.0.0.1:1", ""])
def test_what_changes_something_must_come_from_its_own_page(server, origin):
    body = json.dumps({"at": at(), "kind": "toml", "name": "stolen"}).encode()
    status, _, _ = server.ask(
        "POST", "/api/save", body, Cookie=server.cookie, Origin=origin.format(port=server.port), Content_Type="application/json"
    )
    assert status == 403


def test_a_foreign_page_cannot_even_load_a_picture(server):
    path = "/picture?run=r-people&model=demo&dataset=world-people&row=0"
    assert server.get(path)[0] == 200
    assert server.ask("GET", path, Cookie=server.cookie, Sec_Fetch_Site="cross-site")[0] == 403


def test_forms_of_other_kinds_are_refused(server):
    own = f"http://127.0.0.1:{server.port}"
    status, _, body = server.ask("POST", "/api/save", b"{}", Cookie=server.cookie, Origin=own, Content_Type="text/plain")
    assert status == 400 and b"JSON" in body


def test_every_answer_forbids_inline_scripts_and_frames(server):
    for path in ("/", "/static/app.js", "/api/runs", "/nowhere", pages(server) + "r-people/index.html"):
        _, headers, _ = server.get(path)
        policy = headers["content-security-policy"]
        assert "script-src 'self';" in policy and "default-src 'none'" in policy and "frame-ancestors 'none'" in policy
        assert headers["x-content-type-options"] == "nosniff"
    _, headers, body = server.get("/")
    assert "unsafe-inline" not in headers["content-security-policy"]
    assert body.count(b"<script") == body.count(b'<script type="module" src=') and b" style=" not in body


@pytest.mark.parametrize(
    "path",
    [
        "PAGESr-people/../protocol.json", "PAGESr-people/..%2fprotocol.json",
        "PAGESr-people/%2e%2e/%2e%2e/shapes/protocol.json",
        "PAGESr-people//etc/passwd", "PAGES..%2f/x", "/static/../server.py", "/static/%2e%2e/server.py",
        "PAGESr-people/../../people/findings.parquet",
    ],
)  # fmt: skip
def test_no_path_leads_out_of_the_page(server, path):
    status, _, body = server.get(path.replace("PAGES", pages(server)))
    assert status == 404 and b"fingerprint" not in body and b"root:" not in body and b"import" not in body


def test_a_link_out_of_the_page_is_not_followed(server, exams, tmp_path):
    (tmp_path / "secret.txt").write_text("secret")
    link = exams / "people" / "report" / "link.txt"
    link.symlink_to(tmp_path / "secret.txt")
    try:
        status, _, body = server.get(pages(server) + "r-people/link.txt")
    finally:
        link.unlink()
    assert status == 404 and b"secret" not in body


@pytest.mark.parametrize(
    "query", ["row=-1", "row=999999", "row=x", "id=../../etc/passwd", "row=0&dataset=/etc", "row=0&run=../x", "row=0&side=9999"]
)
def test_only_pictures_of_the_opened_datasets_are_given(server, query):
    given = dict(part.split("=") for part in query.split("&"))
    whole = {"run": "r-people", "model": "demo", "dataset": "world-people", **given}
    assert server.get("/picture?" + "&".join(f"{k}={v}" for k, v in whole.items()))[0] == 404


@pytest.mark.parametrize("name", ["../../evil", "/tmp/evil", "a/b", "..", "", "x\ny", "a" * 81, ".hidden"])
def test_files_are_saved_in_the_run_alone(server, name):
    status, answer = server.post("save", {"at": at(), "kind": "toml", "name": name})
    assert status == 400 and "letters, digits" in answer["error"]


def test_large_bodies_are_refused_by_header_and_by_count(server):
    own = {"Cookie": server.cookie, "Origin": f"http://127.0.0.1:{server.port}", "Content-Type": "application/json"}
    assert server.ask("POST", "/api/design", None, **own, **{"Content-Length": "4000001"})[0] == 413
    # Chunks without a length: the count decides.
    body = b"".join(b"10000\r\n" + b"x" * 0x10000 + b"\r\n" for _ in range(64)) + b"0\r\n\r\n"
    status, _, _ = server.ask("POST", "/api/design", body, **own, **{"Transfer-Encoding": "chunked"})
    assert status == 413
    assert server.post("design", {"at": at(), "design": None, "seq": 1})[0] == 200


def test_it_listens_on_loopback_alone(server):
    """The port is closed on every other address of the machine."""
    own = {info[4][0] for info in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)} - {"127.0.0.1"}
    for address in own:
        if address.startswith("127."):
            continue
        with pytest.raises(OSError), socket.create_connection((address, server.port), timeout=2):
            pass
    with open("/proc/net/tcp") as table:  # noqa: PTH123 - not a file of ours
        listening = [line.split()[1] for line in table if line.split()[3] == "0A"]
    assert f"0100007F:{server.port:04X}" in listening and f"00000000:{server.port:04X}" not in listening


def test_wrong_requests_get_a_sentence(server):
    for name, content, reason in [
        ("design", {"at": at(), "seq": "x"}, "seq"),
        ("design", {"at": {"run": "r-people"}, "seq": 1}, "must name a run"),
        ("design", {"at": at(run="r-nowhere"), "seq": 1}, "no such run"),
        ("design", {"at": at(dataset="other"), "seq": 1}, "no dataset"),
        ("design", {"at": at(), "seq": 2, "tab": "x", "design": {"classes": []}}, "2 to"),
        ("suggest", {"at": at(), "words": "x", "group": "role"}, "list of class names"),
        ("gallery", {"at": at(), "seq": 1, "query": {"sort": "x"}}, "sort must be"),
        ("thresholds", {"at": at(), "seq": 1, "thresholds": {"score": "x"}}, "OOD score"),
        ("compare", {"first": {}, "second": {}}, "both sides"),
        ("tried", {"at": at(), "tried": "x"}, "drop it again"),
    ]:
        status, answer = server.post(name, content)
        assert status == 400 and reason in answer["error"], (name, answer)
        assert "Traceback" not in answer["error"]
