"""A classifier by hand, its file, and the promise that it needs NumPy alone."""

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from scipy.special import expit, softmax

import eyechart
from eyechart.classifier import Classifier
from eyechart.classifier.onnx_export import export_onnx
from eyechart.errors import DataError
from eyechart.files.safetensors import read_tensors, write_tensors

RNG = np.random.default_rng(5)


def made(**changes: object) -> Classifier:
    known = {
        "labels": ("n01", "n02", "n03"),
        "names": ("cat", "dog", "bird"),
        "vectors": np.eye(3, 4, dtype=np.float32),
        "logit_scale": 20.0,
        "logit_bias": -3.0,
        "temperature": 2.0,
        "thresholds": np.array([0.5, 0.99999, 0.0]),
        "coverage": 0.9,
        "least": 0.1,
        "about": {"model": "demo:", "findings": [{"metric": "top1", "value": 0.5}]},
    }
    return Classifier(**{**known, **changes})  # type: ignore[arg-type]


def test_answers_are_those_of_the_formula():
    pictures = RNG.normal(size=(50, 4)) * 7
    cosines = (pictures / np.linalg.norm(pictures, axis=1, keepdims=True))[:, :3]
    expected = softmax((20 * cosines - 3) / 2, axis=1)
    answers = made()(pictures)
    np.testing.assert_allclose(answers.probabilities, expected, atol=1e-6)
    best = expected.argmax(axis=1)
    assert answers.labels.tolist() == [("n01", "n02", "n03")[b] for b in best]
    np.testing.assert_array_equal(answers.abstain, expected.max(axis=1) < np.array([0.5, 0.99999, 0.0])[best])
    np.testing.assert_array_equal(answers.sets, expected >= 0.1)
    np.testing.assert_allclose(made(reading="sigmoid")(pictures).probabilities, expit((20 * cosines - 3) / 2), atol=1e-6)


def test_the_best_of_classes_that_are_all_as_good_as_sure_is_the_nearest():
    """As sigmoids, 20 · 0.6 + 60 and 20 · 0.8 + 60 are both 1 in any precision."""
    sure = made(reading="sigmoid", logit_bias=60.0, temperature=1.0)
    assert sure([0.6, 0.8, 0, 0]).labels.tolist() == ["n02"]


def test_one_picture_may_come_alone():
    assert made()([0, 5, 0, 0]).labels.tolist() == ["n02"]


def test_equal_classes_tie_whatever_the_matrix_product_rounds():
    vector = RNG.normal(size=33).astype(np.float32)
    vector /= np.linalg.norm(vector)
    other = np.roll(vector, 1)
    twins = made(vectors=np.stack([other, vector, vector]), thresholds=np.zeros(3))
    p = twins(RNG.normal(size=(400, 33))).probabilities
    np.testing.assert_array_equal(p[:, 1], p[:, 2])


@pytest.mark.parametrize("bad", [np.zeros((1, 4)), np.full((1, 4), np.nan), np.ones((2, 5)), np.ones((1, 1, 4))])
def test_vectors_that_are_none_are_refused(bad):
    with pytest.raises(ValueError, match="image vector"):
        made()(bad)


def test_a_file_gives_the_same_classifier(tmp_path):
    before = made()
    after = eyechart.Classifier.load(before.save(tmp_path / "c.safetensors"))
    pictures = RNG.normal(size=(20, 4))
    np.testing.assert_array_equal(before(pictures).probabilities, after(pictures).probabilities)
    assert after.card == before.card == json.loads((tmp_path / "c.json").read_text(encoding="utf-8"))
    assert after.about["model"] == "demo:"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "eyechart-classifier/9"}, "format"),
        ({"temperature": 0}, "temperature"),
        ({"temperature": None}, "temperature is missing"),
        ({"logit_scale": float("inf")}, "scale"),
        ({"thresholds": [0.1]}, "threshold"),
        ({"thresholds": [0.1, float("nan"), 0.2]}, "threshold"),
        ({"classes": [{"label": "a", "name": "b"}]}, "every label"),
        ({"classes": "abc"}, "classes is .abc.; it must be a list of tables"),
        ({"reading": "tea leaves"}, "reading"),
        ({"prediction_sets": {"coverage": 2, "least_probability": 0.1}}, "coverage"),
    ],
)
def test_a_card_that_makes_no_sense_is_refused(tmp_path, change, reason):
    path = made().save(tmp_path / "c.safetensors")
    arrays, metadata = read_tensors(path)
    card = {**json.loads(metadata["eyechart.classifier"]), **change}
    write_tensors(path, arrays, {"eyechart.classifier": json.dumps(card)})
    with pytest.raises(DataError, match=reason):
        Classifier.load(path)


def test_vectors_that_are_not_of_unit_length_are_refused(tmp_path):
    with pytest.raises(ValueError, match="unit length"):
        replace(made(), vectors=np.full((3, 4), np.inf, np.float32))


def test_a_file_of_something_else_is_refused(tmp_path):
    write_tensors(tmp_path / "w.safetensors", {"weight": np.zeros(3, np.float32)}, {})
    with pytest.raises(DataError, match="not a classifier of Eyechart"):
        Classifier.load(tmp_path / "w.safetensors")


def test_who_loads_the_card_is_told_what_to_load(tmp_path):
    path = made().save(tmp_path / "c.safetensors")
    with pytest.raises(DataError, match=r"c\.json is JSON, like the card of a classifier; load .*c\.safetensors$"):
        Classifier.load(path.with_suffix(".json"))


def test_a_sound_file_that_begins_like_json_is_loaded(tmp_path):
    """The length of the header comes first, and a length of 123, or so many more than a multiple of 256, begins with a brace."""
    path = made().save(tmp_path / "c.safetensors")
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    longer = length + (123 - length) % 256
    path.write_bytes(longer.to_bytes(8, "little") + content[8 : 8 + length].ljust(longer) + content[8 + length :])
    assert path.read_bytes()[:1] == b"{" and Classifier.load(path).labels == made().labels


def test_it_prints_in_a_line():
    """A repaired classifier of eighteen classes has a card of 60 kB."""
    said = repr(made(about={"findings": ["x"] * 10_000}))
    assert len(said) < 200 and "3 classes" in said and "width 4" in said and "temperature" in said


def test_it_loads_where_there_is_nothing_but_numpy(tmp_path):
    """An environment made anew: no site packages, NumPy and our files linked into an empty folder."""
    made().save(tmp_path / "c.safetensors")
    place = tmp_path / "packages"
    place.mkdir()
    numpy = Path(np.__file__).parent
    for folder in (numpy, numpy.with_name("numpy.libs"), Path(eyechart.__file__).parent):
        if folder.exists():
            (place / folder.name).symlink_to(folder)
    code = f"""
import sys
sys.path.append({str(place)!r})
for other in ("scipy", "pyarrow", "PIL", "rich", "onnxruntime", "tokenizers", "safetensors"):
    try:
        __import__(other)
    except ImportError:
        continue
    raise SystemExit(other + " can be imported, so this proves nothing")
import eyechart
answers = eyechart.Classifier.load({str(tmp_path / "c.safetensors")!r})([[0.1, 0.9, 0, 0], [0, 0, 1, 0]])
print(list(answers.labels), answers.probabilities.shape, list(answers.abstain), answers.sets.tolist())
"""
    ran = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, text=True, cwd=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "n02" in ran.stdout and "(2, 3)" in ran.stdout and "[[False, True, False], [False, False, True]]" in ran.stdout


@pytest.mark.parametrize(("reading", "bias"), [("softmax", -3.0), ("sigmoid", -3.0), ("sigmoid", 60.0)])
def test_onnx_says_the_same(tmp_path, reading, bias):
    classifier = made(reading=reading, logit_bias=bias)
    graph = onnxruntime.InferenceSession(export_onnx(classifier, tmp_path / "c.onnx"), providers=["CPUExecutionProvider"])
    pictures = RNG.normal(size=(40, 4)).astype(np.float32)
    names = [output.name for output in graph.get_outputs()]
    found = dict(zip(names, graph.run(None, {"image_vectors": pictures}), strict=True))
    answers = classifier(pictures)
    np.testing.assert_allclose(found["probabilities"], answers.probabilities, atol=1e-5)
    np.testing.assert_array_equal(found["classes"], answers.classes)
    np.testing.assert_array_equal(found["abstain"], answers.abstain)
    np.testing.assert_array_equal(found["sets"], answers.sets)
    assert json.loads(graph.get_modelmeta().custom_metadata_map["eyechart.classifier"]) == classifier.card


def test_without_prediction_sets_onnx_has_none(tmp_path):
    classifier = made(coverage=None, least=None)
    graph = onnxruntime.InferenceSession(export_onnx(classifier, tmp_path / "c.onnx"), providers=["CPUExecutionProvider"])
    assert [o.name for o in graph.get_outputs()] == ["probabilities", "classes", "abstain"]
    assert classifier([1, 0, 0, 0]).sets is None


@pytest.mark.parametrize("reading", ["softmax", "sigmoid"])
def test_probabilities_alone_are_those_of_the_formula(reading):
    pictures = RNG.normal(size=(20, 4)) * 7
    cosines = pictures[:, :3] / np.linalg.norm(pictures, axis=1, keepdims=True)
    z = (20 * cosines - 3) / 2
    expected = softmax(z, axis=1) if reading == "softmax" else expit(z)
    assert made(reading=reading).probabilities(pictures) == pytest.approx(expected, abs=1e-6)


def test_large_logits_do_not_overflow():
    """Cosines 1 and −1 at a scale of 2,000: e^1000 is no number, and e^−2000 is 0."""
    found = made(vectors=np.array([[1, 0], [-1, 0], [0, 1]], np.float32), logit_scale=2000.0).probabilities([[3.0, 0.0]])
    assert found.tolist() == [[1.0, 0.0, 0.0]]


@pytest.mark.parametrize(
    "changes",
    [
        {"temperature": 0.0},
        {"temperature": np.inf},
        {"logit_scale": 0.0},
        {"logit_scale": np.nan},
        {"vectors": np.eye(3, 4, dtype=np.float32) * 1.5},
    ],
)
def test_what_is_no_classifier_is_refused(changes):
    with pytest.raises(ValueError, match=r"positive numbers|unit length"):
        made(**changes)


def test_small_temperatures_and_scales_are_allowed():
    assert made(temperature=0.5, logit_scale=0.5).temperature == 0.5


def test_a_line_names_three_classes_and_says_where_there_are_more():
    assert "(cat, dog, bird)" in repr(made())
    more = made(
        labels=("a", "b", "c", "d"),
        names=("cat", "dog", "bird", "owl"),
        vectors=np.eye(4, dtype=np.float32),
        thresholds=np.zeros(4),
    )
    assert "(cat, dog, bird, …)" in repr(more)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"labels": (), "names": (), "vectors": np.empty((0, 4), np.float32), "thresholds": np.empty(0)}, "every label"),
        ({"names": ("cat", "dog")}, "every label"),
        ({"vectors": np.eye(4, dtype=np.float32)}, "every label"),
        ({"thresholds": np.zeros(2)}, "every label"),
        ({"vectors": np.ones(3, np.float32)}, "unit length"),
        ({"vectors": np.eye(3, 4, dtype=np.float32) * [[1.0], [1.002], [1.0]]}, "unit length"),
        ({"temperature": -1.0}, "positive"),
        ({"logit_scale": -1.0}, "positive"),
        ({"logit_scale": np.inf}, "positive"),
        ({"temperature": np.nan}, "positive"),
        ({"logit_bias": np.nan}, "logit bias or a threshold"),
        ({"thresholds": np.array([0.5, np.nan, 0.0])}, "logit bias or a threshold"),
        ({"thresholds": np.array([np.inf, 0.5, 0.0])}, "logit bias or a threshold"),
        ({"reading": "softplus"}, "neither softmax nor sigmoid"),
        ({"coverage": None}, "go together"),
        ({"least": None}, "go together"),
        ({"coverage": 0.0}, "outside 0 to 1"),
        ({"coverage": 1.0}, "outside 0 to 1"),
        ({"coverage": 1.5}, "outside 0 to 1"),
        ({"least": -0.01}, "outside 0 to 1"),
        ({"least": 1.01}, "outside 0 to 1"),
    ],
)
def test_every_part_is_checked(changes, reason):
    with pytest.raises(ValueError, match=reason):
        made(**changes)


@pytest.mark.parametrize(
    "changes",
    [
        {"least": 0.0},
        {"least": 1.0},
        {"coverage": 0.01},
        {"coverage": 0.99},
        {"coverage": None, "least": None},
        {"vectors": np.eye(3, 4, dtype=np.float32) * np.float32(1.0007)},  # float16 vectors are rounded about so much
        {"labels": ("a",), "names": ("b",), "vectors": np.ones((1, 1), np.float32), "thresholds": np.zeros(1)},
    ],
)
def test_what_lies_just_within_is_allowed(changes):
    assert made(**changes).labels


def test_confidence_is_the_highest_probability():
    answers = made()(RNG.normal(size=(9, 4)))
    assert answers.confidence.tolist() == [max(row) for row in answers.probabilities.tolist()]
    assert answers.confidence.min() > 1 / 3


def test_a_probability_at_the_threshold_is_enough():
    """Two classes of one vector share the probability exactly."""
    twins = {
        "labels": ("a", "b"),
        "names": ("a", "b"),
        "vectors": np.array([[1, 0], [1, 0]], np.float32),
        "coverage": 0.9,
    }
    answers = made(**twins, thresholds=np.array([0.5, 0.9]), least=0.5)([3.0, 1.0])
    assert answers.abstain.tolist() == [False]
    assert answers.sets.tolist() == [[True, True]]
    higher = made(**twins, thresholds=np.array([0.5001, 0.0]), least=0.5001)([3.0, 1.0])
    assert higher.abstain.tolist() == [True]
    assert higher.sets.tolist() == [[False, False]]


@pytest.mark.parametrize("row", [0, 2])
@pytest.mark.parametrize("bad", [0.0, np.nan, np.inf])
def test_one_bad_vector_among_good_ones_is_named(row, bad):
    pictures = np.ones((3, 4))
    pictures[row] = bad
    with pytest.raises(ValueError, match=f"image vector {row} is zero or not finite"):
        made()(pictures)


@pytest.mark.parametrize("shape", [(2, 3), (2, 5), (1, 2, 4)])
def test_vectors_of_another_shape_are_named(shape):
    with pytest.raises(ValueError, match=r"expected \[n, 4\]"):
        made()(np.ones(shape))


def test_a_line_says_whether_there_are_prediction_sets():
    assert "prediction sets of 0.9 coverage" in repr(made())
    assert "no prediction sets" in repr(made(coverage=None, least=None))


def test_a_file_that_is_missing_or_broken_is_not_called_json(tmp_path):
    with pytest.raises(DataError) as missing:
        Classifier.load(tmp_path / "none.safetensors")
    (tmp_path / "broken.safetensors").write_bytes(b"\x05\x00\x00")
    with pytest.raises(DataError) as broken:
        Classifier.load(tmp_path / "broken.safetensors")
    (tmp_path / "late.json").write_text(" " * 64 + "{}")  # a card begins at once
    with pytest.raises(DataError) as late:
        Classifier.load(tmp_path / "late.json")
    for error in (missing, broken, late):
        assert "is JSON" not in str(error.value)
    (tmp_path / "soon.json").write_text(" " * 63 + "{}")
    with pytest.raises(DataError, match="is JSON"):
        Classifier.load(tmp_path / "soon.json")


def test_a_file_with_vectors_but_no_card_or_a_card_but_no_vectors_is_refused(tmp_path):
    path = made().save(tmp_path / "c.safetensors")
    arrays, metadata = read_tensors(path)
    write_tensors(tmp_path / "a.safetensors", arrays, {})
    write_tensors(tmp_path / "b.safetensors", {"weights": arrays["vectors"]}, metadata)
    for name in ("a", "b"):
        with pytest.raises(DataError, match="is not a classifier of Eyechart"):
            Classifier.load(tmp_path / f"{name}.safetensors")


def test_a_card_is_for_people_and_holds_no_nan(tmp_path):
    path = made(names=("Käfer", "dog", "bird")).save(tmp_path / "c.safetensors")
    text = path.with_suffix(".json").read_text(encoding="utf-8")
    assert "Käfer" in text and "Käfer" in read_tensors(path)[1]["eyechart.classifier"]
    assert text.splitlines()[1].startswith(' "') and text.endswith("}\n")
    with pytest.raises(ValueError, match="JSON compliant"):
        made(about={"value": float("nan")}).save(tmp_path / "d.safetensors")


def test_a_classifier_without_prediction_sets_is_loaded_without(tmp_path):
    found = Classifier.load(made(coverage=None, least=None).save(tmp_path / "c.safetensors"))
    assert (found.coverage, found.least, found.card["prediction_sets"]) == (None, None, None)
    with_sets = Classifier.load(made().save(tmp_path / "d.safetensors"))
    assert (with_sets.coverage, with_sets.least) == (0.9, 0.1)
    assert set(with_sets.about) == {"model", "findings"}


def test_onnx_has_the_shapes_and_names_of_the_classifier(tmp_path):
    graph = onnxruntime.InferenceSession(export_onnx(made(), tmp_path / "c.onnx"), providers=["CPUExecutionProvider"])
    assert [(i.name, i.shape) for i in graph.get_inputs()] == [("image_vectors", ["n", 4])]
    assert [(o.name, o.shape) for o in graph.get_outputs()] == [
        ("probabilities", ["n", 3]),
        ("classes", ["n"]),
        ("abstain", ["n"]),
        ("sets", ["n", 3]),
    ]
    assert "Käfer" in export_names(tmp_path)


def export_names(folder):
    path = export_onnx(made(names=("Käfer", "dog", "bird")), folder / "names.onnx")
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.get_modelmeta().custom_metadata_map["eyechart.classifier"]
