"""Fetching from a server on this machine that speaks TLS with a certificate of its own."""

import http.server
import shutil
import ssl
import subprocess
import threading
import time

import pytest

from eyechart.errors import DataError, UsageError
from eyechart.study.fetching import fetch, file_name, is_url

TABLE = b"name,pretrained,ImageNet 1k\nRN50,openai,0.5982\n"


class Pages(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/away":
            self.send_response(302)
            self.send_header("Location", "http://127.0.0.1:9/results.csv")
            self.end_headers()
        elif self.path == "/results.csv":
            self.send_response(200)
            self.send_header("Content-Length", str(len(TABLE)))
            self.end_headers()
            self.wfile.write(TABLE)
        elif self.path == "/broken":
            self.send_response(200)
            self.send_header("Content-Length", str(len(TABLE)))
            self.end_headers()
            self.wfile.write(TABLE[:19])
        elif self.path.startswith("/round"):
            time.sleep(0.4)
            self.send_response(302)
            self.send_header("Location", f"{self.path}x")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif self.path == "/slow-headers":
            self._drip(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 30)
        elif self.path in ("/drip", "/endless"):
            self.send_response(200)
            self.end_headers()
            self._pour(pause=0.05 if self.path == "/drip" else 0.0)
        else:
            self.send_error(404)

    def _pour(self, pause):
        try:
            for _ in range(2000):
                self.wfile.write(b"x" * 1000)
                time.sleep(pause)
        except OSError:
            pass  # the reader has gone, as it should

    def _drip(self, sent):
        try:
            for byte in sent:
                self.wfile.write(bytes([byte]))
                time.sleep(0.1)
        except OSError:
            pass

    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    if shutil.which("openssl") is None:
        pytest.skip("no openssl on this machine to make a certificate with")
    folder = tmp_path_factory.mktemp("tls")
    command = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -addext subjectAltName=DNS:localhost"
    subprocess.run(
        [*command.split(), "-keyout", folder / "key.pem", "-out", folder / "cert.pem"], check=True, capture_output=True
    )
    return folder


@pytest.fixture(scope="module")
def server(certificate):
    """(address, a context that trusts it)."""
    ours = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    ours.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    with http.server.ThreadingHTTPServer(("localhost", 0), Pages) as httpd:
        httpd.socket = ours.wrap_socket(httpd.socket, server_side=True)
        threading.Thread(target=httpd.serve_forever, daemon=True).start()
        yield f"https://localhost:{httpd.server_port}", ssl.create_default_context(cafile=certificate / "cert.pem")
        httpd.shutdown()


def test_a_table_comes_over_tls(server):
    address, trust = server
    assert fetch(f"{address}/results.csv", context=trust) == TABLE


def test_a_server_nobody_vouches_for_is_refused(server):
    with pytest.raises(DataError, match=r"cannot be fetched.*certificate"):
        fetch(f"{server[0]}/results.csv")


@pytest.mark.parametrize("url", ["http://localhost/results.csv", "file:///etc/passwd", "ftp://localhost/a.csv", "https:///a.csv"])
def test_only_https_is_fetched(url):
    with pytest.raises(UsageError, match="only https"):
        fetch(url)


def test_a_redirection_away_from_https_is_not_followed(server):
    address, trust = server
    with pytest.raises(UsageError, match=r"http://127\.0\.0\.1.*only https"):
        fetch(f"{address}/away", context=trust)


def test_a_file_that_says_it_is_too_large_is_not_read(server):
    address, trust = server
    with pytest.raises(DataError, match="larger than"):
        fetch(f"{address}/results.csv", most_bytes=10, context=trust)


def test_a_file_that_grows_too_large_is_given_up(server):
    address, trust = server
    with pytest.raises(DataError, match="larger than"):
        fetch(f"{address}/endless", most_bytes=50_000, context=trust)


def test_a_server_that_drips_is_given_up_in_time(server):
    address, trust = server
    with pytest.raises(DataError, match="not there after 1 s"):
        fetch(f"{address}/drip", seconds=1, context=trust)


@pytest.mark.parametrize("path", ["/slow-headers", "/round"])
def test_the_limit_holds_for_headers_and_redirections_too(server, path):
    """Headers that take 5 s byte by byte, and eleven redirections of 0.4 s each, none of which is slow by itself."""
    address, trust = server
    with pytest.raises(DataError, match="not there after 1 s"):
        fetch(f"{address}{path}", seconds=1, context=trust)


def test_a_connection_that_breaks_gives_no_half_table(server):
    address, trust = server
    with pytest.raises(DataError, match=f"broke after 19 of {len(TABLE)} bytes"):
        fetch(f"{address}/broken", context=trust)


def test_an_answer_that_is_no_table_is_told(server):
    address, trust = server
    with pytest.raises(DataError, match="404"):
        fetch(f"{address}/nothing", context=trust)


def test_the_file_is_called_as_the_address_ends():
    assert file_name("https://example.org/a/results%20a.csv?raw=1#x") == "results a.csv"
    assert is_url("https://example.org/a.csv") and not is_url("C:\\tables\\a.csv") and not is_url("tables/a.csv")
