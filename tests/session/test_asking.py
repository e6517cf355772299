"""Asking: each question once ever, in parallel up to a limit, resumed after a failure, and no picture is kept."""

import json
import threading
from contextlib import closing

import pytest
from tests.answering_server import answering, color_of, write_colors

from eyechart.data.open import open_dataset
from eyechart.data.picture import Decoding
from eyechart.encode.activations import PictureLost
from eyechart.encode.engine import PictureWork
from eyechart.files.hashing import hash_bytes
from eyechart.language_models.address import KEY_VARIABLE
from eyechart.language_models.chat_client import EndpointError
from eyechart.models.answering import PictureQuestion
from eyechart.models.chat import ChatModel, ChatOptions
from eyechart.progress import SilentProgress
from eyechart.session.asking import Asking
from eyechart.store.answers import KeptAnswers


@pytest.fixture
def server():
    with answering(lambda picture, question: color_of(picture)) as running:
        yield running


@pytest.fixture(scope="module")
def pictures(tmp_path_factory):
    source = open_dataset(str(write_colors(tmp_path_factory.mktemp("colors"), each=2))).pictures
    return [PictureWork(hash_bytes(source.read(row)), source, row) for row in range(len(source))]


def asking(server, pictures, folder, decoding=None, **options):
    kept = KeptAnswers(folder, folder, [])
    model = ChatModel(server.base, "tiny", ChatOptions(**options), 0.0)
    return closing(kept), Asking(model, kept, pictures, decoding or Decoding(), SilentProgress())


def every(pictures, text="Which color?"):
    return [PictureQuestion(row, text) for row in range(len(pictures))]


def count_kept(ask, questions):
    """How many different questions these are, and how many of them have a kept reply."""
    keys = {ask._key(question) for question in questions}
    return len(keys), len(ask._kept_replies(sorted(keys)))


def test_every_question_is_asked_once_and_in_order(server, pictures, tmp_path):
    kept, ask = asking(server, pictures, tmp_path)
    with kept:
        replies = ask.ask([*every(pictures), *every(pictures)])
        assert [r.text for r in replies] == [color_of(ask._read(p)) for p in pictures] * 2
        assert len(server.seen) == len(pictures)
        assert ask.ask(every(pictures)) == replies[: len(pictures)] and len(server.seen) == len(pictures)
        assert count_kept(ask, [*every(pictures), PictureQuestion(0, "Else?")]) == (len(pictures) + 1, len(pictures))


def test_after_a_failure_only_the_rest_is_asked(server, pictures, tmp_path):
    server.raw = [None, None, None, *[(502, {}, b"")] * 4]
    kept, ask = asking(server, pictures, tmp_path, at_once=1)
    with kept, pytest.raises(EndpointError, match="502"):
        ask.ask(every(pictures))
    before = len(server.seen)
    kept, again = asking(server, pictures, tmp_path, at_once=1)
    with kept:
        assert len(again.ask(every(pictures))) == len(pictures)
    assert len(server.seen) - before == len(pictures) - 3


@pytest.mark.parametrize("raw", [(200, {}, b'{"choices": [{"mess'), (413, {}, b"too large")])
def test_what_cannot_be_read_counts_now_and_is_asked_again_in_the_next_run(server, pictures, tmp_path, raw):
    server.raw = [None, raw]
    kept, ask = asking(server, pictures, tmp_path, at_once=1)
    with kept:
        assert [r.kind for r in ask.ask(every(pictures))].count("unreadable") == 1
        assert count_kept(ask, every(pictures)) == (len(pictures), len(pictures) - 1)
        assert len(ask._kept) == len(pictures) - 1
    before = len(server.seen)
    kept, again = asking(server, pictures, tmp_path, at_once=1)
    with kept:
        assert [r.text for r in again.ask(every(pictures))] == [color_of(again._read(p)) for p in pictures]
    assert len(server.seen) == before + 1


def test_an_unreadable_reply_that_an_earlier_version_kept_is_asked_again(server, pictures, tmp_path):
    kept, ask = asking(server, pictures, tmp_path)
    with kept:
        question = every(pictures)[0]
        ask._kept.keep(ask._key(question), b"", question.text, {"text": "", "kind": "unreadable"})
        assert count_kept(ask, [question]) == (1, 0)
        assert ask.ask([question])[0].kind == "text"


def test_the_line_of_a_run_gives_unreadable_replies_and_rejected_questions(server, pictures, tmp_path):
    lines = []

    class Lines(SilentProgress):
        def line(self, text):
            lines.append(text)

    server.raw = [None, (200, {}, b"<html>"), (413, {}, b'{"error": "too large"}')]
    kept = KeptAnswers(tmp_path, tmp_path, [])
    with closing(kept):
        model = ChatModel(server.base, "tiny", ChatOptions(at_once=1), 0.0)
        Asking(model, kept, pictures, Decoding(), Lines()).ask(every(pictures))
    assert "1 unreadable reply" in lines[0] and "1 rejected by the server, the first with 413 (too large)" in lines[0]


def test_a_key_that_the_server_repeats_is_not_kept(server, pictures, tmp_path, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "sk-very-secret")
    server.answer = lambda picture, question: "the key is sk-very-secret"
    kept, ask = asking(server, pictures, tmp_path)
    with kept:
        assert ask.ask(every(pictures)[:1])[0].text == "the key is [key]"
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert b"the key is [key]" in content and b"sk-very-secret" not in content


def test_at_most_so_many_requests_run_at_once(pictures, tmp_path):
    """Every reply waits for two requests to be under way: with one at a time it would not come."""
    meeting = threading.Barrier(2, timeout=20)

    def answer(picture, question):
        meeting.wait()
        return "red"

    with answering(answer) as server:
        kept, ask = asking(server, pictures, tmp_path, at_once=2)
        with kept:
            ask.ask(every(pictures))
        assert server.most_at_once == 2


def test_no_picture_is_kept(server, pictures, tmp_path):
    kept, ask = asking(server, pictures, tmp_path)
    with kept:
        ask.ask(every(pictures))
    content = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    sent = json.dumps(server.seen[0][4]).partition("base64,")[2][:40].encode()
    assert b"Which color?" in content and sent and sent not in content and b"base64" not in content


def test_another_decoding_of_reply_or_picture_is_another_question(server, pictures, tmp_path):
    for decoding, options in ((Decoding(), {}), (Decoding(), {"tokens": 5}), (Decoding(alpha="white"), {})):
        kept, ask = asking(server, pictures, tmp_path, decoding, **options)
        with kept:
            ask.ask(every(pictures)[:1])
    assert len(server.seen) == 3


def test_a_blank_picture_is_gray(server, pictures, tmp_path):
    kept, ask = asking(server, pictures, tmp_path, quality=0)
    with kept:
        ask.ask([PictureQuestion(None, "Which color?")])
    assert server.seen[0][1] == (224, 224)


def test_a_picture_that_changed_since_it_was_hashed_is_not_shown(server, pictures, tmp_path):
    changed = [PictureWork(b"0" * 32, pictures[0].pictures, 0)]
    kept, ask = asking(server, changed, tmp_path)
    with kept, pytest.raises(PictureLost, match="has changed"):
        ask.ask([PictureQuestion(0, "?")])
    assert server.seen == []
