"""What will be encoded and about how long, in words and from measured rates."""

import pytest
from tests.witness import Witness

from eyechart.session.cost import Cost, about
from eyechart.session.rates import RateMeter, known_rate, remember_rate


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (3, "a few seconds"),
        (12, "about 10 seconds"),
        (94, "about 90 seconds"),
        (100, "about 2 minutes"),
        (14 * 60 + 20, "about 14 minutes"),
        (2.5 * 3600, "about 2.5 hours"),
    ],
)
def test_durations_are_rounded(seconds, words):
    assert about(seconds) == words


@pytest.mark.parametrize(
    ("cost", "sentence"),
    [
        (Cost(15, 15, 1, 1, 90), "15 pictures and 1 text to encode: about 90 seconds on cpu, at the rate of earlier runs"),
        (
            Cost(15, 1, 80, 0, None),
            "1 picture to encode (14 pictures and 80 texts are stored): how long is not known, since no earlier run has "
            "measured this model on cpu",
        ),
        (Cost(15, 0, 80, 0, 0), "nothing to encode: 15 pictures and 80 texts are stored"),
        (Cost(0, 0, 0, 0, 0), "nothing to encode"),
    ],
)
def test_a_cost_is_one_sentence(cost, sentence):
    assert cost.sentence("cpu") == sentence


def measured(monkeypatch, ticks, advances):
    """The rate of a task that advances by these numbers at these times; the first time is the start."""
    times = iter(ticks)
    monkeypatch.setattr("eyechart.session.rates.time.monotonic", lambda: next(times))
    meter = RateMeter(Witness())
    with meter.task("demo: encoding", sum(advances), "pictures") as task:
        for n in advances:
            task.advance(n)
    return meter.rate()


def test_the_first_batch_is_not_counted_since_it_loads_the_network(monkeypatch):
    assert measured(monkeypatch, [0, 20, 22, 24], [32, 32, 32]) == pytest.approx(64 / 4)


def test_a_single_batch_is_counted_whole(monkeypatch):
    assert measured(monkeypatch, [0, 4], [80]) == pytest.approx(20)


def test_few_pictures_give_no_rate(monkeypatch):
    assert measured(monkeypatch, [0, 1], [31]) is None
    assert RateMeter(Witness()).rate() is None


def test_a_rate_is_kept_by_model_device_and_kind(store):
    fingerprint = "ab" * 32
    remember_rate(store, fingerprint, "cpu", "pictures", 12.5)
    remember_rate(store, fingerprint, "cuda", "pictures", 900.0)
    remember_rate(store, fingerprint, "cpu", "texts", 70.0)
    assert known_rate(store, fingerprint, "cpu", "pictures") == 12.5
    assert known_rate(store, fingerprint, "cpu", "texts") == 70.0
    assert known_rate(store, fingerprint, "cuda", "pictures") == 900.0
    assert known_rate(store, fingerprint, "cuda", "texts") is None
    assert known_rate(store, "cd" * 32, "cpu", "pictures") is None
