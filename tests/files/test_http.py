"""The HTTP client, against servers on this machine."""

import http.server
import socketserver
import threading
import time

import pytest

from eyechart.files.http import (
    BadStatus,
    HttpFailure,
    HttpRequest,
    NotEncrypted,
    TooLarge,
    TooSlow,
    Unreachable,
    fetch_bytes,
    is_encrypted_or_local,
)


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


@pytest.mark.parametrize(
    "url", ["https://[::1", "https://a]b/", "http://[", "https://host:port/", "https://a..b/", "https://hé\ud800/"]
)
def test_a_malformed_address_is_refused_with_a_reason(url):
    with pytest.raises(HttpFailure):
        get(url, loopback=False)


class Drip(socketserver.BaseRequestHandler):
    """Sends one byte of a status line, or of endless headers, every few milliseconds, until the connection is closed."""

    beginning = b""
    closed: threading.Event

    def handle(self):
        try:
            self.request.sendall(self.beginning)
            while True:
                self.request.sendall(b"a")
                time.sleep(0.01)
        except OSError:
            self.closed.set()


@pytest.mark.parametrize("beginning", [b"", b"HTTP/1.1 200 ", b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\n\r\n"])
def test_a_slow_drip_ends_at_the_time_limit_and_its_connection_is_closed(beginning):
    kind = type("OneDrip", (Drip,), {"beginning": beginning, "closed": threading.Event()})
    with socketserver.ThreadingTCPServer(("127.0.0.1", 0), kind) as server:
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        url = f"http://127.0.0.1:{server.server_address[1]}/"
        with pytest.raises(TooSlow):
            fetch_bytes(HttpRequest(url, 1 << 20, 0.2, loopback=True))
        assert kind.closed.wait(30), "the connection is still open"
        server.shutdown()


def test_a_proxy_never_gets_a_request_to_this_machine(address, monkeypatch):
    reached = []

    class Proxy(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            reached.append(self.path)
            self.send_error(502)

        do_CONNECT = do_GET

        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Proxy) as proxy:
        threading.Thread(target=proxy.serve_forever, daemon=True).start()
        for variable in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy"):
            monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.server_port}")
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert get(f"{address}/here", headers={"Authorization": "Bearer secret"}) == b"content"
        assert get(f"{address.replace('127.0.0.1', 'localhost')}/here") == b"content"
        # The proxy itself is used for other hosts: what keeps it away above is the address.
        with pytest.raises((BadStatus, Unreachable)):
            get("https://example.invalid/", loopback=False)
        proxy.shutdown()
    assert reached == ["example.invalid:443"]
    assert Pages.seen[0][1] == "Bearer secret"
