"""Descriptions by a language model: what is made of its replies, and that they are replayed without it."""

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from eyechart.endpoint.endpoint import EndpointError
from eyechart.errors import UsageError
from eyechart.repair.language_model import INSTRUCTION, LanguageModel, described_by


class Stub:
    def __init__(self, replies: dict[str, str]) -> None:
        self._replies, self.instructions = replies, set[str]()

    def ask_all(self, instruction, texts):
        self.instructions.add(instruction)
        return [self._replies[text] for text in texts]


def test_phrases_are_taken_from_lines_without_their_marks():
    stub = Stub({"cube": "1. six flat sides.\n- sharp edges\n\n* sharp edges\ncube\n(2) a {shadow}\n" + "x" * 200, "moon": " \n"})
    assert described_by(stub)(["cube", "moon", "cube"]) == {"cube": ["six flat sides", "sharp edges", "a shadow"]}
    assert stub.instructions == {INSTRUCTION}


def test_no_more_than_six():
    assert len(described_by(Stub({"cube": "\n".join("abcdefghij")}))(["cube"])["cube"]) == 6


@pytest.fixture
def server():
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            said = f"seen as {asked['messages'][-1]['content']}\nof {asked['model']}"
            content = json.dumps({"choices": [{"message": {"content": said}}]}).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *asked):
            pass

    running = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=running.serve_forever, daemon=True).start()
    yield running
    running.shutdown()
    running.server_close()


def test_what_was_said_once_is_said_again_when_nobody_is_there(server, tmp_path):
    base = f"http://127.0.0.1:{server.server_port}/v1"
    expected = {"cube": ["seen as cube", "of small"], "moon": ["seen as moon", "of small"]}
    assert LanguageModel(base, "small", tmp_path / "replies").describes()(["cube", "moon"]) == expected
    nobody = LanguageModel("http://127.0.0.1:9/v1", "small", tmp_path / "replies", offline=True).describes()
    assert nobody(["moon", "cube"]) == {"moon": expected["moon"], "cube": expected["cube"]}
    with pytest.raises(EndpointError, match="star"):
        nobody(["star"])


def test_a_language_model_has_a_name(tmp_path):
    with pytest.raises(UsageError, match="--describe-model"):
        LanguageModel("https://host/v1", "", tmp_path).describes()
