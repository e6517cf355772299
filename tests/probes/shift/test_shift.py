"""Accuracy under shift: published figures, matching classes, pairs, videos, a planted loss and its quiet twin."""

import csv
import json
import shutil
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from tests.probes.answering import among, answering, class_list, only

import eyechart
from eyechart.data.class_file import read_classes
from eyechart.findings.finding import Finding
from eyechart.findings.metric import find_metric
from eyechart.metrics.intervals import wilson
from eyechart.metrics.trends.baseline_lines import find_line
from eyechart.models.encoder import PicturePrediction
from eyechart.probes.contract import NotApplicable
from eyechart.probes.shift import Settings, _far_from_line, shift
from eyechart.probes.shift.outcomes import shift_outcomes
from eyechart.probes.tasks.predictors import predictors
from eyechart.probes.tasks.shift_pairs import shift_pairs
from eyechart.prompts.prompt_set import PromptSet

OLS = Settings(fit="ols")


def draw(rng, accuracy, n, classes=4):
    truth = np.arange(n) % classes
    wrong = (truth + rng.integers(1, classes, n)) % classes
    return np.where(rng.random(n) < accuracy, truth, wrong), truth


def exam(answers, truth, letters="abcd", settings=None, **options):
    return answering(answers, truth, class_list(list(letters)), settings or Settings(), **options)


def shifted(answers, truth, letters="abcd", **options):
    return exam(answers, truth, letters, name=options.pop("name", "shifted"), role="shift", **options)


def test_a_hand_worked_case():
    """Source: 3 of 4 right. Shifted: 1 of 4. The interval of the difference is Newcombe's."""
    answer = shift.ask(among(exam([0, 1, 2, 0], [0, 1, 2, 3]), shifted([0, 0, 0, 0], [0, 1, 2, 3])))
    assert only(answer, "source_accuracy").value == 0.75
    assert only(answer, "shifted_accuracy").value == 0.25
    drop = only(answer, "accuracy_drop")
    (low_a, high_a), (low_b, high_b) = wilson(3, 4), wilson(1, 4)
    assert drop.value == 0.5
    assert drop.low == pytest.approx(0.5 - np.hypot(0.75 - low_a, high_b - 0.25))
    assert drop.high == pytest.approx(0.5 + np.hypot(high_a - 0.75, 0.25 - low_b))
    assert (drop.baseline, drop.slice["shift"]) == ("test", "shifted")
    assert find_metric(shift.metrics, "accuracy_drop").higher_is_better is False


@pytest.mark.refdata
@pytest.mark.parametrize(
    ("benchmark", "columns", "expected"),
    [
        ("imagenet-v2", ("val", "imagenetv2-matched-frequency-format-val"), 5.68),
        ("imagenet-sketch", ("val", "imagenet-sketch"), 28.17),
    ],
)
def test_published_effective_robustness_of_clip(refdata, benchmark, columns, expected):
    """A model that is right as often as OpenAI's ViT-B/32 on ImageNet and on the shifted set, and else names the next class."""
    with (refdata / "imagenet-testbed" / "robustness_top1s.csv").open() as file:
        published = next(row for row in csv.DictReader(file) if row["model"] == "vit_b_32_clip_zeroshot")
    labels = [f"n{i:08d}" for i in range(1000)]
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((1000, 48)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)

    def measured(column, **options):
        truth = np.tile(np.arange(1000), 20)
        right = np.arange(len(truth)) < round(float(published[column]) / 100 * len(truth))
        inputs = answering(truth % 2, truth, class_list(labels), OLS, **options)
        object.__setattr__(inputs, "images", vectors[np.where(right, truth, (truth + 1) % 1000)])
        object.__setattr__(inputs, "texts", lambda texts: vectors[[labels.index(t) for t in texts]])
        return inputs

    source = measured(columns[0], benchmark="imagenet")
    answer = shift.ask(among(source, measured(columns[1], benchmark=benchmark, name=benchmark, role="shift")))
    found = only(answer, "effective_robustness")
    assert 100 * found.value == pytest.approx(expected, abs=0.02)
    assert 0 < found.low < found.value < found.high
    assert "85 standard models" in found.baseline


def beside_a_line(monkeypatch, source, **of_line):
    """The notices beside a line that was fitted between 40% and 80%, for two classes that mean the shifted set's only one and a
    third that means its other."""
    line = replace(find_line("imagenet", "imagenet-v2"), classes=3, source_range=(0.4, 0.8), **of_line)
    monkeypatch.setattr("eyechart.probes.shift.find_line", lambda *_, **__: line)
    classes = class_list(["analog", "digital", "shoe"])
    mine = answering(source, [0, 0, 1, 1, 2, 2], classes, Settings(), benchmark="imagenet")
    clocks = class_list(["clock", "shoe"], same_as=[["analog", "digital"], ["shoe"]])
    heard = ["analog", "digital", "shoe"]
    other = answering([0, 2], [0, 1], clocks, Settings(), heard=heard, name="o", role="shift", benchmark="imagenet-v2")
    return shift.ask(among(mine, other))


def test_the_range_of_a_line_is_held_against_the_accuracy_that_it_counts(monkeypatch):
    """Half of the answers name the very class, all of them one that means the same."""
    own = beside_a_line(monkeypatch, [1, 1, 0, 1, 2, 2], grouped=False)
    assert only(own, "effective_robustness").value is not None and own.notices == []


def test_where_the_axis_has_no_place_for_the_accuracy_the_notice_says_so(monkeypatch):
    answer = beside_a_line(monkeypatch, [1, 1, 0, 1, 2, 2], grouped=True)
    assert only(answer, "effective_robustness").value is None
    (told,) = answer.notices
    assert "100.0% is not on the probit axis" in told.what and "no effective robustness" in told.what


def test_only_classes_of_the_shifted_set_can_be_answered():
    """Every picture looks most like class d, which the shifted set does not have; then like the true class."""
    truth = np.array([0, 1, 2, 0, 1, 2])
    source = exam([3] * 6 + [3], [*truth, 3], second=[*truth, 3])
    answer = shift.ask(among(source, shifted([3] * 6, truth, "abc", heard=list("abcd"), second=truth)))
    assert only(answer, "shifted_accuracy").value == 1.0
    source_accuracy = only(answer, "source_accuracy")
    assert (source_accuracy.value, source_accuracy.n) == (1.0, 6)  # the picture of d is not asked about


def test_classes_are_matched_by_label_then_by_name():
    source = answering([0, 1, 2], [0, 1, 2], class_list(["n1", "n2", "n3"], ["cat", "dog", "cow"]), Settings())
    others = class_list(["Cat", "n2", "horse"], ["Cat", "hound", "horse"])
    other = answering([0, 1, 2], [0, 1, 2], others, Settings(), heard=["cat", "dog", "cow"], name="other", role="shift")
    answer = shift.ask(among(source, other))
    assert only(answer, "shifted_accuracy").n == 2
    assert only(answer, "source_accuracy").n == 2
    assert any("1 of 3 pictures left out because test does not have their class" in n.what for n in answer.notices)


def test_several_classes_may_mean_one():
    """ObjectNet's clock is two of ImageNet's classes: either is right, on both sides."""
    source = answering([1, 0, 2, 2], [0, 1, 2, 2], class_list(["analog", "digital", "shoe"]), Settings())
    clocks = class_list(["clock", "shoe"], same_as=[["analog", "digital"], ["shoe"]])
    other = answering([0, 1, 2], [0, 0, 0], clocks, Settings(), heard=["analog", "digital", "shoe"], name="o", role="shift")
    answer = shift.ask(among(source, other))
    assert only(answer, "source_accuracy").value == 1.0
    assert only(answer, "shifted_accuracy").value == pytest.approx(2 / 3)


def test_rows_of_one_scene_are_paired():
    """Ten of a hundred scenes are lost and ninety keep their answer: pairs tell it from chance, two samples cannot."""
    rng = np.random.default_rng(2)
    before, truth = draw(rng, 0.7, 100)
    kept = np.flatnonzero(before == truth)[:10]
    after = before.copy()
    after[kept] = (truth[kept] + 1) % 4
    columns = {"attr.source_id": [f"test-{i}" for i in range(100)]}
    paired = shift.ask(among(exam(before, truth), shifted(after, truth, columns=columns)))
    apart = shift.ask(among(exam(before, truth), shifted(after, truth)))
    assert only(paired, "accuracy_drop").value == pytest.approx(0.1) == only(apart, "accuracy_drop").value
    assert only(paired, "accuracy_drop").low > 0
    assert only(apart, "accuracy_drop").low < 0


def test_pictures_without_a_partner_are_left_out_of_pairs():
    columns = {"attr.source_id": ["test-0", "test-1", "elsewhere"]}
    answer = shift.ask(among(exam([0, 1, 1, 1], [0, 1, 2, 3]), shifted([0, 0, 0], [0, 1, 2], columns=columns)))
    assert (only(answer, "source_accuracy").value, only(answer, "source_accuracy").n) == (1.0, 2)
    assert only(answer, "shifted_accuracy").value == 0.5
    assert any("1 of 3 pictures have no original" in n.what and "are left out" in n.what for n in answer.notices)


def test_where_few_pictures_have_a_partner_all_are_compared():
    """As where a limit left one original of two hundred: pairs would say n = 1."""
    truth = np.arange(200) % 4
    columns = {"attr.source_id": ["test-3", *(f"gone-{i}" for i in range(199))]}
    answer = shift.ask(among(exam(truth, truth), shifted(np.zeros(200, int), truth, columns=columns)))
    assert (only(answer, "source_accuracy").value, only(answer, "source_accuracy").n) == (1.0, 200)
    assert (only(answer, "shifted_accuracy").value, only(answer, "shifted_accuracy").n) == (0.25, 200)
    assert any("199 of 200 pictures have no original" in n.what and "all pictures of both" in n.what for n in answer.notices)


def test_versions_of_one_scene_vary_together_where_the_scene_is_not_examined():
    rng = np.random.default_rng(5)
    (a, t), (b, u) = draw(rng, 0.9, 60), draw(rng, 0.6, 60)
    once = only(shift.ask(among(exam(a, t), shifted(b, u))), "shifted_accuracy")
    columns = {"attr.source_id": [f"gone-{i}" for i in np.repeat(np.arange(60), 10)]}
    versions = only(
        shift.ask(among(exam(a, t), shifted(np.repeat(b, 10), np.repeat(u, 10), columns=columns))), "shifted_accuracy"
    )
    assert (versions.low, versions.high) == pytest.approx((once.low, once.high))


def test_a_set_that_keeps_its_originals_is_not_paired_with_pictures_that_happen_to_be_called_alike():
    ids, truth = ["a", "b", "c"], [0, 1, 2]
    source = exam([0, 1, 2, 3], [*truth, 3], ids=[*ids, "d"])
    both = shifted(truth * 2, truth * 2, columns={"attr.source_id": ids * 2}, ids=[*ids, "a-dark", "b-dark", "c-dark"])
    dark = shifted(truth, truth, columns={"attr.source_id": ids}, ids=ids)  # the same names for the versions, and no originals
    assert only(shift.ask(among(source, both)), "source_accuracy").n == 4
    assert only(shift.ask(among(source, dark)), "source_accuracy").n == 3


def versions(answers, truth, shifts, severities=None):
    """A table that holds a source and its shifts, as world-shifts does."""
    sources = [f"s-{i}" for i in range(len(truth))]
    columns = {
        "attr.shift": [name for name in shifts for _ in truth],
        "attr.severity": severities or [0] * (len(truth) * len(shifts)),
        "attr.source_id": sources * len(shifts),
    }
    ids = [f"{'s' if name == 'none' else name}-{i}" for name in shifts for i in range(len(truth))]
    return exam(np.concatenate(answers), np.tile(truth, len(shifts)), columns=columns, ids=ids)


def test_shifts_within_a_table():
    truth = np.array([0, 1, 2, 3])
    answer = shift.ask(versions([truth, [0, 1, 2, 0], [0, 0, 0, 0]], truth, ["none", "dark", "sketch"]))
    assert only(answer, "accuracy_drop", shift="dark").value == 0.25
    assert only(answer, "accuracy_drop", shift="sketch").value == 0.75
    assert only(answer, "worst_accuracy_drop").slice["shift"] == "sketch"
    assert only(answer, "mean_accuracy_drop").value == 0.5
    assert only(answer, "mean_shifted_accuracy").value == 0.5
    lost = next(e for e in answer.exhibits if e.kind == "pictures")
    assert [row["ids"] for row in lost.table.to_pylist()] == [["s-1", "sketch-1"], ["s-2", "sketch-2"], ["s-3", "sketch-3"]]


def test_pictures_as_they_are_in_a_shifted_set_are_not_shifted():
    """As world-shifts, named with --shift."""
    truth = [0, 1, 2, 3]
    both = shifted([*truth, 0, 0, 0, 0], truth * 2, columns={"attr.shift": ["none"] * 4 + ["dark"] * 4})
    found = only(shift.ask(among(exam(truth, truth), both)), "shifted_accuracy")
    assert (found.value, found.n) == (0.25, 4)


def test_corruptions_of_a_severity_are_another_question():
    truth = np.array([0, 1, 2, 3])
    inputs = versions([truth, truth, truth], truth, ["none", "dark", "fog"], severities=[0] * 8 + [3] * 4)
    assert {f.slice.get("shift") for f in shift.ask(inputs).findings} == {"dark"}


def test_a_video_is_right_when_all_its_frames_are():
    """Two anchors with two frames around each; a frame that shows two things is right with either."""
    frames = [f"v{v}/{i}" for v in range(2) for i in range(3)]
    near = pa.array(
        [
            [{"id": frames[3 * v], "distance": 1}, {"id": frames[3 * v + 2], "distance": 2}] if i == 1 else None
            for v in range(2)
            for i in range(3)
        ],
        pa.list_(pa.struct([("id", pa.string()), ("distance", pa.int64())])),
    )
    columns = {
        "attr.neighbours": near,
        "attr.video": [f[:2] for f in frames],
        "attr.labels": [["a"], ["a"], ["a"], ["b", "c"], ["b", "c"], ["b", "c"]],
    }
    film = shifted([0, 0, 3, 2, 1, 1], [0, 0, 0, 1, 1, 1], columns=columns, ids=frames)
    answer = shift.ask(among(exam([0, 1, 2, 3], [0, 1, 2, 3]), film))
    assert only(answer, "shifted_accuracy", k=0).value == 1.0
    assert only(answer, "shifted_accuracy", k=2).value == 0.5
    assert only(answer, "shifted_accuracy", k=0).n == 2
    curve = next(e for e in answer.exhibits if e.name.startswith("pm-k"))
    assert [row["accuracy"] for row in curve.table.to_pylist()] == [1.0, 1.0, 0.5]

    inputs = among(exam([0, 1, 2, 3], [0, 1, 2, 3]), film)
    (predictor,) = predictors(inputs)
    # Each video is a unit of its own, and none of the source's four.
    assert [o.shifted_units.tolist() for o in shift_outcomes(inputs, shift_pairs(inputs), predictor)] == [[4, 5], [4, 5]]


def test_anchors_of_one_video_are_one_unit():
    near = pa.array([[{"id": f"shifted-{1 - i}", "distance": 1}] for i in range(2)])  # each next to the other
    film = shifted([0, 1], [0, 1], columns={"attr.neighbours": near, "attr.video": ["v", "v"]})
    inputs = among(exam([0, 1, 2, 3], [0, 1, 2, 3]), film)
    (predictor,) = predictors(inputs)
    assert {tuple(o.shifted_units.tolist()) for o in shift_outcomes(inputs, shift_pairs(inputs), predictor)} == {(4, 4)}


def test_pictures_of_two_shifts_are_units_of_their_own():
    """Equal units would make the means over shifts covary."""
    first, second = (shifted([0, 0, 2], [0, 1, 2], name=name) for name in ("dark", "foggy"))
    inputs = among(exam([0, 1, 2, 3], [0, 1, 2, 3]), first, second)
    (predictor,) = predictors(inputs)
    outcomes = shift_outcomes(inputs, shift_pairs(inputs), predictor)
    units = [*outcomes[0].source_units, *(unit for o in outcomes for unit in o.shifted_units)]
    assert len(outcomes) == 2 and len(set(units)) == len(units) == 4 + 3 + 3


def loses(answer):
    return only(answer, "accuracy_drop").low > 0


def test_a_planted_loss_is_found():
    rng = np.random.default_rng(0)
    answer = shift.ask(among(exam(*draw(rng, 0.9, 200)), shifted(*draw(rng, 0.7, 200))))
    assert loses(answer)
    assert only(answer, "worst_accuracy_drop").value == only(answer, "accuracy_drop").value


@pytest.mark.slow
def test_without_a_loss_it_stays_quiet():
    rng = np.random.default_rng(1)
    alarms, held = [], 0
    for _ in range(200):
        finding = only(shift.ask(among(exam(*draw(rng, 0.8, 150)), shifted(*draw(rng, 0.8, 90)))), "accuracy_drop")
        alarms.append(not finding.low <= 0 <= finding.high)
        held += finding.low <= 0 <= finding.high
    assert not alarms[0]
    assert sum(alarms) <= 18
    assert 179 <= held <= 198


@pytest.mark.slow
def test_the_mean_over_shifts_of_the_same_scenes_covers_the_truth():
    """Four versions of forty scenes, some of which are hard in every version."""
    rng, held = np.random.default_rng(3), 0
    accuracy = np.array([0.9, 0.8, 0.7, 0.6])
    for _ in range(200):
        truth = np.arange(40) % 4
        hard = rng.random(40) < 0.3
        kept = [(rng.random(40) < np.where(hard, 0.5, 1) * a) for a in accuracy]
        answers = [np.where(right, truth, (truth + 1) % 4) for right in kept]
        finding = only(shift.ask(versions(answers, truth, ["none", "dark", "sketch", "poster"])), "mean_accuracy_drop")
        held += finding.low <= 0.85 * (0.9 - 0.7) <= finding.high
    assert 179 <= held <= 198


def test_copies_of_a_picture_add_nothing():
    rng = np.random.default_rng(4)
    (a, t), (b, u) = draw(rng, 0.9, 60), draw(rng, 0.6, 60)
    once = only(shift.ask(among(exam(a, t), shifted(b, u))), "accuracy_drop")
    tenfold = among(exam(a, t), shifted(np.repeat(b, 10), np.repeat(u, 10), clusters=np.repeat(np.arange(60), 10)))
    copies = only(shift.ask(tenfold), "accuracy_drop")
    assert (copies.low, copies.high) == pytest.approx((once.low, once.high))


def test_every_prompt_set_is_asked():
    inputs = among(exam([0, 1], [0, 1]), shifted([0, 1], [0, 1]))
    twice = (*inputs.prompts, PromptSet("again", ("{}",), "test"))
    object.__setattr__(inputs, "prompts", twice)
    assert {f.slice["prompts"] for f in shift.ask(inputs).findings} == {"bare", "again"}


@pytest.mark.parametrize(
    ("others", "reason"),
    [
        ([], "there is no shifted dataset; give one with --shift"),
        ([shifted([0], [-1])], "share no labeled class"),
        ([shifted([0], [0], "xyz", heard=list("abcd"))], "share no labeled class"),
    ],
)
def test_where_it_makes_no_sense_it_says_so(others, reason):
    with pytest.raises(NotApplicable, match=reason):
        shift.ask(among(exam([0, 1], [0, 1]), *others))


def test_a_set_without_a_class_in_common_is_named_beside_the_others():
    stranger = shifted([0], [0], "xyz", heard=list("abcd"), name="stranger")
    answer = shift.ask(among(exam([0, 1], [0, 1]), shifted([0, 1], [0, 1]), stranger))
    assert any(n.where == "stranger" and "no shared class" in n.what for n in answer.notices)


def test_settings_are_checked():
    with pytest.raises(ValueError, match="axis must be one of probit, logit, linear"):
        Settings(axis="log")


def test_from_pictures_to_findings(photos, drawn, store, tmp_path):
    """A shifted set of two of the three classes, and the embedded world's shifts in one table."""
    for label in ("arrow", "star"):
        shutil.copytree(drawn / label, tmp_path / "night" / label)
    exam = eyechart.examine(
        "demo:", photos, shifts=[tmp_path / "night"], probes=["shift"], prompts="single", out=tmp_path / "out", store=store
    )
    (drop,) = [f for f in exam.findings.to_pylist() if f["metric"] == "accuracy_drop"]
    assert (drop["dataset"], json.loads(drop["slice"])["shift"], drop["n"]) == ("photos", "night", 10)
    assert drop["value"] == 0.0  # the same pictures, asked about the same two classes
    world = eyechart.examine(
        "demo:", "world-shifts", probes=["shift"], limit=90, prompts="single", out=tmp_path / "world", store=store
    )
    shifts = {json.loads(f["slice"])["shift"] for f in world.findings.to_pylist() if f["metric"] == "accuracy_drop"}
    assert shifts == {"poster", "sketch", "dark", "elevation"}


def classifier(answers, truth, **options):
    """A network that knows ImageNet's thousand by scores of its own and hears nothing."""
    classes = read_classes("imagenet-1k")
    inputs = answering(np.zeros(len(truth), int), truth, classes, Settings(), heard=["nothing"], **options)
    scores = np.zeros((len(truth), 1000), np.float32)
    scores[np.arange(len(truth)), answers] = 5
    scores[np.arange(len(truth)), truth] += 3  # its second thought
    return replace(inputs, can_encode=lambda texts: False, class_scores=lambda rows: scores[list(rows)])


def test_a_classifier_answers_by_its_own_scores():
    """Class 0 is none of ImageNet-R's, so there the second thought counts, which is right."""
    source = classifier([1, 0, 2, 0], [1, 2, 2, 5])
    rendered = classifier([0, 1], [1, 2], name="r", role="shift")
    part = replace(rendered, dataset=replace(rendered.dataset, classes=read_classes("imagenet-r")))
    answer = shift.ask(among(source, part))
    assert {f.slice["answers"] for f in answer.findings} == {"class scores"}
    assert only(answer, "source_accuracy").value == 1.0  # of classes 1 and 2
    assert only(answer, "shifted_accuracy").value == 0.5


def test_a_model_that_knows_no_class_is_told_so():
    deaf = replace(exam([0, 1], [0, 1]), can_encode=lambda texts: False)
    with pytest.raises(NotApplicable, match="can neither encode the class names nor score"):
        shift.ask(among(deaf, shifted([0, 1], [0, 1])))


def test_scores_of_other_classes_are_not_taken_for_these():
    """A thousand scores say nothing about four classes of one's own."""
    deaf = replace(exam([0, 1], [0, 1]), can_encode=lambda texts: False, class_scores=lambda rows: np.zeros((len(rows), 1000)))
    with pytest.raises(NotApplicable, match="nor score the 1,000 classes of ImageNet"):
        shift.ask(among(deaf, shifted([0, 1], [0, 1])))


def test_two_classes_are_a_question_and_numbers_count_pictures():
    answer = shift.ask(among(exam([0, 1, 0], [0, 1, 1], "ab"), shifted([0, 0], [0, 1], "ab")))
    table = {f.metric: (f.value, f.n) for f in answer.findings}
    assert table["source_accuracy"] == (pytest.approx(2 / 3), 3) and table["shifted_accuracy"] == (0.5, 2)
    assert table["accuracy_drop"] == table["worst_accuracy_drop"] == (pytest.approx(1 / 6), 2)
    assert "mean_shifted_accuracy" not in table and answer.notices == []
    with pytest.raises(NotApplicable, match="there is one class"):
        shift.ask(among(exam([0], [0], "a"), shifted([0], [0], "a")))


def test_the_worst_drop_and_the_mean_with_equal_weights():
    """Source: 4 of 4. One shift has 1 of 2, another 0 of 4: a mean of one quarter, not of one sixth."""
    one, other = shifted([0, 0], [0, 1], name="one"), shifted([1, 0, 3, 2], [0, 1, 2, 3], name="other")
    answer = shift.ask(among(exam([0, 1, 2, 3], [0, 1, 2, 3]), one, other))
    worst = only(answer, "worst_accuracy_drop")
    assert (worst.value, worst.slice["shift"], worst.n) == (1.0, "other", 4)
    assert only(answer, "mean_shifted_accuracy").value == pytest.approx(0.25)
    # The first set has two classes of four, for which the source has two pictures, both right.
    assert only(answer, "mean_accuracy_drop").value == pytest.approx(0.75)


def test_notices_count_shared_classes_and_pictures_left_out():
    """The shifted set has b, c and x; the source a, b and c. Two pictures are of x, one is corrupted."""
    other = shifted(
        [1, 2, 0, 0, 1], [0, 1, 2, 2, 0], "bcx", heard=list("abc"), name="o", columns={"attr.severity": pa.array([0, 0, 0, 0, 2])}
    )
    said = [n.what for n in shift.ask(among(exam([0, 1, 2], [0, 1, 2], "abc"), other)).notices]
    assert said == [
        "both sides are classified among the 2 shared classes, of 3 that test has",
        "2 of 5 pictures left out because test does not have their class",
    ]


@pytest.mark.parametrize(("low", "high", "said"), [(0.4, 0.75, 0), (0.75, 0.8, 0), (0.4, 0.74, 1), (0.76, 0.9, 1)])
def test_the_ends_of_a_line_are_on_it(low, high, said):
    line = replace(find_line("imagenet", "imagenet-v2"), source_range=(low, high), grouped=True)
    inputs = among(exam([0, 1, 2, 0], [0, 1, 2, 3]), shifted([0, 0, 0, 0], [0, 1, 2, 3]))
    (predictor,) = predictors(inputs)
    (outcome,) = shift_outcomes(inputs, shift_pairs(inputs), predictor)
    assert outcome.on_source.value == 0.75
    found = _far_from_line(outcome, line, Finding(metric="effective_robustness", value=0.1, n=4))
    assert len(found) == said


def test_pairs_need_an_original_for_half_of_the_pictures():
    """Of four shifted pictures two, then one, name an original that is there."""
    for named, paired in ((["test-0", "test-1", "gone", "gone"], 2), (["test-0", "gone", "gone", "gone"], 0)):
        other = shifted([0, 0, 2, 3], [0, 1, 2, 3], columns={"attr.source_id": pa.array(named)})
        inputs = among(exam([0, 1, 2, 3], [0, 1, 2, 3]), other)
        (predictor,) = predictors(inputs)
        (outcome,) = shift_outcomes(inputs, shift_pairs(inputs), predictor)
        assert (len(outcome.pairs), outcome.unmatched) == (paired, 2 if paired else 3)
        assert len(outcome.shifted) == (paired or 4)
        if paired:
            assert outcome.pairs == (("test-0", "shifted-0"), ("test-1", "shifted-1"))
            assert outcome.lost == [
                ("test-1", "shifted-1")
            ] and outcome.shifted_units.tolist() == outcome.source_units.tolist() == [0, 1]


def test_where_no_original_is_there_all_pictures_lack_one():
    other = shifted([0, 0, 2, 3], [0, 1, 2, 3], columns={"attr.source_id": pa.array(["gone"] * 4)})
    answer = shift.ask(among(exam([0, 1, 2, 3], [0, 1, 2, 3]), other))
    assert any("4 of 4 pictures have no original" in str(notice) for notice in answer.notices)


@pytest.mark.parametrize(
    ("benchmark", "classes", "known"), [("imagenet-v2", "imagenet-1k", True), ("imagenet-r", "imagenet-r", False)]
)
def test_answers_of_a_file_lie_beside_a_line_over_the_whole_list_only(benchmark, classes, known):
    """Answers among 1,000 classes cannot be restricted to the 200 of ImageNet-R, over which its line was fitted."""
    listed, part = read_classes("imagenet-1k"), read_classes(classes)
    labels = [c.label for c in part][:8]
    said = [PicturePrediction((label,)) for label in (*labels[:6], labels[0], labels[1])]

    def side(of, name, **more):
        truth = [[c.label for c in of].index(label) for label in labels]
        made = answering([0] * 8, truth, of, Settings(), name=name, **more)
        return replace(made, prompts=(), predictions=lambda rows: [said[row] for row in rows])

    source, other = side(listed, "test"), side(part, "shifted", role="shift")
    source = replace(source, dataset=replace(source.dataset, benchmark="imagenet"))
    other = replace(other, dataset=replace(other.dataset, benchmark=benchmark))
    metrics = {f.metric for f in shift.ask(among(source, other)).findings}
    assert "shifted_accuracy" in metrics and ("effective_robustness" in metrics) == known
