"""Factors: published figures of ImageNet-X, planted weak factors and conjunctions, their clean twins, pairs of scenes."""

import csv
import json
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from scipy.stats import binomtest
from tests.probes.answering import BARE, answering, class_list, only

from eyechart.data.class_file import read_classes
from eyechart.data.open import open_dataset
from eyechart.data.published.imagenet_x import FACTORS
from eyechart.models.card import ModelCard
from eyechart.probes.contract import NotApplicable, ProbeInput
from eyechart.probes.factors import Settings, factors
from eyechart.probes.factors.correct_predictions import correct_predictions

QUICK = Settings(permutations=200)


def told(right, marks, *, columns=None, clusters=None, settings=QUICK, classes=4):
    """Pictures of classes in turn, answered rightly where `right` says so; `marks` are flags by factor."""
    truth = np.arange(len(right)) % classes
    answers = np.where(right, truth, (truth + 1) % classes)
    columns = {f"factor.{name}": pa.array(flags) for name, flags in marks.items()} | (columns or {})
    return answering(answers, truth, class_list(list("abcdefgh"[:classes])), settings, columns=columns, clusters=clusters)


# Known answers.

PUBLISHED = {
    "ResNet50": {
        "accuracy": 0.74669, "pose": 0.82402, "background": 0.71080, "pattern": 0.80459, "color": 0.69886, "smaller": 0.62069,
        "shape": 0.55817, "partial_view": 0.71317, "subcategory": 0.46667, "texture": 0.39362, "larger": 0.66667,
    },
    "ViT": {"accuracy": 0.76760, "texture": 0.52482},
}  # fmt: skip
COUNTS = {
    "pose": 15064, "background": 14751, "pattern": 5972, "color": 6150, "smaller": 1450, "shape": 679, "partial_view": 638,
    "subcategory": 585, "texture": 282, "larger": 150,
}  # fmt: skip


@pytest.fixture(scope="module")
def imagenet_x(assets, tmp_path_factory):
    """The whole validation set by name, in files that nobody reads, as the reader of ImageNet-X sees it."""
    folder = assets / "imagenet-x"
    if not folder.is_dir():
        pytest.skip(f"{folder} does not exist: run `make test-assets`")
    val = tmp_path_factory.mktemp("imagenet") / "val"
    val.mkdir()
    for i in range(1, 50_001):
        (val / f"ILSVRC2012_val_{i:08d}.JPEG").touch()
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(folder)
        return open_dataset(f"imagenet-x:{val}")


def predictions(refdata, model):
    with (refdata / "imagenet-x" / f"{model}.csv").open(newline="") as file:
        return {row["file_name"]: int(row["predicted_class"]) for row in csv.DictReader(file)}


def looking_like(dataset, predicted, settings):
    """A model that answers every picture as predicted: classes are directions at random, and pictures those of their answers."""
    vectors = np.random.default_rng(0).standard_normal((1000, 48)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    # Two pairs of ImageNet's classes share a name; told apart by label, each has a direction of its own.
    classes = replace(dataset.classes, classes=tuple(replace(c, name=c.label) for c in dataset.classes))
    place = {c.label: i for i, c in enumerate(classes)}
    return ProbeInput(
        model="test",
        card=ModelCard("test", "test"),
        dataset=replace(dataset, classes=classes),
        images=vectors[[predicted[id] for id in dataset.ids()]],
        clusters=np.arange(len(dataset)),
        texts=lambda texts: vectors[[place[t] for t in texts]],
        prompts=(BARE,),
        settings=settings,
    )


@pytest.mark.refdata
@pytest.mark.assets
@pytest.mark.parametrize("model", PUBLISHED)
def test_published_accuracy_by_factor_is_reproduced(imagenet_x, refdata, model):
    answer = factors.ask(looking_like(imagenet_x, predictions(refdata, model), Settings(permutations=1)))
    assert only(answer, "overall_accuracy").n == 46_110
    assert only(answer, "overall_accuracy").value == pytest.approx(PUBLISHED[model]["accuracy"], abs=5e-6)
    for name, n in COUNTS.items():
        assert only(answer, "factor_accuracy", factor=name).n == n
    with (refdata / "imagenet-x" / "top_factor_class_base_accuracies.csv").open(newline="") as file:
        (published,) = [row for row in csv.DictReader(file) if row["model"] == model]
    for name in FACTORS:
        assert only(answer, "factor_accuracy", factor=name).value == pytest.approx(float(published[name]), abs=1e-9)
    for name, value in PUBLISHED[model].items():
        assert name == "accuracy" or only(answer, "factor_accuracy", factor=name).value == pytest.approx(value, abs=5e-6)
    worst = only(answer, "worst_factor_accuracy")
    assert (worst.slice["factor"], worst.value) == ("texture", pytest.approx(float(published["worst_factor"]), abs=1e-9))


@pytest.mark.refdata
@pytest.mark.assets
def test_published_error_ratios_are_reproduced(imagenet_x, refdata):
    answer = factors.ask(looking_like(imagenet_x, predictions(refdata, "ResNet50"), Settings(permutations=1)))
    for name, ratio in {"pose": 0.6947, "background": 1.1417, "texture": 2.3939}.items():
        assert only(answer, "error_ratio", factor=name).value == pytest.approx(ratio, abs=5e-5)


@pytest.mark.refdata
@pytest.mark.assets
def test_other_ways_to_count_right_answers_are_more_lenient(imagenet_x, refdata):
    """Against counts by hand over the annotation files."""
    predicted = predictions(refdata, "ResNet50")
    labels = [c.label for c in read_classes("imagenet-1k")]
    everything = imagenet_x.table.to_pylist()
    kind = {r["label"]: r["attr.metaclass"] for r in everything}
    rows = [r for r in everything if r["factor.pose"] is not None]
    by_hand = {
        "metaclass": [kind[labels[predicted[r["id"]]]] == r["attr.metaclass"] for r in rows],
        "real": [labels[predicted[r["id"]]] in r["attr.real"] for r in rows],
    }
    for counts, right in by_hand.items():
        answer = factors.ask(looking_like(imagenet_x, predicted, Settings(counts=counts, permutations=1)))
        assert only(answer, "overall_accuracy").value == pytest.approx(np.mean(right), abs=1e-12)
        assert only(answer, "overall_accuracy").value > PUBLISHED["ResNet50"]["accuracy"]


def test_a_hand_worked_case():
    # ten pictures, 7 right; dark ones: rows 5 to 9, of which 3 are right
    right = np.array([1, 1, 1, 0, 1, 0, 0, 1, 1, 1], bool)
    answer = factors.ask(told(right, {"dark": np.arange(10) >= 5}, settings=Settings(least=5)))
    assert only(answer, "overall_accuracy").value == pytest.approx(0.7)
    assert only(answer, "factor_accuracy").value == pytest.approx(0.6)
    assert only(answer, "factor_gap").value == pytest.approx(-0.1)
    assert only(answer, "error_ratio").value == pytest.approx(0.4 / 0.3)
    assert (only(answer, "worst_factor_accuracy").slice["factor"], only(answer, "worst_factor_gap").value) == (
        "dark",
        pytest.approx(-0.1),
    )


# Positive and negative controls.


def drawn(rng, accuracy, weak=None, n=1500):
    """Ten factors that mark an eighth of the pictures each, independently; where `weak` are all marked, accuracy is 0.4 lower."""
    marks = {f"f{i}": rng.random(n) < 1 / 8 for i in range(10)}
    hard = np.logical_and.reduce([marks[name] for name in weak]) if weak else np.zeros(n, bool)
    return rng.random(n) < accuracy - 0.4 * hard, marks


def test_a_planted_weak_factor_is_found():
    right, marks = drawn(np.random.default_rng(0), 0.85, weak=["f3"])
    answer = factors.ask(told(right, marks))
    assert only(answer, "worst_factor_accuracy").slice["factor"] == "f3"
    assert only(answer, "worst_factor_gap").high < 0
    assert only(answer, "error_ratio", factor="f3").low > 1
    assert "where" in answer.exhibits[0].sentence


@pytest.mark.slow
def test_without_a_weak_factor_it_stays_quiet():
    rng = np.random.default_rng(1)
    right, marks = drawn(rng, 0.85)
    alarms = []
    for draw in range(200):
        shuffled = right if draw == 0 else rng.permutation(right)
        answer = factors.ask(told(shuffled, marks, settings=Settings(permutations=1, conjunctions=0)))
        alarms.append(only(answer, "worst_factor_gap").high < 0)
        if draw == 0:
            assert "No factor is below the average" in answer.exhibits[0].sentence
    assert not alarms[0]
    assert sum(alarms) <= 18


def test_a_planted_weak_conjunction_is_found_as_a_pair():
    right, marks = drawn(np.random.default_rng(2), 0.9, weak=["f1", "f2"], n=4000)
    answer = factors.ask(told(right, marks))
    worst = only(answer, "worst_conjunction_accuracy")
    assert {worst.slice["factor"], worst.slice["and"]} == {"f1", "f2"}
    assert only(answer, "worst_conjunction_p_value").value < 0.01


@pytest.mark.slow
def test_without_a_weak_conjunction_the_search_stays_quiet():
    rng = np.random.default_rng(3)
    right, marks = drawn(rng, 0.85, n=2500)
    alarms = []
    for _ in range(200):
        answer = factors.ask(told(right, marks, settings=Settings(permutations=100, conjunctions=1)))
        alarms.append(only(answer, "worst_conjunction_p_value").value < 0.05)
        right = rng.permutation(right)
    assert not alarms[0]
    assert sum(alarms) <= 18


def test_a_factor_and_an_attribute_are_looked_at_together():
    rng = np.random.default_rng(4)
    pose, night = rng.random(1200) < 0.4, rng.random(1200) < 0.4
    right = rng.random(1200) < 0.9 - 0.5 * (pose & night)
    columns = {"attr.time": pa.array(np.where(night, "night", "day"))}
    worst = only(factors.ask(told(right, {"pose": pose}, columns=columns)), "worst_conjunction_accuracy")
    assert worst.slice["factor"] == "pose" and worst.slice["and"] == "time: night"


def test_an_attribute_that_repeats_a_factor_is_no_conjunction():
    pose = np.arange(200) % 2 == 0
    right = np.random.default_rng(5).random(200) < 0.8
    answer = factors.ask(told(right, {"pose": pose}, columns={"attr.factor": pa.array(np.where(pose, "pose", "none"))}))
    assert not [f for f in answer.findings if f.metric == "worst_conjunction_accuracy"]


# Scenes that are shown with and without a factor.


def scenes(rng, count, drop):
    """A plain picture and one with each of three factors, of scenes that are hard or easy; the first factor costs `drop`."""
    ease = rng.choice([0.5, 0.95], count)
    chance = np.column_stack([ease, ease - drop, ease, ease])
    right = (rng.random((count, 4)) < chance).ravel()
    version = np.tile(np.arange(4), count)
    marks = {name: version == i for i, name in enumerate(("pose", "dark", "small"), 1)}
    return right, marks, {"attr.scene": pa.array([f"s{i // 4}" for i in range(4 * count)])}


def test_what_a_factor_costs_is_measured_on_the_same_scenes():
    right, marks, columns = scenes(np.random.default_rng(6), 300, drop=0.3)
    answer = factors.ask(told(right, marks, columns=columns))
    drop = only(answer, "paired_drop", factor="pose")
    versions = right.reshape(300, 4)
    assert drop.value == pytest.approx(versions[:, 0].mean() - versions[:, 1].mean())
    assert (drop.n, drop.baseline) == (300, "the same scenes without the factor")
    assert drop.low > 0
    for name in ("dark", "small"):
        quiet = only(answer, "paired_drop", factor=name)
        assert quiet.low <= 0 <= quiet.high


@pytest.mark.slow
def test_intervals_of_paired_drops_cover():
    rng, held = np.random.default_rng(7), 0
    for _ in range(200):
        right, marks, columns = scenes(rng, 100, drop=0.2)
        drop = only(
            factors.ask(told(right, marks, columns=columns, settings=Settings(permutations=1))), "paired_drop", factor="pose"
        )
        held += drop.low <= 0.2 <= drop.high
    assert 179 <= held <= 198


def test_a_scene_with_a_rare_factor_is_not_taken_for_a_plain_one():
    """`fog` marks too few pictures to be reported, but a foggy picture is no picture without a factor."""
    right = np.tile([False, True, True], 40)
    version = np.tile(np.arange(3), 40)
    fog = (version == 0) & (np.arange(120) < 60)
    marks = {"pose": version == 2, "fog": fog}
    answer = factors.ask(told(right, marks, columns={"attr.scene": pa.array([f"s{i // 3}" for i in range(120)])}))
    # In the first 20 scenes the plain picture is the second, which is right; in the others it is the first, which is wrong.
    assert only(answer, "paired_drop").value == pytest.approx((20 * 1 + 20 * 0) / 40 - 1)


def test_without_scenes_nothing_is_paired():
    right, marks, _ = scenes(np.random.default_rng(8), 100, drop=0.3)
    assert not [f for f in factors.ask(told(right, marks)).findings if f.metric == "paired_drop"]


# Which pictures and which columns count.


def test_pictures_that_nobody_looked_at_count_nowhere():
    flags = pa.array([True] * 30 + [False] * 30 + [None] * 40)
    right = np.r_[np.ones(60, bool), np.zeros(40, bool)]
    answer = factors.ask(told(right, {"dark": flags}))
    assert (only(answer, "overall_accuracy").n, only(answer, "overall_accuracy").value) == (60, 1.0)
    assert only(answer, "error_ratio").value is None


@pytest.mark.parametrize("column", [[1, 0], [1.0, 0.0], ["True", "false"], ["yes", "no"]])
def test_yes_and_no_may_be_written_in_several_ways(column):
    right = np.arange(80) % 2 == 1
    answer = factors.ask(told(right, {"dark": pa.array(column * 40)}))
    assert (only(answer, "factor_accuracy").n, only(answer, "factor_accuracy").value) == (40, 0.0)


def test_a_column_of_something_else_is_passed_over_and_named():
    right = np.ones(80, bool)
    answer = factors.ask(told(right, {"dark": np.arange(80) < 40, "size": pa.array(np.arange(80))}))
    assert {f.slice["factor"] for f in answer.findings if f.metric == "factor_accuracy"} == {"dark"}
    assert any("left out: size" in n.what for n in answer.notices)


def test_factors_with_few_pictures_are_left_out_and_named():
    answer = factors.ask(told(np.ones(80, bool), {"dark": np.arange(80) < 40, "rare": np.arange(80) < 3}))
    assert any("1 factor with fewer than 30 labeled pictures left out: rare (3)" in n.what for n in answer.notices)


def test_copies_of_a_picture_widen_the_interval():
    rng = np.random.default_rng(9)
    right, dark = rng.random(100) < 0.7, rng.random(100) < 0.5
    once = factors.ask(told(right, {"dark": dark}))
    copies = factors.ask(told(right.repeat(10), {"dark": dark.repeat(10)}, clusters=np.arange(100).repeat(10)))
    for metric in ("overall_accuracy", "factor_accuracy", "factor_gap", "worst_factor_gap"):
        assert (only(copies, metric).low, only(copies, metric).high) == pytest.approx(
            (only(once, metric).low, only(once, metric).high), abs=0.005
        )


def test_a_weak_factor_is_found_where_every_scene_shows_every_factor():
    """80 scenes, each plain, dark and wet; dark costs a half. No scene is outside of the factor, and yet there is a gap."""
    rng, kind = np.random.default_rng(10), np.tile(np.arange(3), 80)
    right = rng.random(240) < np.array([0.9, 0.4, 0.9])[kind]
    scenes = {"attr.scene": pa.array(np.repeat(np.arange(80), 3).astype(str))}
    answer = factors.ask(told(right, {"dark": kind == 1, "wet": kind == 2}, columns=scenes))
    gap = only(answer, "worst_factor_gap")
    assert gap.low < gap.value < gap.high < 0
    assert "Accuracy is" in next(e for e in answer.exhibits if e.name == "factors-bare").sentence


def test_no_marked_picture_is_not_applicable():
    with pytest.raises(NotApplicable, match="no factor marks 30 labeled pictures"):
        factors.ask(told(np.ones(50, bool), {"dark": np.zeros(50, bool)}))
    with pytest.raises(NotApplicable, match="no readable picture has both a label and a value"):
        factors.ask(told(np.ones(50, bool), {"dark": pa.array([None] * 50, pa.bool_())}))


def test_counting_by_what_is_not_there_is_not_applicable():
    with pytest.raises(NotApplicable, match=r"no column attr\.real"):
        factors.ask(told(np.ones(50, bool), {"dark": np.ones(50, bool)}, settings=Settings(counts="real")))


def test_unknown_ways_to_count_are_refused():
    with pytest.raises(ValueError, match="counts is 'top5'; choose one of label, metaclass, real"):
        Settings(counts="top5")


def test_every_exhibit_has_a_chart_or_pictures():
    right, marks, columns = scenes(np.random.default_rng(10), 100, drop=0.3)
    marks |= {"fog": np.random.default_rng(11).random(400) < 0.4}
    answer = factors.ask(told(right, marks, columns=columns))
    kinds = {e.name.removesuffix("-bare"): e.kind for e in answer.exhibits}
    assert kinds == {
        "factors": "chart", "error-ratios": "chart", "paired-drops": "chart", "conjunctions": "chart", "errors": "pictures"
    }  # fmt: skip
    assert all(e.chart or e.kind == "pictures" for e in answer.exhibits)
    json.dumps([e.chart for e in answer.exhibits])


def test_frames_of_few_scenes_make_no_conjunction_look_bad():
    """40 scenes of ten frames that share their answers mostly, and their factors; dealt by frame, half of such nulls alarm."""
    rng, alarms = np.random.default_rng(11), 0
    scene = np.repeat(np.arange(40), 10)
    for _ in range(40):
        right = rng.random(400) < rng.beta(1.4, 0.6, 40)[scene]
        marks = {name: (rng.random(40) < 0.5)[scene] for name in ("dark", "wet", "far")}
        answer = factors.ask(told(right, marks, columns={"attr.scene": pa.array([f"s{s}" for s in scene])}))
        alarms += only(answer, "worst_conjunction_p_value").value < 0.05
    assert alarms <= 5


@pytest.mark.parametrize("entries", [["maybe"] * 60, [float("nan"), *[1.0] * 30, *[0.0] * 29]])
def test_where_every_factor_column_is_unreadable_the_skip_names_them(entries):
    with pytest.raises(NotApplicable, match="has only yes and no values: odd; write true and false"):
        factors.ask(told(np.ones(60, bool), {}, columns={"factor.odd": pa.array(entries)}))


def test_the_reason_for_no_annotated_picture_says_what_is_missing():
    unmarked = {"factor.dark": pa.array([None] * 4, pa.bool_())}
    classes = class_list(["a", "b"])
    with pytest.raises(NotApplicable, match="no readable picture has both a label and a value"):
        factors.ask(answering([0] * 4, [0] * 4, classes, QUICK, columns=unmarked))  # all of the first class
    with pytest.raises(NotApplicable, match="no readable picture has a label"):
        factors.ask(answering([0] * 4, [-1] * 4, classes, QUICK, columns=unmarked))
    with pytest.raises(NotApplicable, match="the dataset has no factor columns"):
        factors.ask(answering([0] * 4, [0] * 4, classes, QUICK))


def labeled(truth, metaclass, **columns):
    made = answering(
        [0] * len(truth), truth, class_list(list("abcd")), QUICK, columns={"attr.metaclass": pa.array(metaclass), **columns}
    )
    return made.dataset


def test_predictions_of_one_metaclass_are_correct():
    """Classes a and b are birds, c is a fish; d has no picture. Unlabeled pictures name no metaclass of a class."""
    dataset = labeled([0, 1, 2, -1, 0], ["bird", "bird", "fish", "fish", None])
    rows = np.array([0, 1, 2, 0, 1, 0, 2])
    predicted = np.array([1, 0, 2, 2, 3, -1, 3])
    found = correct_predictions(dataset, dataset.classes, rows, predicted, "metaclass")
    assert found.tolist() == [True, True, True, False, False, False, False]
    own = correct_predictions(dataset, dataset.classes, rows, predicted, "label")
    assert own.tolist() == [False, False, True, False, False, False, False]


def test_predictions_among_the_real_labels_are_correct():
    dataset = labeled([0, 1, 2], ["x", "x", "x"], **{"attr.real": pa.array([["a", "b"], [], None], pa.list_(pa.string()))})
    rows, predicted = np.array([0, 0, 0, 1, 2, 0]), np.array([0, 1, 2, 1, 2, -1])
    assert correct_predictions(dataset, dataset.classes, rows, predicted, "real").tolist() == [
        True,
        True,
        False,
        False,
        False,
        False,
    ]


def test_every_number_of_a_factor_by_hand():
    """Of eight pictures five are right: one of four that are dark, and all of four that are odd."""
    right = np.array([True, False, False, False, True, True, True, True])
    dark, odd = np.arange(8) < 4, np.arange(8) >= 4
    answer = factors.ask(told(right, {"dark": dark, "odd": odd}, settings=Settings(permutations=50, least=4)))
    table = {(f.metric, f.slice.get("factor")): f for f in answer.findings}
    assert (table["overall_accuracy", None].value, table["overall_accuracy", None].n) == (5 / 8, 8)
    reference = binomtest(1, 4).proportion_ci(method="wilson")
    accuracy = table["factor_accuracy", "dark"]
    assert (accuracy.value, accuracy.n, accuracy.low, accuracy.high) == (
        0.25,
        4,
        pytest.approx(reference.low),
        pytest.approx(reference.high),
    )
    assert table["factor_gap", "dark"].value == pytest.approx(0.25 - 5 / 8)
    assert (table["error_ratio", "dark"].value, table["error_ratio", "dark"].n) == (pytest.approx(0.75 / (3 / 8)), 4)
    assert table["error_ratio", "odd"].value == 0.0
    worst, gap = table["worst_factor_accuracy", "dark"], table["worst_factor_gap", "dark"]
    assert (worst.value, gap.value, gap.n) == (
        0.25,
        pytest.approx(-3 / 8),
        4,
    ) and gap.interval == "Jeffreys, 95% for all 2 factors together"
    perfect = factors.ask(told(np.ones(8, bool), {"dark": dark}, settings=Settings(permutations=50, least=4)))
    ratio = next(f for f in perfect.findings if f.metric == "error_ratio")
    assert (ratio.value, ratio.low, ratio.high) == (None, None, None)


@pytest.mark.parametrize(("least", "named"), [(3, ["dark"]), (4, ["dark"]), (5, [])])
def test_a_factor_needs_so_many_marked_pictures(least, named):
    made = told(
        np.ones(8, bool), {"dark": np.arange(8) < 4, "rare": np.arange(8) < 1}, settings=Settings(permutations=50, least=least)
    )
    if not named:
        with pytest.raises(NotApplicable, match="no factor marks 5 labeled pictures"):
            factors.ask(made)
    else:
        answer = factors.ask(made)
        assert [f.slice["factor"] for f in answer.findings if f.metric == "factor_accuracy"] == named
        assert [n.what for n in answer.notices] == [f"1 factor with fewer than {least} labeled pictures left out: rare (1)"]


def test_pairs_of_scenes_need_so_many_scenes():
    """Four scenes with and without "dark": with it one of four is right, without it all."""
    right = np.array([True, False, False, False, True, True, True, True])
    scene = pa.array(["s0", "s1", "s2", "s3"] * 2)
    for least, count in ((4, 1), (5, 0)):
        marks = {"dark": np.arange(8) < 4, "often": np.ones(8, bool)}
        made = told(right, marks, columns={"attr.scene": scene}, settings=Settings(permutations=50, least=least))
        drops = [f for f in factors.ask(made).findings if f.metric == "paired_drop"]
        assert len(drops) == count
    (drop,) = [
        f
        for f in factors.ask(
            told(right, {"dark": np.arange(8) < 4}, columns={"attr.scene": scene}, settings=Settings(permutations=50, least=4))
        ).findings
        if f.metric == "paired_drop"
    ]
    assert (drop.value, drop.n, drop.baseline) == (0.75, 4, "the same scenes without the factor")


def test_why_there_is_nothing_to_compare():
    def why(marks, truth):
        columns = {f"factor.{name}": pa.array(values) for name, values in marks.items()}
        made = answering([0] * len(truth), truth, class_list(list("ab")), QUICK, columns=columns)
        with pytest.raises(NotApplicable) as said:
            factors.ask(made)
        return str(said.value)

    assert why({"dark": [True, False]}, [-1, -1]) == "no readable picture has a label"
    assert why({"dark": [True, None]}, [-1, 0]) == "no readable picture has both a label and a value in every factor column"
