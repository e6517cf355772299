"""The HTTP client, against servers on this machine."""

import http.server
import threading

import pytest

from eyechart.files.http import BadStatus, HttpRequest, NotEncrypted, TooLarge, Unreachable, fetch_bytes, is_encrypted_or_local


class Pages(http.server.BaseHTTPRequestHandler):
    seen: list = []  # noqa: RUF012 - one list for all requests

    def do_GET(self):
        Pages.seen.append((self.headers.get("Host"), self.headers.get("Authorization")))
        if self.path == "/elsewhere":
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{self.server.server_port}/here")
            self.end_headers()
            return
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"content")

    def log_message(self, *_):
        pass


@pytest.fixture
def address():
    Pages.seen = []
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Pages) as httpd:
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{httpd.server_port}"
        httpd.shutdown()


def get(url, **options):
    return fetch_bytes(HttpRequest(url, options.pop("most_bytes", 1000), 5.0, **{"loopback": True, **options}))


def test_http_is_allowed_to_this_machine_only_where_asked(address):
    assert get(f"{address}/here") == b"content"
    with pytest.raises(NotEncrypted):
        get(f"{address}/here", loopback=False)
    with pytest.raises(NotEncrypted):
        get("http://example.org/here")


def test_a_redirect_is_refused_where_asked(address):
    with pytest.raises(BadStatus) as refused:
        get(f"{address}/elsewhere", redirects="refuse")
    assert refused.value.code == 302


def test_the_key_is_not_sent_to_another_host(address):
    assert get(f"{address}/elsewhere", headers={"Authorization": "Bearer secret"}) == b"content"
    assert [key for _, key in Pages.seen] == ["Bearer secret", None]


def test_the_size_limit_holds(address):
    with pytest.raises(TooLarge, match="larger than"):
        get(f"{address}/here", most_bytes=3)


def test_no_server_is_said_so():
    with pytest.raises(Unreachable):
        get("http://127.0.0.1:9/")


@pytest.mark.parametrize(
    "url, fine",
    [
        ("https://host/v1", True),
        ("http://localhost:8080/v1", True),
        ("http://[::1]/v1", True),
        ("http://host/v1", False),
        ("file:///etc/passwd", False),
        ("https:///v1", False),
    ],
)
def test_which_addresses_are_encrypted_or_local(url, fine):
    assert is_encrypted_or_local(url) == fine
