"""`chat:` against a server of this machine: what is sent, how replies are read, and what a hostile server can do."""

import json

import pytest
from PIL import Image
from tests.answering_server import answering, color_of

from eyechart.errors import UsageError
from eyechart.language_models.address import KEY_VARIABLE
from eyechart.language_models.chat_client import EndpointError
from eyechart.models.abilities import abilities
from eyechart.models.answering import Reply
from eyechart.models.chat import ChatModel, ChatOptions
from eyechart.models.open import open_model

RED = Image.new("RGB", (640, 320), (200, 30, 30))


@pytest.fixture
def server():
    with answering(lambda picture, question: f" {color_of(picture)}\n") as running:
        yield running


def model(server, *options, pause=0.0):
    return ChatModel(server.base, "tiny", ChatOptions.parse(list(options), "chat:"), pause)


def completion(**message):
    return (200, {}, json.dumps({"choices": [{"message": message, **message.pop("choice", {})}]}).encode())


def test_the_picture_is_sent_as_a_data_uri_of_the_stated_size(server, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "sk-secret")
    asked = open_model(f"chat:{server.base}#tiny,side=100,tokens=7")
    assert asked.answer(RED, "Which color?") == Reply("red", prompt_tokens=100, reply_tokens=3)
    kind, size, question, headers, body = server.seen[0]
    assert (kind, size, question) == ("data:image/jpeg", (100, 50), "Which color?")
    assert headers["Authorization"] == "Bearer sk-secret"
    assert (body["model"], body["temperature"], body["max_tokens"]) == ("tiny", 0, 7)
    assert abilities(asked) == ["answers"] and "sk-secret" not in repr(vars(asked))


def test_a_small_picture_is_not_enlarged_and_quality_0_sends_png(server):
    model(server, "side=1000", "quality=0").answer(RED, "?")
    assert server.seen[0][:2] == ("data:image/png", (640, 320))


def test_the_fingerprint_tells_address_model_and_picture_size_but_not_prices():
    def of(spec):
        return open_model(spec).fingerprint

    base = of("chat:http://127.0.0.1:1/v1#a")
    assert base == of("chat:http://127.0.0.1:1/v1/#a,at_once=9,price_in=3,seconds=5")
    others = {of("chat:http://127.0.0.1:2/v1#a"), of("chat:http://127.0.0.1:1/v1#b"), of("chat:http://127.0.0.1:1/v1#a,side=99")}
    assert base not in others and len(others) == 3


def test_cost_is_that_of_the_tokens_at_the_given_prices(server):
    assert model(server, "price_in=2", "price_out=10").answer(RED, "?").cost == pytest.approx((100 * 2 + 3 * 10) / 1e6)


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("chat:http://127.0.0.1:1/v1", "name the model after '#'"),
        ("chat:http://127.0.0.1:1/v1#", "name the model after '#'"),
        ("chat:http://127.0.0.1:1/v1#a,sied=3", "did you mean 'side'"),
        ("chat:http://127.0.0.1:1/v1#a,side=wide", "not a number"),
        ("chat:http://127.0.0.1:1/v1#a,at_once=0", "at least 1"),
        ("chat:http://127.0.0.1:1/v1#a,price_in=nan", "prices"),
        ("chat:http://127.0.0.1:1/v1#a,price_out=inf", "prices"),
        ("chat:http://127.0.0.1:1/v1#a,seconds=inf", "at most 3,600"),
        ("chat:http://127.0.0.1:1/v1#a,seconds=1e12", "at most 3,600"),
        ("chat:http://127.0.0.1:1/v1#a,seconds=nan", "at most 3,600"),
        ("chat:http://127.0.0.1:1/v1#a,seconds=0", "above 0"),
        ("chat:http://127.0.0.1:1/v1#a,limit=most", "max_tokens or max_completion_tokens"),
        ("chat:http://127.0.0.1:1/v1#a,temperature=nan", "0 to 2"),
        ("chat:http://example.org/v1#a", "unencrypted"),
    ],
)
def test_a_wrong_name_says_what_to_write(spec, says):
    with pytest.raises(UsageError, match=says):
        open_model(spec)


@pytest.mark.parametrize(
    ("raw", "reply"),
    [
        (completion(content=""), Reply("", "empty")),
        (completion(content=None), Reply("", "empty")),
        (completion(content=None, refusal="I cannot"), Reply("", "refused")),
        (completion(content="red", choice={"finish_reason": "content_filter"}), Reply("red", "refused")),
        (completion(content="red and", choice={"finish_reason": "length"}), Reply("red and", cut=True)),
        (completion(content=[{"type": "text", "text": "red"}]), Reply("red")),
        (completion(content=7), Reply("", "unreadable")),
        ((200, {}, b'{"choices": []}'), Reply("", "unreadable")),
        ((200, {}, json.dumps({"choices": [{"message": {"content": "red"}}] * 2}).encode()), Reply("", "unreadable")),
        ((200, {}, b'{"choices": [{"mess'), Reply("", "unreadable")),
        ((200, {}, b"\xff\xfe not json"), Reply("", "unreadable")),
        ((200, {}, b"[" * 100_000), Reply("", "unreadable")),
        ((200, {}, b"x" * ((4 << 20) + 1)), Reply("", "unreadable")),
    ],
)
def test_what_is_no_answer_is_named_as_such(server, raw, reply):
    server.raw = [raw]
    assert model(server).answer(RED, "?") == reply


def test_a_server_that_never_gives_a_completion_is_an_error_not_a_bad_model(server):
    server.raw = [(200, {}, b"<html>")] * 5
    asked = model(server)
    assert [asked.answer(RED, "?").kind for _ in range(4)] == ["unreadable"] * 4
    with pytest.raises(EndpointError, match="not a chat completion"):
        asked.answer(RED, "?")


def test_after_one_readable_reply_unreadable_ones_are_counted_however_many(server):
    asked = model(server)
    assert asked.answer(RED, "?").text == "red"
    server.raw = [(200, {}, b"<html>")] * 7
    assert [asked.answer(RED, "?").kind for _ in range(7)] == ["unreadable"] * 7


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_rejected_question_is_counted_and_the_next_one_asked(server, status):
    server.raw = [(status, {}, b'{"error": {"message": "too many\\n pixels"}}')]
    asked = model(server)
    assert asked.answer(RED, "?") == Reply("", "unreadable", rejected=f"{status} (too many pixels)")
    assert asked.answer(RED, "?").text == "red" and len(server.seen) == 2


@pytest.mark.parametrize(("status", "remedy"), [(400, "takes such requests"), (413, "smaller pictures"), (422, "takes such")])
def test_a_server_that_rejects_everything_ends_the_run_with_its_own_words(server, monkeypatch, status, remedy):
    monkeypatch.setenv(KEY_VARIABLE, "sk-secret")
    said = {"object": "error", "message": "no \x1b[31m pictures for sk-secret " + "x" * 500}
    server.raw = [(status, {}, json.dumps(said).encode())] * 5
    asked = model(server)
    assert [asked.answer(RED, "?").kind for _ in range(4)] == ["unreadable"] * 4
    with pytest.raises(EndpointError, match=remedy) as stopped:
        asked.answer(RED, "?")
    text = str(stopped.value)
    assert f"answers {status} (no" in text and "pictures for [key] x" in text and "later" not in text
    assert "sk-secret" not in text and "\x1b" not in text and "…" in text and len(text) < 450


def test_the_key_is_taken_out_of_replies_and_a_short_placeholder_is_not(server, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, "sk-secret")
    server.raw = [completion(content="You sent Bearer SK-secret, a red one")]
    assert model(server).answer(RED, "?").text == "You sent Bearer [key], a red one"
    monkeypatch.setenv(KEY_VARIABLE, "none")
    server.raw = [completion(content="none of them")]
    assert model(server).answer(RED, "?").text == "none of them"


def test_retry_after_takes_the_place_of_the_pause_unless_it_is_0(server, monkeypatch):
    """A server under load that answers "Retry-After: 0" gets the doubled pauses of one that says nothing."""
    waits = []
    monkeypatch.setattr("eyechart.language_models.chat_client.time.sleep", waits.append)
    server.raw = [(429, {"Retry-After": "7"}, b""), (429, {"Retry-After": "0"}, b""), (429, {}, b"")]
    assert model(server, pause=3600.0).answer(RED, "?").text == "red"
    assert waits == [7.0, 7200.0, 14400.0] and len(server.seen) == 4


@pytest.mark.parametrize("tokens", [10**400, -1, 1.5, "3", None])
def test_a_count_of_tokens_that_is_none_is_unknown(server, tokens):
    status, headers, body = completion(content="red")
    answer = json.loads(body)
    answer["usage"] = {"prompt_tokens": 100, "completion_tokens": tokens}
    server.raw = [(status, headers, json.dumps(answer).encode())]
    reply = model(server).answer(RED, "?")
    assert (reply.text, reply.prompt_tokens, reply.reply_tokens) == ("red", 100, None)


def test_a_429_storm_ends(server):
    server.raw = [(429, {}, b"")] * 50
    with pytest.raises(EndpointError, match="answers 429; run again later"):
        model(server).answer(RED, "?")
    assert len(server.seen) == 7


def test_the_pauses_of_a_429_storm_outlast_a_minute(server, monkeypatch):
    """Hosted servers count requests by the minute: 1 + 2 + 4 + … + 32 s."""
    waits = []
    monkeypatch.setattr("eyechart.language_models.chat_client.time.sleep", waits.append)
    server.raw = [(429, {}, b"")] * 6
    assert model(server, pause=1.0).answer(RED, "?").text == "red"
    assert sum(waits) == 63


def test_a_server_that_fails_is_asked_four_times(server):
    server.raw = [(500, {}, b"")] * 50
    with pytest.raises(EndpointError, match="answers 500; try again later"):
        model(server).answer(RED, "?")
    assert len(server.seen) == 4


def test_a_model_that_takes_other_options_alone_can_be_asked(server):
    """Some hosted models refuse `max_tokens` and every temperature but 1."""
    asked = model(server, "limit=max_completion_tokens", "temperature=1", "tokens=500")
    asked.answer(RED, "?")
    body = server.seen[0][4]
    assert (body["max_completion_tokens"], body["temperature"], "max_tokens" in body) == (500, 1, False)
    assert asked.answer_decoding == "temperature 1, at most 500 tokens"
    assert asked.opened_as == f"chat:{server.base}#tiny,tokens=500,limit=max_completion_tokens,temperature=1.0"
    assert open_model(asked.opened_as).answer_decoding == asked.answer_decoding


def test_a_server_that_asks_to_wait_an_hour_is_not_waited_for(server):
    server.raw = [(429, {"Retry-After": "3600"}, b"")]
    with pytest.raises(EndpointError, match="wait 3600 s"):
        model(server).answer(RED, "?")
    assert len(server.seen) == 1


def test_redirects_are_refused(server):
    server.raw = [(307, {"Location": "http://127.0.0.1:9/v1"}, b"")]
    with pytest.raises(EndpointError, match="not followed"):
        model(server).answer(RED, "?")
    assert len(server.seen) == 1


def test_a_slow_drip_is_cut_off_by_the_time_limit_of_the_whole_request(server):
    server.drip = 0.05
    slow = ChatModel(server.base, "tiny", ChatOptions(seconds=0.2), 0.0)
    with pytest.raises(EndpointError, match="no answer"):
        slow.answer(RED, "?")
