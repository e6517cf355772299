"""Captions against foils: by hand, in crossed groups, with a model that hears words without their places, and its twin."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest
from tests.probes.answering import NoPictures

import eyechart
from eyechart.data.dataset import Dataset
from eyechart.findings.finding import Finding
from eyechart.metrics.vectors import unit
from eyechart.models.card import ModelCard
from eyechart.probes.composition import Settings, _near_chance, composition
from eyechart.probes.composition.foil_trials import TIE, FoilOutcomes, crossed_groups, foil_trials
from eyechart.probes.contract import NotApplicable, ProbeInput, TextRequest


def inputs(pictures, texts: dict[str, list[float]], captions, foils, *, clusters=None, **columns):
    lists = {"captions": pa.array(captions, pa.list_(pa.string())), "foils": pa.array(foils, pa.list_(pa.string()))}
    table = pa.table({"id": [f"p{i}" for i in range(len(captions))], **lists, **columns})
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=Dataset("test", table, NoPictures(len(captions))),
        images=np.asarray(pictures, np.float32),
        clusters=np.arange(len(captions)) if clusters is None else np.asarray(clusters),
        texts=lambda said: np.array([texts[t] for t in said], np.float32),
        prompts=(),
        settings=Settings(),
    )


def value(answer, metric, **slice):
    (found,) = [f.value for f in answer.findings if f.metric == metric and f.slice == slice]
    return found


def test_a_hand_worked_case():
    texts = {"true": [1, 0], "false": [0, 1], "also": [0.8, 0.6]}
    answer = composition.ask(
        inputs([[0.6, 0.8], [0.8, 0.6], [0.8, 0.6]], texts, [["true"], ["true"], ["true"]], [["false"], ["false"], ["also"]])
    )
    assert value(answer, "caption_accuracy") == pytest.approx(1 / 3)  # the third is .8 against 1
    assert value(answer, "chance") == 0.5


def test_a_tie_is_lost():
    answer = composition.ask(inputs([[1, 0]] * 2, {"a": [1, 0], "b": [1, 0]}, [["a"]] * 2, [["b"]] * 2))
    assert value(answer, "caption_accuracy") == 0


def test_both_captions_must_stand_before_the_foil_and_texts_are_asked_alone():
    texts = {"one": [1, 0, 0], "two": [0.8, 0.6, 0], "false": [0, 0.6, 0.8], "near": [0.9, 0.1, np.sqrt(1 - 0.82)]}
    answer = composition.ask(inputs([[1, 0, 0], [0, 1, 0]], texts, [["one", "two"]] * 2, [["false"]] * 2))
    assert value(answer, "caption_accuracy") == 0.5  # the second picture: 0 and .6 against .6
    assert value(answer, "text_only_accuracy") == 1.0  # .8 against 0 and .36
    assert value(answer, "chance") == pytest.approx(1 / 3)
    closer = composition.ask(inputs([[1, 0, 0]], texts, [["one", "two"]], [["near"]]))
    assert value(closer, "text_only_accuracy") == 0.0  # .8 against .9


def test_groups_count_as_wholes_in_both_directions():
    """Scores of three groups: all right; each picture right, one caption not; each caption right, one picture not."""
    scores = [[[0.9, 0.1], [0.1, 0.9]], [[0.5, 0.1], [0.8, 0.9]], [[0.5, 0.8], [0.1, 0.9]]]
    pictures, texts, captions, foils, group = [], {}, [], [], []
    for g, ((a, b), (c, d)) in enumerate(scores):
        for i, row in enumerate(((a, b), (c, d))):
            vector = np.zeros(6)
            vector[2 * g : 2 * g + 2] = row
            pictures.append(vector)
            texts[f"{g}.{i}"] = list(np.eye(6)[2 * g + i])
            captions.append([f"{g}.{i}"])
            foils.append([f"{g}.{1 - i}"])
            group.append(str(g))
    answer = composition.ask(inputs(pictures, texts, captions, foils, **{"attr.group": group}))
    # The second group's second picture finds its caption (.9 > .8), and its first caption finds the wrong picture (.8 > .5).
    assert value(answer, "text_score") == pytest.approx(2 / 3)
    assert value(answer, "image_score") == pytest.approx(2 / 3)
    assert value(answer, "group_score") == pytest.approx(1 / 3)
    assert (value(answer, "text_score_chance"), value(answer, "group_score_chance")) == (0.25, pytest.approx(1 / 6))


def test_chance_is_what_random_vectors_get():
    rng = np.random.default_rng(0)
    n = 6000
    texts = {f"{kind}{i}": list(v) for kind in "abx" for i, v in enumerate(unit(rng.normal(size=(n, 8))))}
    captions, foils = [[f"a{i}", f"b{i}"] for i in range(n)], [[f"x{i}"] for i in range(n)]
    answer = composition.ask(inputs(unit(rng.normal(size=(n, 8))), texts, captions, foils))
    assert value(answer, "caption_accuracy") == pytest.approx(value(answer, "chance"), abs=0.02)


def scenes(n, *, bound: bool, seed=0, noise=0.3):
    """Two things with a color each. A model without binding adds up the words; one with binding has a vector for each pair."""
    rng = np.random.default_rng(seed)
    words = unit(rng.normal(size=(10, 64)))
    pairs = unit(rng.normal(size=(100, 64))).reshape(10, 10, 64)
    pictures, texts, captions, foils, kinds = [], {}, [], [], []

    def heard(a, b, c, d):
        loose = words[a] + words[b] + words[c] + words[d]
        return unit((loose + 2 * bound * (pairs[a, b] + pairs[c, d]))[None])[0]

    for i in range(n):
        (a, c), (b, d) = rng.permutation(5)[:2], 5 + rng.permutation(5)[:2]
        kind = ("swapped", "another")[i % 2]
        wrong = (a, d, c, b) if kind == "swapped" else (a, b, c, next(x for x in range(5, 10) if x not in (b, d)))
        pictures.append(unit((heard(a, b, c, d) + noise * rng.normal(size=64) / 8)[None])[0])
        for said, scene in ((f"t{i}", (a, b, c, d)), (f"f{i}", wrong)):
            texts[said] = list(unit((heard(*scene) + 1e-3 * rng.normal(size=64))[None])[0])
        captions.append([f"t{i}"])
        foils.append([f"f{i}"])
        kinds.append(kind)
    return inputs(pictures, texts, captions, foils, **{"attr.kind": kinds})


def by_kind(answer):
    return {f.slice["kind"]: f for f in answer.findings if f.metric == "caption_accuracy" and f.slice}


def test_words_without_their_places_are_found_and_the_twin_is_not_accused():
    loose, bound = composition.ask(scenes(400, bound=False)), composition.ask(scenes(400, bound=True))
    assert by_kind(loose)["swapped"].low <= 0.5 <= by_kind(loose)["swapped"].high
    assert by_kind(loose)["another"].low > 0.9
    assert "swapped" in loose.notices[0].what
    assert by_kind(bound)["swapped"].low > 0.9
    assert not bound.notices


@pytest.mark.slow
def test_guessing_is_rarely_taken_for_knowing():
    alarms = sum(by_kind(composition.ask(scenes(100, bound=False, seed=s)))["swapped"].low > 0.5 for s in range(200))
    assert alarms <= 18


def test_pictures_asked_about_twice_widen_the_interval():
    texts = {"t": [1, 0], "f": [0, 1]}
    sides = [[1, 0], [0, 1]] * 20
    single = composition.ask(inputs(sides, texts, [["t"]] * 40, [["f"]] * 40))
    doubled = composition.ask(inputs(sides * 2, texts, [["t"]] * 80, [["f"]] * 80, clusters=list(range(40)) * 2))
    widths = [a.findings[0].high - a.findings[0].low for a in (single, doubled)]
    assert widths[0] == pytest.approx(widths[1], rel=0.02)


def test_pictures_without_foils_are_not_asked():
    with pytest.raises(NotApplicable, match="both a caption and a foil"):
        composition.ask(inputs([[1, 0]], {}, [["a"]], [[]]))


@pytest.mark.slow
def test_the_embedded_model_knows_words_and_not_their_places(tmp_path):
    """Nothing in its training says which color belongs to which thing, but the pictures; contrastive models fail here."""
    exam = eyechart.examine("demo:", "world-foils", probes=["composition"], limit=300, out=tmp_path)
    found = {json.loads(r["slice"]).get("kind"): r for r in exam.findings.to_pylist() if r["metric"] == "caption_accuracy"}
    assert found["another thing"]["low"] > 0.85
    assert found["another color"]["low"] > 0.85
    assert found["colors swapped"]["value"] < 0.75


def test_the_foil_and_the_caption_that_decided_are_shown():
    """Of three foils the second is the nearest, and of two captions the second the farthest; a tie is no foil that is nearer."""
    texts = {"near": [1, 0], "far": [0, 1], "low": [0, 1], "high": [0.8, 0.6], "tied": [1, 0]}
    answer = composition.ask(inputs([[1, 0], [1, 0]], texts, [["near", "far"], ["near"]], [["low", "high", "low"], ["tied"]]))
    (mistaken,) = [e for e in answer.exhibits if e.name == "errors"]
    assert [(row["caption"], row["foil"]) for row in mistaken.table.to_pylist()] == [("far", "high")]
    assert value(answer, "caption_accuracy") == 0


def test_a_foil_that_says_the_same_as_a_caption_is_noticed():
    answer = composition.ask(inputs([[1, 0]] * 2, {"a": [1, 0], "b": [0, 1]}, [["a"]] * 2, [["b", "a"], ["b"]]))
    assert value(answer, "caption_accuracy") == 0.5
    assert any("1 picture with a foil equal to a caption" in n.what for n in answer.notices)


def test_kinds_of_foils_by_hand():
    """Ten foils of one kind, eight of them refused; nine of another, which are too few; one of no kind. The true caption of the
    last is one of two, so that chance over all is (19/2 + 1/3) / 20."""
    texts = {"true": [1, 0], "also": [1, 0], "false": [0, 1]}
    pictures = [[1, 0]] * 8 + [[0, 1]] * 2 + [[1, 0]] * 10
    captions = [["true"]] * 19 + [["true", "also"]]
    kinds = ["order"] * 10 + ["color"] * 9 + [None]
    answer = composition.ask(inputs(pictures, texts, captions, [["false"]] * 20, **{"attr.kind": kinds}))
    assert {kind: (f.value, f.n) for kind, f in by_kind(answer).items()} == {"order": (pytest.approx(0.8), 10)}
    chance = {f.slice.get("kind"): (f.value, f.n) for f in answer.findings if f.metric == "chance"}
    assert chance == {None: (pytest.approx((19 / 2 + 1 / 3) / 20), 20), "order": (0.5, 10)}
    alone = composition.ask(inputs(pictures, texts, captions, [["false"]] * 20, **{"attr.kind": ["order"] * 20}))
    assert by_kind(alone) == {}


def test_texts_are_captions_and_foils_each_once():
    made = inputs([[1, 0]] * 2, {}, [["a"], ["b", "a"]], [["c"], ["a c", "c"]])
    assert list(composition.texts(TextRequest(made.dataset, (), Settings()))) == ["a", "b", "c", "a c"]
    for missing in ("captions", "foils"):
        without = replace(made.dataset, table=made.dataset.table.drop_columns([missing]))
        assert composition.texts(TextRequest(without, (), Settings())) == ()


def test_kinds_with_enough_pictures_have_their_own_chance_and_interval():
    """Ten pictures of one kind with one foil, six correct; ten of another with two captions and two foils, nine of a third."""
    texts = {"t": [1.0, 0], "u": [0.9, np.sqrt(0.19)], "f": [0, 1.0], "g": [0.1, np.sqrt(0.99)]}
    right, wrong = [1.0, 0.0], [0.0, 1.0]
    pictures = [right] * 6 + [wrong] * 4 + [right] * 10 + [wrong] * 9
    captions = [["t"]] * 10 + [["t", "u"]] * 10 + [["t"]] * 9
    foils = [["f"]] * 10 + [["f", "g"]] * 10 + [["f"]] * 9
    kinds = ["one"] * 10 + ["two"] * 10 + ["three"] * 9
    answer = composition.ask(inputs(pictures, texts, captions, foils, **{"attr.kind": kinds}))
    found = {(f.metric, f.slice.get("kind")): f for f in answer.findings}
    assert {kind for metric, kind in found if metric == "caption_accuracy"} == {None, "one", "two"}
    one = found["caption_accuracy", "one"]
    assert (one.value, one.n) == (0.6, 10)
    assert (one.low, one.high) == pytest.approx(tuple(binomtest(6, 10).proportion_ci(method="wilson")))
    # Two captions before two foils: 2! 2! of 4! orders.
    assert [found["chance", kind].value for kind in ("one", "two")] == pytest.approx([1 / 2, 1 / 6])
    assert (found["chance", "two"].n, found["text_only_accuracy", None].n) == (10, 10)
    assert found["caption_accuracy", None].value == pytest.approx(16 / 29)
    assert found["chance", None].value == pytest.approx((19 / 2 + 10 / 6) / 29)
    (notice,) = answer.notices
    assert notice.what == "test is not above chance at 95% confidence: all, one"


@pytest.mark.parametrize(("low", "said"), [(0.5, 1), (0.51, 0), (None, 0)])
def test_chance_itself_is_not_above_chance(low, said):
    findings = [
        Finding(metric="caption_accuracy", value=0.7, n=9, low=low, high=0.9), Finding(metric="chance", value=0.5, n=9),
        Finding(metric="chance", value=0.9, n=9, slice={"kind": "swapped"}),
    ]  # fmt: skip
    assert len(_near_chance(inputs([[1, 0]], {}, [["a"]], [["b"]]), findings)) == said


def test_only_groups_in_which_every_foil_is_a_caption_of_the_others_are_crossed():
    """The second group has a foil of its own in one picture, the third twice the same caption, the fourth one picture."""
    texts = {name: list(row) for name, row in zip("abcdefgh", np.eye(8), strict=True)}
    captions = [["a"], ["b"], ["c"], ["d"], ["e"], ["e"], ["f"]]
    foils = [["b"], ["a"], ["d"], ["h"], ["e"], ["e"], ["g"]]
    group = ["1", "1", "2", "2", "3", "3", "4"]
    answer = composition.ask(inputs(np.eye(8)[[0, 1, 2, 3, 4, 4, 5]], texts, captions, foils, **{"attr.group": group}))
    found = {f.metric: (f.value, f.n) for f in answer.findings if f.metric.endswith("score")}
    assert found == {"text_score": (1.0, 1), "image_score": (1.0, 1), "group_score": (1.0, 1)}


def test_pictures_without_a_group_form_none():
    """The last two have each other's caption as the foil, and no group."""
    texts = {name: list(row) for name, row in zip("abcd", np.eye(4), strict=True)}
    captions, foils, group = [["a"], ["b"], ["c"], ["d"]], [["b"], ["a"], ["d"], ["c"]], ["1", "1", None, None]
    answer = composition.ask(inputs(np.eye(4), texts, captions, foils, **{"attr.group": group}))
    assert [f.n for f in answer.findings if f.metric == "group_score"] == [1]


def test_a_tie_between_texts_is_lost():
    """Two captions whose cosine equals that of a caption and a foil."""
    texts = {"one": [1.0, 0, 0], "two": [0.8, 0.6, 0], "false": [0.8, 0, 0.6], "far": [0, 0, 1.0]}
    for foil, value_of in (("false", 0.0), ("far", 1.0)):
        answer = composition.ask(inputs([[1, 0, 0]], texts, [["one", "two"]], [[foil]]))
        assert value(answer, "text_only_accuracy") == value_of


def test_chance_of_groups_is_known_where_all_have_two_pictures():
    """A group of two, and one of three in which each caption is the foil of both others."""
    texts = {name: list(row) for name, row in zip("abcde", np.eye(5), strict=True)}
    captions, group = [["a"], ["b"], ["c"], ["d"], ["e"]], ["1", "1", "2", "2", "2"]
    foils = [["b"], ["a"], ["d", "e"], ["c", "e"], ["c", "d"]]
    both = composition.ask(inputs(np.eye(5), texts, captions, foils, **{"attr.group": group}))
    assert value(both, "group_score") == 1.0 and not [f for f in both.findings if f.metric.endswith("score_chance")]
    pair = composition.ask(inputs(np.eye(5)[:2], texts, captions[:2], foils[:2], **{"attr.group": group[:2]}))
    assert value(pair, "image_score_chance") == 0.25


def test_a_margin_of_the_rounding_error_is_a_tie():
    margin = np.array([TIE, np.nextafter(TIE, 1)])
    outcomes = FoilOutcomes(margin, margin, np.zeros(2, np.int64), np.zeros(2, np.int64))
    assert outcomes.correct.tolist() == outcomes.text_correct.tolist() == [False, True]


@pytest.mark.parametrize("lead", [TIE, 2 * TIE])
def test_a_group_with_a_tie_in_one_direction_is_lost_in_that_direction(lead):
    """Cosines of picture 0 with the captions are `lead` and 0, those of picture 1 are -1 and 1; and turned around."""
    made = inputs([[1, 0], [0, 1]], {"a": [1, 0], "b": [0, 1]}, [["a"], ["b"]], [["b"], ["a"]], **{"attr.group": ["1", "1"]})
    scores = np.array([[lead, 0.0], [-1.0, 1.0]])
    for turned in (False, True):
        of = scores.T if turned else scores
        given = replace(made, images=np.eye(2), texts=lambda texts, of=of: of[:, ["ab".index(text) for text in texts]].T)
        groups = crossed_groups(given, foil_trials(given.dataset))
        expected = (lead > TIE, True)
        assert (groups.text.tolist(), groups.picture.tolist()) == tuple(
            [flag] for flag in (expected[::-1] if turned else expected)
        )
