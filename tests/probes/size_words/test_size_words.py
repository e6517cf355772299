"""Names of large and small things: encoders that hear large things better, first ones only, or neither."""

import numpy as np
import pytest
from tests.probes.answering import only
from tests.probes.text_encoders import Weighted, encodable, named

import eyechart
from eyechart.findings.finding import Finding
from eyechart.probes.contract import NotApplicable, TextRequest
from eyechart.probes.size_words import LEAST, Settings, _draw, _exhibit, _findings, caption_pairs, size_words

SETTINGS = Settings(pairs=240)
LARGE = set(SETTINGS.large)


def asked(pull, spread=0.0, seed=0, first=0.0, settings=SETTINGS):
    """Names are heard with chances e^z; z is drawn around 0 for each, `pull` more for large things, `first` more in front."""
    rng = np.random.default_rng(seed)
    worth = rng.normal(0, spread, len(settings.names)) + [pull if name in LARGE else 0.0 for name in settings.names]

    def chances(said):
        z = worth[said]
        z[:, 0] += first
        return np.exp(z) / np.exp(z).sum(axis=1, keepdims=True)

    return size_words.ask(encodable(named(["x"]), Weighted(settings.names, seed=seed, chances=chances), settings))


def within(finding, truth):
    return finding.low <= truth <= finding.high


def test_known_shares_are_recovered_at_every_position():
    """With e^z of 3 against 1, 1 and 1 a large thing is heard in half of the captions, a small one in a quarter."""
    answer = asked(np.log(3), settings=Settings(pairs=800))
    for position in range(1, 5):
        assert within(only(answer, "large_object_share", position=position), 0.5)
        assert within(only(answer, "small_object_share", position=position), 0.25)
        assert only(answer, "large_object_lead", position=position).low > 0
    (headline,) = [f for f in answer.findings if f.metric == "large_object_first_lead"]
    assert headline.slice == {} and within(headline, 0.25)


def test_a_first_object_that_is_heard_best_is_no_matter_of_size():
    answer = asked(0.0, first=2.0)
    assert only(answer, "large_object_share", position=1).low > 0.5
    assert within(only(answer, "large_object_lead", position=1), 0.0)


def lead(rng, pull, spread=0.7):
    """The finding on lists of names drawn from a population, the name in question in first place."""
    pairs = caption_pairs(SETTINGS, 0)
    worth = rng.normal(0, spread, len(SETTINGS.names)) + [pull if name in LARGE else 0.0 for name in SETTINGS.names]
    z = np.exp(worth[np.stack([pairs.large, pairs.small])])
    hits = rng.random(z.shape[:2]) < z[:, :, 0] / z.sum(axis=2)
    return _findings(hits.astype(np.float64), pairs)[-1]


def test_without_an_effect_of_size_it_stays_quiet():
    rng = np.random.default_rng(0)
    alarms = [not within(lead(rng, 0.0), 0.0) for _ in range(200)]
    assert not alarms[0]
    assert sum(alarms) <= 18


@pytest.mark.slow
def test_intervals_cover():
    rng = np.random.default_rng(5)
    large, small = np.exp(rng.normal(1, 0.7, (400_000, 1))), np.exp(rng.normal(0, 0.7, (400_000, 1)))
    others = np.exp(rng.normal(0, 0.7, (400_000, 3))).sum(axis=1, keepdims=True)
    truth = (large / (large + others) - small / (small + others)).mean()
    assert 0.93 <= sum(within(lead(rng, 1.0), truth) for _ in range(2000)) / 2000 <= 0.97


def test_captions_of_a_pair_differ_in_one_name():
    pairs = caption_pairs(SETTINGS, 2)
    said = pairs.texts(SETTINGS.names)
    large, small = (text.split(" and ") for text in (said[0], said[240]))
    assert large[2] in SETTINGS.large and small[2] in SETTINGS.small
    assert [a for i, a in enumerate(large) if i != 2] == [a for i, a in enumerate(small) if i != 2]
    assert set(np.bincount(pairs.large[:, 2])) == {10}  # every one of 24 large things as often


def test_the_lists_keep_their_promise():
    assert min(len(SETTINGS.large), len(SETTINGS.medium), len(SETTINGS.small)) >= 20


def test_what_does_not_fit_is_refused():
    with pytest.raises(ValueError, match="twice"):
        Settings(large=("house", "ship", "dog"))
    with pytest.raises(ValueError, match="at least 3 names"):
        Settings(large=("house",))
    inputs = encodable(
        named(["x"]), Weighted(SETTINGS.names, (1,) * 4), SETTINGS, truncated=lambda texts: np.ones(len(texts), bool)
    )
    with pytest.raises(NotApplicable, match="longer than the model's context"):
        size_words.ask(inputs)


def test_pairs_that_do_not_fit_in_some_place_are_left_out_in_all():
    def cut(texts):
        return np.array([text.startswith("whale and") for text in texts])

    answer = size_words.ask(encodable(named(["x"]), Weighted(SETTINGS.names, (1,) * 4), SETTINGS, truncated=cut))
    lost = int((caption_pairs(SETTINGS, 0).large[:, 0] == SETTINGS.names.index("whale")).sum())
    assert lost > 0 and {f.n for f in answer.findings} == {240 - lost}
    assert any(f"{lost} caption pairs skipped" in n.what for n in answer.notices)


def test_the_whole_way(store, tmp_path):
    """A table of text vectors alone; and a warning where the names are not known."""
    settings = {"large": ["a", "b", "c"], "medium": ["d", "e", "f", "g", "h"], "small": ["i", "j", "k"], "pairs": 20}
    made = Settings(**{k: tuple(v) if isinstance(v, list) else v for k, v in settings.items()})
    texts = list(dict.fromkeys(size_words.texts(TextRequest(named(["x"]), (), made))))
    vectors = np.random.default_rng(0).normal(size=(len(texts), 40)).astype(np.float32)
    np.savez(tmp_path / "heard.npz", texts=texts, text_vectors=vectors)
    exam = eyechart.examine(
        f"vectors:{tmp_path / 'heard.npz'}",
        "world-objects",
        limit=2,
        probes=["size_words"],
        settings={"size_words": settings},
        out=tmp_path / "out",
        store=store,
    )
    assert "large_object_first_lead" in {f["metric"] for f in exam.findings.to_pylist()}
    assert any("(chance: " in n.what for n in exam.notices)


def finding(metric, value, low, high, position=1):
    return Finding(metric=metric, value=value, n=9, low=low, high=high, slice={"position": position})


@pytest.mark.parametrize(
    ("low", "value", "high", "said"),
    [
        (0.1, 0.2, 0.3, "is the nearest name more often than a small one: +20.0 points."),
        (-0.3, -0.2, -0.1, "is the nearest name less often than a small one: −20.0 points."),
        (0.0, 0.2, 0.3, "do not differ at 95% confidence (+20.0 points)."),
        (-0.3, -0.2, 0.0, "do not differ at 95% confidence (−20.0 points)."),
    ],
)
def test_the_sentence_is_about_the_first_position(low, value, high, said):
    shares = [finding(f"{size}_object_share", 0.5, 0.4, 0.6, position) for position in (1, 2) for size in ("large", "small")]
    shown = _exhibit([*shares, finding("large_object_lead", 0.9, 0.8, 0.95, 2), finding("large_object_lead", value, low, high)])
    assert shown.sentence.endswith(said)
    assert shown.table.column("position").to_pylist() == ["first", "first", "second", "second"]


def test_headlines_are_those_of_the_first_position():
    answer = asked(np.log(3))
    for metric in ("share", "lead"):
        (headline,) = [f for f in answer.findings if f.metric == f"large_object_first_{metric}"]
        (of_first,) = [f for f in answer.findings if f.metric == f"large_object_{metric}" and f.slice == {"position": 1}]
        assert (headline.value, headline.low, headline.high, headline.n) == (of_first.value, of_first.low, of_first.high, 240)
        assert headline.slice == {}
    assert answer.notices == [] and len(answer.findings) == 2 + 4 * 3


@pytest.mark.parametrize("left", [LEAST, LEAST - 1])
def test_so_many_pairs_must_fit(left):
    """The first pairs fit at every position, the others at none."""
    texts = {text for position in range(4) for text in caption_pairs(SETTINGS, position).texts(SETTINGS.names)[left:240]}
    texts -= {text for position in range(4) for text in caption_pairs(SETTINGS, position).texts(SETTINGS.names)[:left]}
    made = encodable(
        named(["x"]), Weighted(SETTINGS.names, (1,) * 4), SETTINGS, truncated=lambda asked: np.array([t in texts for t in asked])
    )
    if left < LEAST:
        with pytest.raises(NotApplicable, match="longer than the model's context"):
            size_words.ask(made)
    else:
        assert {f.n for f in size_words.ask(made).findings} == {LEAST}


def test_names_are_drawn_about_equally_often_and_never_twice_in_a_row():
    found = _draw(np.random.default_rng(0), 7, 11, 3)
    assert found.shape == (11, 3) and all(len(set(row)) == 3 for row in found.tolist())
    assert all(len(set(found[i : i + 2].ravel().tolist())) == 6 for i in range(0, 10, 2))  # two rows of each permutation
    pairs = caption_pairs(SETTINGS, 1)
    assert pairs.all_names.shape == (240, 5) and (pairs.all_names[:, 4] == pairs.small[:, 1]).all()
