"""Captions and pictures that look for each other: by hand, with shared captions and copies; a weak part, and its twin without."""

import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest
from tests.witness import rows

import eyechart
from eyechart.data.dataset import Dataset
from eyechart.findings.finding import Finding
from eyechart.models.card import ModelCard
from eyechart.probes.contract import NotApplicable, ProbeInput, TextRequest
from eyechart.probes.retrieval import Settings, _near_chance, retrieval


class NoPictures:
    def __init__(self, count):
        self.count = count

    def __len__(self):
        return self.count


def inputs(captions, finds, *, pictures=None, clusters=None, settings=None, **columns):
    """Picture i points along axis i (or along that of `pictures[i]`), a caption along the axis of the picture it finds."""
    place = list(range(len(captions))) if pictures is None else pictures
    axes = np.eye(len(captions) + 1, dtype=np.float32)
    table = {"id": [f"picture-{i}" for i in range(len(captions))], "captions": pa.array(captions, pa.list_(pa.string()))}
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=Dataset("test", pa.table(table | columns), NoPictures(len(captions))),
        images=axes[place],
        clusters=np.arange(len(captions)) if clusters is None else np.asarray(clusters),
        texts=lambda texts: axes[[finds[text] for text in texts]],
        prompts=(),
        settings=settings or Settings(resamples=200),
    )


def only(answer, metric, **slice):
    (finding,) = [f for f in answer.findings if f.metric == metric and f.slice == slice]
    return finding


def value(answer, metric, **slice):
    return only(answer, metric, **slice).value


def test_a_hand_worked_case():
    """Two captions each for three pictures: a's both find a; b's find b and c; c's find a and a."""
    finds = {"a1": 0, "a2": 0, "b1": 1, "b2": 2, "c1": 0, "c2": 0}
    answer = retrieval.ask(inputs([["a1", "a2"], ["b1", "b2"], ["c1", "c2"]], finds))
    # From text: a1, a2, b1 find theirs. b2 finds c, and a and b tie at 0 behind it: b is behind both. So with c1 and c2.
    assert value(answer, "text_to_image_r1") == 3 / 6
    assert value(answer, "text_to_image_median_rank") == 2.0  # places 1, 1, 1, 3, 3, 3
    # From image: a's best are a1, a2 at 1, where c1 and c2 tie: rank 3. b's is b1 alone. c's are 0, behind all but ties: 5th.
    assert value(answer, "image_to_text_r1") == 1 / 3
    assert value(answer, "image_to_text_median_rank") == 3.0
    assert value(answer, "image_to_text_r5") == 1.0
    assert (only(answer, "text_to_image_r1").n, only(answer, "image_to_text_r1").n) == (6, 3)


def test_chance_by_hand():
    answer = retrieval.ask(
        inputs([["a1", "a2"], ["b1", "b2"], ["c1", "c2"]], dict.fromkeys(("a1", "a2", "b1", "b2", "c1", "c2"), 0))
    )
    assert value(answer, "text_to_image_r1_chance") == pytest.approx(1 / 3)
    assert value(answer, "image_to_text_r1_chance") == pytest.approx(2 / 6)
    assert value(answer, "image_to_text_r5_chance") == pytest.approx(1.0)


def test_recall_is_reported_where_a_list_can_miss():
    answer = retrieval.ask(inputs([["a"], ["b"], ["c"]], {"a": 0, "b": 1, "c": 2}))
    assert {f.metric for f in answer.findings if f.metric[-1].isdigit()} == {
        "text_to_image_r1",
        "image_to_text_r1",
    }


def test_a_caption_under_two_pictures_is_right_for_both_and_said():
    captions = [["a dog"], ["a dog"], ["a cat"], ["a cow"]]
    finds = {"a dog": 1, "a cat": 2, "a cow": 3}
    answer = retrieval.ask(inputs(captions, finds))
    assert value(answer, "text_to_image_r1") == 1.0
    assert value(answer, "image_to_text_r1") == 0.75  # the first picture's caption points at the second
    assert any("1 caption shared by several pictures: a dog" in n.what for n in answer.notices)
    own = retrieval.ask(inputs(captions, finds, settings=Settings(shared="own", resamples=200)))
    assert value(own, "text_to_image_r1") == 0.75
    assert value(own, "image_to_text_r1") == 0.5  # the second picture's caption ties with that of the first


def test_copies_of_a_picture_count_as_one_and_are_said():
    captions, finds = [["left"], ["right"], ["other"]], {"left": 0, "right": 0, "other": 2}
    answer = retrieval.ask(inputs(captions, finds, pictures=[0, 0, 2], clusters=[0, 0, 1]))
    assert value(answer, "text_to_image_r1") == value(answer, "image_to_text_r1") == 1.0
    assert any("1 picture identical to another" in n.what for n in answer.notices)
    own = Settings(shared="own", resamples=200)
    strict = retrieval.ask(inputs(captions, finds, pictures=[0, 0, 2], clusters=[0, 0, 1], settings=own))
    assert value(strict, "text_to_image_r1") == 1 / 3


def test_pictures_without_captions_are_in_the_way_and_not_asked():
    answer = retrieval.ask(inputs([["a"], ["b"], None, ["", " "]], {"a": 2, "b": 1}))
    assert only(answer, "text_to_image_r1").n == only(answer, "image_to_text_r1").n == 2
    assert value(answer, "text_to_image_r1") == 0.5
    assert any("2 pictures without a caption" in n.what for n in answer.notices)


def test_captions_are_asked_for_once_and_as_they_are():
    dataset = inputs([["A dog.", "a cat"], ["A dog."]], {}).dataset
    assert list(retrieval.texts(TextRequest(dataset, (), Settings()))) == ["A dog.", "a cat"]


def test_one_picture_is_no_choice():
    with pytest.raises(NotApplicable, match="at least two different pictures"):
        retrieval.ask(inputs([["a", "b"]], {"a": 0, "b": 0}))
    with pytest.raises(NotApplicable, match="at least two different pictures"):
        retrieval.ask(inputs([["a"], ["b"]], {"a": 0, "b": 0}, clusters=[0, 0]))


def drawn(rng, right, *, captions=2, **columns):
    """Captions that find their picture with the chance `right[i]`, else the next one."""
    said = [[f"{i}-{j}" for j in range(captions)] for i in range(len(right))]
    hit = rng.random((len(right), captions)) < np.asarray(right)[:, None]
    finds = {text: (i + (not hit[i, j])) % len(right) for i, of in enumerate(said) for j, text in enumerate(of)}
    return inputs(said, finds, **columns)


STYLES = np.array(["photo", "photo", "sketch"] * 40)


def gap(answer):
    return only(answer, "text_to_image_r1_gap", style="sketch")


def test_a_part_that_is_found_badly_is_told():
    answer = retrieval.ask(drawn(np.random.default_rng(0), np.where(STYLES == "sketch", 0.4, 0.8), **{"attr.style": STYLES}))
    assert gap(answer).high < 0
    assert value(answer, "text_to_image_r1", style="sketch") < 0.6
    (parts,) = [e for e in answer.exhibits if e.name == "parts"]
    assert parts.table.column("part").to_pylist()[0] == "style: sketch"


@pytest.mark.slow
def test_without_a_weak_part_it_stays_quiet():
    rng, alarms = np.random.default_rng(1), []
    for _ in range(200):
        few = Settings(resamples=300, shown=0)
        found = gap(retrieval.ask(drawn(rng, np.full(120, 0.7), settings=few, **{"attr.style": rng.permutation(STYLES)})))
        alarms.append(not found.low <= 0 <= found.high)
    assert not alarms[0]
    assert sum(alarms) <= 18


@pytest.mark.slow
def test_intervals_cover_where_captions_of_a_picture_hang_together():
    """Pictures are easy (0.95) or hard (0.35) for all of their five captions: the population's R@1 is 0.65."""
    rng, hits = np.random.default_rng(2), 0
    for _ in range(200):
        right = rng.choice([0.95, 0.35], 100)
        found = only(retrieval.ask(drawn(rng, right, captions=5, settings=Settings(resamples=300, shown=0))), "text_to_image_r1")
        hits += found.low <= 0.65 <= found.high
    assert 179 <= hits <= 198


def test_guessing_is_called_guessing():
    rng = np.random.default_rng(3)
    captions = [[f"c{i}"] for i in range(60)]
    guesses = retrieval.ask(inputs(captions, {f"c{i}": int(rng.integers(60)) for i in range(60)}))
    assert any("not above chance in text-to-image retrieval" in n.what for n in guesses.notices)
    assert not retrieval.ask(inputs(captions, {f"c{i}": i for i in range(60)})).notices


def test_the_worst_captions_are_shown_with_what_they_find():
    answer = retrieval.ask(inputs([["a"], ["b"], ["c"]], {"a": 0, "b": 2, "c": 2}))
    (worst,) = [e for e in answer.exhibits if e.name == "worst-captions"]
    assert worst.table.to_pylist() == [{"caption": "b", "rank": 3, "ids": ["picture-1", "picture-2"]}]


@pytest.mark.parametrize("settings", [{"shared": "all"}, {"least": 1}, {"resamples": 0}])
def test_wrong_settings_are_refused(settings):
    with pytest.raises(ValueError):
        Settings(**settings)


def test_the_whole_way_on_the_embedded_world(store, tmp_path):
    exam = eyechart.examine("demo:", "world-retrieval", limit=40, probes=["retrieval"], out=tmp_path / "out", store=store)
    assert {f["metric"] for f in exam.findings.to_pylist()} >= {"text_to_image_r10", "image_to_text_median_rank"}
    assert {tuple(json.loads(f["slice"])) for f in rows(exam, "text_to_image_r1")} >= {(), ("count",)}
    (asked,) = [p for p in exam.protocol["protocols"].values() if p["probe"] == "retrieval"]
    assert "prompts" not in asked
    assert exam.report().is_file()


def missed(answer, direction):
    return [e.table.to_pylist() for e in answer.exhibits if e.name == f"missed-{direction}"]


def test_missed_queries_are_named_with_what_ranks_first():
    """The hand-worked case above: b2, c1 and c2 miss their picture; a and c miss their caption."""
    finds = {"a1": 0, "a2": 0, "b1": 1, "b2": 2, "c1": 0, "c2": 0}
    answer = retrieval.ask(
        inputs([["a1", "a2"], ["b1", "b2"], ["c1", "c2"]], finds, **{"attr.light": pa.array(["dim", "lit", None])})
    )
    (captions,) = missed(answer, "text_to_image")
    assert {(row["caption"], row["id"], row["rank"], *row["ids"]) for row in captions} == {
        ("b2", "picture-1", 3, "picture-2"),
        ("c1", "picture-2", 3, "picture-0"),
        ("c2", "picture-2", 3, "picture-0"),
    }
    assert {row["caption"]: row["attributes"] for row in captions} == {"b2": ["light=lit"], "c1": [], "c2": []}
    (pictures,) = missed(answer, "image_to_text")
    # Of c, all captions but b2 score 0, and b2 scores 1. Of a, four captions tie at 1, the first of them its own.
    assert [(row["id"], row["rank"], row["first_caption"], row["ids"]) for row in pictures] == [
        ("picture-2", 5, "b2", []),
        ("picture-0", 3, "a1", []),
    ]


def test_where_nothing_is_missed_there_are_no_missed_queries():
    answer = retrieval.ask(inputs([["a"], ["b"], ["c"]], {"a": 0, "b": 1, "c": 2}))
    assert missed(answer, "text_to_image") == missed(answer, "image_to_text") == []


def test_intervals_and_medians_of_a_small_case():
    """Twelve pictures with a caption each; the caption of picture i finds picture i, but for the last three."""
    captions = [[f"c{i}"] for i in range(12)]
    finds = {f"c{i}": i if i < 9 else 0 for i in range(12)}
    answer = retrieval.ask(inputs(captions, finds))
    r1 = only(answer, "text_to_image_r1")
    reference = binomtest(9, 12).proportion_ci(method="wilson")
    assert (r1.value, r1.n, r1.low, r1.high) == (0.75, 12, pytest.approx(reference.low), pytest.approx(reference.high))
    assert (
        only(answer, "text_to_image_r1_chance").value == pytest.approx(1 / 12) and only(answer, "text_to_image_r5_chance").n == 12
    )
    median = only(answer, "text_to_image_median_rank")
    assert (median.value, median.n) == (1.0, 12) and median.low == 1.0 and median.high >= 1.0
    assert {f.metric for f in answer.findings if f.metric.startswith("image_to_text_r")} == {
        f"image_to_text_r{k}{end}" for k in (1, 5, 10) for end in ("", "_chance")
    }


@pytest.mark.parametrize(("least", "count"), [(4, 2), (5, 1), (9, 0)])
def test_a_part_needs_enough_queries(least, count):
    """Four pictures are dark, eight are not."""
    captions, style = [[f"c{i}"] for i in range(12)], ["dark"] * 4 + ["plain"] * 8
    finds = {f"c{i}": 11 if i < 4 else i for i in range(12)}
    settings = Settings(resamples=50, least=least)
    answer = retrieval.ask(inputs(captions, finds, settings=settings, **{"attr.style": style}))
    parts = {f.slice["style"] for f in answer.findings if f.slice}
    assert len(parts) == count
    if "dark" in parts:
        gap = only(answer, "text_to_image_r1_gap", style="dark")
        assert (gap.value, gap.n, gap.baseline) == (pytest.approx(-8 / 12), 4, "all queries")
        assert value(answer, "text_to_image_r1", style="dark") == 0.0


def test_a_part_of_all_pictures_is_none():
    answer = retrieval.ask(
        inputs([["a"], ["b"], []], {"a": 0, "b": 1}, settings=Settings(resamples=50, least=2), **{"attr.style": ["x", "x", "y"]})
    )
    assert not [f for f in answer.findings if f.slice]


@pytest.mark.parametrize(("low", "said"), [(0.1, 1), (0.11, 0), (None, 1)])
def test_chance_itself_is_not_above_chance(low, said):
    made = inputs([["a"], ["b"]], {"a": 0, "b": 1})
    findings = [
        Finding(metric="text_to_image_r1", value=0.5, n=9, low=low, high=0.9),
        Finding(metric="text_to_image_r1_chance", value=0.1, n=9),
        Finding(metric="image_to_text_r1", value=0.5, n=9, low=0.4, high=0.9),
        Finding(metric="image_to_text_r1_chance", value=0.1, n=9),
    ]
    assert len(_near_chance(made, findings)) == said
    assert _near_chance(made, findings[:1]) == []


def test_notices_count_shared_captions_missing_ones_and_copies():
    made = inputs([["a"], ["a"], [], ["b"]], {"a": 0, "b": 3}, clusters=[0, 1, 2, 2])
    said = [(n.what, n.remedy) for n in retrieval.ask(made).notices[:3]]
    assert said[0] == (
        "1 caption shared by several pictures: a",
        "each of these pictures counts as correct; see the setting retrieval.shared",
    )
    assert said[1] == ("1 picture without a caption", "they are candidates, but not queries")
    assert said[2] == ("1 picture identical to another, byte for byte", "copies count as one picture")
    own = retrieval.ask(replace(made, settings=Settings(resamples=50, shared="own"))).notices
    assert own[0].remedy.startswith("their own picture only") and own[2].remedy == "copies tie, which counts as a miss"


def test_two_pictures_and_two_captions_are_enough():
    assert value(retrieval.ask(inputs([["a"], ["b"]], {"a": 0, "b": 1})), "text_to_image_r1") == 1.0
    for captions, clusters in (([["a"], ["a"]], None), ([["a"], ["b"]], [0, 0])):
        with pytest.raises(NotApplicable, match="at least two different pictures and two different captions"):
            retrieval.ask(inputs(captions, {"a": 0, "b": 1}, clusters=clusters))
