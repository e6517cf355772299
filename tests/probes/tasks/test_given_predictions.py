"""Predictions from a file: hand-worked answers in all probes that take them, and published figures of people and networks."""

import csv
import json
import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.probes.answering import among, answering, class_list, only

import eyechart
from eyechart.data.class_file import read_classes
from eyechart.models.encoder import PicturePrediction
from eyechart.probes.contract import NotApplicable
from eyechart.probes.registry import get_probe, probe_names
from eyechart.probes.tasks.given_predictions import NO_CLASS, given_predictions
from eyechart.probes.tasks.predictors import predictors

CLASSES = class_list(["cat", "dog", "cow"])
TRUTH = ["cat", "cat", "dog", "dog", "cow", "cow"]
ANSWERS = ["cat", "Dog", "dog", "na", "horse", "cow"]  # right, wrong, right, none, outside the list, right


def inputs(answers, truth=None, classes=CLASSES, settings=None, **change):
    """The inputs of a probe whose model is a file with these answers: no vectors, no prompts."""
    places = [classes_index(classes, t) for t in truth] if truth else [-1] * len(answers)
    given = [a if isinstance(a, PicturePrediction) else PicturePrediction((a,)) for a in answers]
    made = answering([0] * len(answers), places, classes, settings, **change)
    empty = np.empty((len(answers), 0), np.float32)
    return replace(made, images=empty, prompts=(), predictions=lambda rows: [given[row] for row in rows])


def classes_index(classes, label):
    return [c.label for c in classes].index(label)


def test_answers_are_labels_or_names_in_any_case_and_anything_else_is_no_class():
    given = given_predictions(inputs(ANSWERS), CLASSES)
    assert given.predicted.tolist() == [0, 1, 1, -1, -1, 2]
    assert given.unanswered.tolist() == [False, False, False, True, False, False]
    assert dict(given.outside) == {"horse": 1}


def test_a_class_that_is_called_none_is_a_class():
    classes = class_list(["scratch", "none"])
    assert given_predictions(inputs(["none", "scratch"], classes=classes), classes).predicted.tolist() == [1, 0]


def test_numbers_are_numbers_only_where_the_file_says_so():
    numbers = [PicturePrediction((n,), None, True) for n in ("2", "0", "3")]
    assert given_predictions(inputs(numbers), CLASSES).predicted.tolist() == [2, 0, -1]
    with pytest.raises(NotApplicable, match="answers=index"):
        given_predictions(inputs(["2", "0", "3"]), CLASSES)


def test_the_rank_is_the_place_in_the_list_or_the_lowest_possible():
    given = given_predictions(
        inputs([PicturePrediction(("cat", "dog"), (0.6, 0.3)), PicturePrediction(("dog", "cat"), (0.5, 0.5))]), CLASSES
    )
    top = given.top(np.array([1, 2]), 3)
    assert top.rank.tolist() == [1, 2]
    assert top.probabilities[:, 0].tolist() == pytest.approx([0.6, 0.5])
    assert top.margin.tolist() == pytest.approx([0.3, 0.0])
    assert top.tied.tolist() == [False, True]


def test_scores_above_1_are_no_probabilities():
    given = given_predictions(inputs([PicturePrediction(("cat", "dog"), (7.0, 3.0))]), CLASSES)
    assert given.top(np.array([0]), 3).probabilities is None


@pytest.mark.parametrize(
    ("scores", "probable"),
    [((1.0, 0.0), True), ((0.0, 0.0), True), ((0.7, -0.1), False), ((0.6, 0.4005), True), ((0.6, 0.41), False)],
)
def test_probabilities_are_from_0_up_and_at_most_1_together(scores, probable):
    """But for rounding, of a thousandth."""
    top = given_predictions(inputs([PicturePrediction(("cat", "dog"), scores)]), CLASSES).top(np.array([0]), 3)
    assert (top.probabilities is not None) is probable
    if probable:
        assert top.probabilities[0].tolist() == pytest.approx(scores)


def test_zero_shot_counts_missing_and_other_answers_as_errors():
    probe = get_probe("zero_shot")
    answer = probe.ask(inputs(ANSWERS, TRUTH, settings=probe.settings))
    assert only(answer, "top1").value == pytest.approx(3 / 6)
    assert only(answer, "top1").slice == {"answers": "predictions"}
    assert only(answer, "chance").value == pytest.approx(1 / 3)
    assert only(answer, "class_accuracy", **{"class": "cow"}).value == pytest.approx(1 / 2)
    assert only(answer, "confusion", **{"class": "cow", "predicted": NO_CLASS}).value == pytest.approx(1 / 2)
    assert not [f for f in answer.findings if f.metric in ("top5", "ties")]
    said = " ".join(n.what for n in answer.notices)
    assert "1 picture of 6 without an answer" in said and "horse (1)" in said
    (shown,) = [e for e in answer.exhibits if e.name.startswith("neighbors")]
    looked_at = shown.table.to_pylist()
    assert [row["true"] != row["predicted"] for row in looked_at] == [True] * 3 + [False] * 3
    assert NO_CLASS in {row["predicted"] for row in looked_at} and not any(row["ids"] for row in looked_at)


def test_zero_shot_has_no_row_for_other_answers_where_there_are_none():
    probe = get_probe("zero_shot")
    answer = probe.ask(inputs(["cat", "dog", "dog", "cow"], ["cat", "cat", "dog", "cow"], settings=probe.settings))
    (matrix,) = [e for e in answer.exhibits if e.name.startswith("confusion-matrix")]
    assert NO_CLASS not in matrix.table.column("predicted").to_pylist()


def test_probes_that_need_more_than_answers_are_skipped_with_a_sentence(tmp_path):
    (tmp_path / "p.csv").write_text("id,label\n" + "".join(f"{i}.png,{a}\n" for i, a in enumerate(ANSWERS)))
    (tmp_path / "d.csv").write_text("path,label\n" + "".join(f"{i}.png,{t}\n" for i, t in enumerate(TRUTH)))
    exam = eyechart.examine(
        f"predictions:{tmp_path / 'p.csv'}", tmp_path / "d.csv", profile="all", out=tmp_path / "out", store=tmp_path / "store"
    )
    asked = set(exam.findings.column("probe").to_pylist())
    reasons = {s["probe"]: s["reason"] for s in exam.skips.to_pylist()}
    assert {"zero_shot", "worst"} <= asked
    for name in probe_names():
        probe = get_probe(name)
        needs = {"images", "texts", "pictures", "logit_scale", "patches", "attention", "answers"} & set(probe.needs)
        if needs and not probe.from_predictions:
            assert reasons[name] == "it is a file of predictions, and the probe needs more than answers"


@pytest.mark.refdata
@pytest.mark.parametrize(
    ("who", "by_shape", "by_texture"),
    [
        ("alexnet_session_1", 283, 376),
        ("vgg_session_1", 130, 625),
        ("resnet50_session-1", 162, 572),
        ("resnet50_train_60_epochs_session-1", 586, 141),
        ("subject-0*_session_1", 4486, 223),
    ],
)
def test_raw_trials_give_the_published_shape_bias(refdata, tmp_path, who, by_shape, by_texture):
    """Networks as published (Geirhos et al., 2019). The five people of the published files, counted by hand with csv alone; their
    answers include "na". Over all ten people of the paper the bias is 95.9%."""
    shapes = textures = 0
    for number, path in enumerate(sorted((refdata / "texture-vs-shape").glob(f"*experiment_{who}.csv"))):
        pictures = table_of_trials(path, tmp_path / f"{number}.csv")
        options = {"shape_bias": {"least": 1}}
        exam = eyechart.examine(
            f"predictions:{path},after=_", pictures, probes=["shape_bias"], settings=options, out=tmp_path / f"out{number}",
            store=tmp_path / "store",
        )  # fmt: skip
        rows = {
            r["metric"]: r for r in exam.findings.to_pylist() if r["metric"] in ("shape_share", "texture_share", "shape_bias")
        }
        assert rows["shape_share"]["n"] == 1200
        shapes += round(rows["shape_share"]["value"] * 1200)
        textures += round(rows["texture_share"]["value"] * 1200)
        assert rows["shape_bias"]["value"] == pytest.approx(
            rows["shape_share"]["value"] / (rows["shape_share"]["value"] + rows["texture_share"]["value"])
        )
    assert (shapes, textures) == (by_shape, by_texture)


def table_of_trials(path, out):
    """The pictures of a file of trials, with shape and texture; the files themselves need not exist."""
    with path.open(newline="") as file, out.open("w", newline="") as to:
        writer = csv.writer(to)
        writer.writerow(["path", "label", "shape", "texture", "shape_source", "texture_source"])
        for row in csv.DictReader(file):
            name = row["imagename"].rpartition("_")[2]
            shape, n, texture, m = re.fullmatch(r"(\D+)(\d+)-(\D+)(\d+)\.png", name).groups()
            writer.writerow([name, shape, shape, texture, shape + n, texture + m])
    return out


@pytest.mark.refdata
@pytest.mark.assets
@pytest.mark.parametrize("model", ["ResNet50", "ViT"])
def test_prediction_files_of_imagenet_x_give_the_published_accuracies(assets, refdata, tmp_path, model):
    """Over 46,110 annotated pictures of top factors, read from the raw CSV file of class numbers."""
    annotations = assets / "imagenet-x" / "imagenet_x" / "annotations"
    if not annotations.is_dir():
        pytest.skip(f"{annotations} does not exist: run `make test-assets`")
    with (annotations / "prototypical_paths.csv").open(newline="") as file:
        prototypes = {cell.rpartition("/")[2] for row in csv.reader(file) for cell in row}
    lines = (annotations / "imagenet_x_val_top_factor.jsonl").read_text().splitlines()
    rows = [row for row in map(json.loads, lines) if row["file_name"].rpartition("/")[2] not in prototypes]
    names = [n for n in rows[0] if n not in ("file_name", "class", "metaclass", "one_word", "justification")]
    names = [n for n in names if {r[n] for r in rows[:200]} <= {0, 1}]
    wnids = [c.label for c in read_classes("imagenet-1k")]
    table = pa.table(
        {"path": [r["file_name"].rpartition("/")[2] for r in rows], "label": [wnids[r["class"]] for r in rows]}
        | {f"factor.{n}": [bool(r[n]) for r in rows] for n in names}
    )
    pq.write_table(table, tmp_path / "x.parquet")
    exam = eyechart.examine(
        f"predictions:{refdata / 'imagenet-x' / f'{model}.csv'},answers=index", tmp_path / "x.parquet", classes="imagenet-1k",
        probes=["factors", "zero_shot"], settings={"factors": {"permutations": 1, "conjunctions": 0}}, out=tmp_path / "out",
        store=tmp_path / "store",
    )  # fmt: skip
    found = {(r["metric"], json.loads(r["slice"]).get("factor")): r for r in exam.findings.to_pylist()}
    with (refdata / "imagenet-x" / "top_factor_class_base_accuracies.csv").open(newline="") as file:
        (published,) = [row for row in csv.DictReader(file) if row["model"] == model]
    top1 = found["top1", None]
    assert (top1["n"], top1["value"]) == (46_110, pytest.approx(float(published["average"]), abs=1e-9))
    for name in (
        "pose",
        "background",
        "pattern",
        "color",
        "smaller",
        "shape",
        "partial_view",
        "subcategory",
        "texture",
        "larger",
    ):
        assert found["factor_accuracy", name]["value"] == pytest.approx(float(published[name]), abs=1e-9)


def test_no_answer_is_right_for_no_class_under_shift_and_corruption():
    """Pictures of the last class without an answer: -1 must not be read as the last class."""
    both = ["cat", "dog", "cow", "cow"]
    for name, columns in (("shift", None), ("corruption", {"attr.shift": ["fog"] * 4, "attr.severity": [1] * 4})):
        probe = get_probe(name)
        clean = inputs(["cat", "dog", "na", "cow"], both, settings=probe.settings)
        other = inputs(["cat", "na", "na", "na"], both, settings=probe.settings, name="other", role="shift", columns=columns)
        answer = probe.ask(among(clean, other))
        before, after = {"shift": ("source_accuracy", "shifted_accuracy")}.get(
            name, ("clean_accuracy", "mean_corrupted_accuracy")
        )
        assert only(answer, before).value == pytest.approx(3 / 4)
        assert only(answer, after).value == pytest.approx(1 / 4)
        assert only(answer, before).slice["answers"] == "predictions"


def test_as_many_answers_are_listed_as_every_picture_has():
    """A picture without an answer does not count."""
    answers = [PicturePrediction(("a", "b", "c")), PicturePrediction(("b", "a")), PicturePrediction(())]
    made = inputs(answers, ["a", "b", "c"], class_list(["a", "b", "c"]))
    found = given_predictions(made, made.dataset.classes)
    assert found.listed == 2 and found.predicted.tolist()[:2] == [0, 1]


def test_ties_and_margins_need_a_second_answer():
    classes = class_list(["a", "b", "c"])
    for listed, margin, tied in ((("a", "b"), 0.5, False), (("a",), None, False)):
        scores = (0.7, 0.2)[: len(listed)]
        made = inputs([PicturePrediction(listed, scores)], ["a"], classes)
        top = given_predictions(made, classes).top(np.array([0]), 3)
        assert top.tied.tolist() == [tied] and (
            np.isnan(top.margin[0]) if margin is None else top.margin[0] == pytest.approx(margin)
        )
    made = inputs([PicturePrediction(("a", "b"), (0.5, 0.5))], ["a"], classes)
    top = given_predictions(made, classes).top(np.array([0]), 3)
    assert top.tied.tolist() == [True] and top.margin.tolist() == [0.0] and top.mcm.tolist() == [0.5]


def test_a_companion_of_which_no_answer_is_a_class_is_all_wrong():
    classes = class_list(["a", "b"])
    exam, other = inputs(["a", "b"], ["a", "b"], classes), inputs(["zebra"], ["a"], classes, name="o")
    (predictor,) = predictors(exam)
    assert predictor.predict(other, np.array([0]), np.arange(2)).tolist() == [-1]
