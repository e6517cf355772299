"""Descriptions by a language model: what is made of its replies, and that they are replayed without it."""

import pytest
from tests.language_models.chat_server import chatting

from eyechart.language_models.endpoint import EndpointError
from eyechart.language_models.open import LanguageModel
from eyechart.repair.language_descriptions import INSTRUCTION, described_by


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


def test_what_was_said_once_is_said_again_when_nobody_is_there(tmp_path):
    expected = {"cube": ["seen as cube", "by light"], "moon": ["seen as moon", "by light"]}
    with chatting(lambda text: f"seen as {text}\nby light") as server:
        assert described_by(LanguageModel(server.base, "small", tmp_path / "replies").open())(["cube", "moon"]) == expected
    assert {body["model"] for _, _, body in server.seen} == {"small"}
    offline = LanguageModel("http://127.0.0.1:9/v1", "small", tmp_path / "replies", offline=True)
    nobody = described_by(offline.open())
    assert nobody(["moon", "cube"]) == {"moon": expected["moon"], "cube": expected["cube"]}
    with pytest.raises(EndpointError, match="star"):
        nobody(["star"])
