"""The endpoint, against a server of this machine: what is sent, what is kept, what is refused, and that the key stays secret."""

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from eyechart.errors import UsageError
from eyechart.language_models.address import KEY_VARIABLE, Address
from eyechart.language_models.endpoint import Endpoint, EndpointError
from eyechart.language_models.replies import Replies

KEY = "sk-very-secret-0123456789"


class Server:
    """Answers with the last message in capitals, or as `answers` says: (status, headers, body) in turn."""

    def __init__(self):
        self.seen, self.answers, self.delay = [], [], 0.0
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                outer.seen.append((self.path, dict(self.headers), body))
                time.sleep(outer.delay)
                said = body["messages"][-1]["content"].upper()
                usual = (200, {}, json.dumps({"choices": [{"message": {"content": said}}]}).encode())
                status, headers, content = outer.answers.pop(0) if outer.answers else usual
                self.send_response(status)
                for name, value in {**headers, "Content-Length": str(len(content))}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *asked):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.base = f"http://127.0.0.1:{self.server.server_port}/v1"


@pytest.fixture
def server():
    running = Server()
    yield running
    running.server.shutdown()
    running.server.server_close()


def endpoint(server, folder, **more):
    return Endpoint(Address(server.base), "some-model", Replies(folder), pause=0.0, **more)


def test_a_question_is_sent_once_and_replayed_without_network(server, tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    assert endpoint(server, tmp_path).ask_all("shout", ["a", "b", "a"], at_once=1) == ["A", "B", "A"]
    assert len(server.seen) == 2
    path, headers, body = server.seen[0]
    assert (path, headers["Authorization"]) == ("/v1/chat/completions", f"Bearer {KEY}")
    assert body["model"] == "some-model" and body["temperature"] == 0
    assert [m["role"] for m in body["messages"]] == ["system", "user"]
    gone = Endpoint(Address("http://127.0.0.1:9/v1"), "some-model", Replies(tmp_path), offline=True)
    assert gone.ask("shout", "b") == "B"  # whatever the address, it is the model's reply
    with pytest.raises(EndpointError, match="no reply of some-model to 'c'"):
        gone.ask("shout", "c")


def test_the_key_is_written_nowhere(server, tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    asking = endpoint(server, tmp_path)
    asking.ask("shout", "a")
    kept = [file.read_text() for file in tmp_path.rglob("*") if file.is_file()]
    assert kept and not any(KEY in text for text in kept)
    server.answers = [(401, {}, KEY.encode())]
    with pytest.raises(EndpointError, match=KEY_VARIABLE) as refused:
        asking.ask("shout", "b")
    assert KEY not in str(refused.value) + repr(asking) and refused.value.__cause__ is None


def test_without_a_key_none_is_sent(server, tmp_path, monkeypatch):
    monkeypatch.delenv(KEY_VARIABLE, raising=False)
    endpoint(server, tmp_path).ask("shout", "a")
    assert "Authorization" not in server.seen[0][1]


def test_a_busy_server_is_asked_again(server, tmp_path):
    server.answers = [(429, {}, b""), (503, {}, b"")]
    assert endpoint(server, tmp_path).ask("shout", "a") == "A"
    assert len(server.seen) == 3


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        ((404, {}, b""), "has the model 'some-model'"),
        ((302, {"Location": "http://127.0.0.1:9/"}, b""), "not followed"),
        ((200, {}, b"<html>"), "not a chat completion"),
        ((200, {}, b'{"choices": []}'), "not a chat completion"),
        ((200, {}, b"x" * ((4 << 20) + 1)), "larger than 4 MB"),
    ],
)
def test_other_answers_are_refused_with_a_next_step(server, tmp_path, answer, says):
    server.answers = [answer]
    with pytest.raises(EndpointError, match=says):
        endpoint(server, tmp_path).ask("shout", "a")
    assert not any(file.is_file() for file in tmp_path.rglob("*"))


def test_a_slow_server_is_not_waited_for(server, tmp_path):
    server.delay = 0.6
    with pytest.raises(EndpointError, match="no answer"):
        endpoint(server, tmp_path, seconds=0.1, attempts=1).ask("shout", "a")


def test_a_damaged_reply_is_asked_for_again(server, tmp_path):
    asking = endpoint(server, tmp_path)
    asking.ask("shout", "a")
    next(tmp_path.rglob("*.json")).write_text("{")
    assert asking.ask("shout", "a") == "A" and len(server.seen) == 2


@pytest.mark.parametrize(
    ("base", "says"),
    [
        ("http://example.org/v1", "unencrypted"),
        ("ftp://example.org", "not an address"),
        ("example.org/v1", "neither http:// nor https://"),
        ("https://user:pass@example.org/v1", "leave out user"),
        ("https://example.org/v1?key=abc", "leave out user"),
        ("http://127.0.0.1.example.org/v1", "unencrypted"),
    ],
)
def test_addresses_that_would_give_something_away_are_refused(base, says):
    with pytest.raises(UsageError, match=says) as refused:
        Address(base)
    assert "pass" not in str(refused.value).replace("password", "") and "abc" not in str(refused.value)


@pytest.mark.parametrize(
    "base", ["https://example.org/v1/", "http://localhost:8000/v1", "http://[::1]:8000/v1", "http://127.0.0.2/v1"]
)
def test_https_and_this_machine_are_allowed(base):
    assert Address(base).chat.endswith("/v1/chat/completions")


@pytest.mark.parametrize("base", ["http://[::1", "https://host:port/v1", "https://]/v1"])
def test_a_malformed_address_is_refused(base):
    with pytest.raises(UsageError, match="not an address"):
        Address(base)


@pytest.mark.parametrize("body", [b"[" * 200_000, b'{"a":' * 200_000, b'{"choices": ' + b"9" * 5000 + b"}", b"\xff\xfe\xfd"])
def test_a_malformed_answer_is_refused(server, tmp_path, body):
    server.answers = [(200, {}, body)]
    with pytest.raises(EndpointError, match="not a chat completion"):
        endpoint(server, tmp_path).ask("shout", "a")


def test_half_of_a_surrogate_pair_is_replaced_and_kept(server, tmp_path):
    server.answers = [(200, {}, b'{"choices": [{"message": {"content": "a\\ud800b"}}]}')]
    assert endpoint(server, tmp_path).ask("shout", "half \udc80") == "a?b"
    assert endpoint(server, tmp_path, offline=True).ask("shout", "half \udc80") == "a?b"
