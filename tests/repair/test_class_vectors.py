"""Class vectors from files: the order of classes, names, classes of one name, and a whole repair without a text encoder."""

import json

import numpy as np
import pytest

from eyechart.classifier import Classifier
from eyechart.cli.main import main
from eyechart.data.classes import ClassList, PictureClass
from eyechart.errors import DataError, UsageError
from eyechart.repair.class_vectors import class_vectors, read_vectors
from eyechart.repair.run import repair_classifier
from eyechart.store import Store

CLASSES = ClassList("birds", (PictureClass("n1", "crane"), PictureClass("n2", "crane"), PictureClass("n3", "heron")))
ROWS = np.array([[1.0, 0, 0], [0, 2.0, 0], [0, 0, 3.0]])


def saved(path, **arrays):
    np.savez(path, **arrays)
    return path


def test_rows_are_classes_in_their_order_and_of_unit_length(tmp_path):
    np.save(tmp_path / "v.npy", ROWS)
    found = class_vectors({"photo": tmp_path / "v.npy"}, CLASSES)
    (prompts,) = found.prompts
    texts = [prompts.fill(c.name)[0] for c in found.classes]
    np.testing.assert_allclose(found(texts), np.eye(3))


def test_classes_of_one_name_keep_their_own_vectors(tmp_path):
    np.save(tmp_path / "v.npy", ROWS)
    found = class_vectors({"photo": tmp_path / "v.npy"}, CLASSES)
    assert [c.name for c in found.classes] == ["crane (n1)", "crane (n2)", "heron"]
    assert [c.label for c in found.classes] == ["n1", "n2", "n3"]


def test_classes_of_one_name_must_differ_in_some_file(tmp_path):
    np.save(tmp_path / "same.npy", ROWS[[0, 0, 2]] * [[1], [4], [1]])  # the same direction is the same vector
    np.save(tmp_path / "other.npy", ROWS)
    with pytest.raises(DataError, match=r"'n1' and 'n2' are both named 'crane' and have the same vectors"):
        class_vectors({"photo": tmp_path / "same.npy"}, CLASSES)
    class_vectors({"photo": tmp_path / "same.npy", "toy": tmp_path / "other.npy"}, CLASSES)
    np.save(tmp_path / "heron.npy", ROWS[[0, 1, 1]])
    class_vectors({"photo": tmp_path / "heron.npy"}, CLASSES)  # names tell n2 and n3 apart


def test_with_names_the_order_of_rows_does_not_matter(tmp_path):
    file = saved(tmp_path / "v.npz", emb=ROWS[[2, 0, 1, 1]], names=np.array(["heron", "n1", "n2", "stork"]))
    found = class_vectors({"photo": file}, CLASSES)
    np.testing.assert_allclose(found([found.prompts[0].fill(c.name)[0] for c in found.classes]), np.eye(3))


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"emb": ROWS[:2]}, "it has 2 vectors, and there are 3 classes"),
        ({"emb": ROWS, "names": np.array(["crane", "crane", "heron"])}, "'crane' names rows 0 and 1"),
        ({"emb": ROWS, "names": np.array(["n1", "n2", "egret"])}, "no row is called 'n3' or 'heron'"),
        ({"emb": ROWS, "other": ROWS}, "give one .* array"),
        ({"names": np.array(["n1", "n2", "n3"])}, "give one .* array"),
        ({"emb": ROWS, "a": np.array(["n1", "n2", "n3"]), "b": np.array(["n1", "n2", "n3"])}, "at most one list of names"),
        ({"emb": ROWS, "names": np.array(["n1", "n2"])}, "it has 2 names and 3 vectors"),
        ({"emb": np.where(ROWS > 2, np.nan, ROWS)}, "row 2: its vector is zero, or holds NaN"),
        ({"emb": ROWS.astype(int)}, "floating-point numbers"),
    ],
)
def test_a_file_that_cannot_be_used_is_named(tmp_path, arrays, message):
    with pytest.raises(DataError, match=message):
        class_vectors({"photo": saved(tmp_path / "v.npz", **arrays)}, CLASSES)


def test_pickles_other_endings_and_missing_files_are_refused(tmp_path):
    np.save(tmp_path / "p.npy", np.array([{"a": 1}], dtype=object), allow_pickle=True)
    with pytest.raises(DataError, match="not readable as npy"):
        read_vectors(tmp_path / "p.npy", "classes")
    with pytest.raises(UsageError, match="there is no such file"):
        read_vectors(tmp_path / "nothing.npy", "classes")
    (tmp_path / "v.txt").write_text("1 2 3")
    with pytest.raises(UsageError, match=r"the ending '.txt' is unknown"):
        read_vectors(tmp_path / "v.txt", "classes")


@pytest.fixture
def vectors(tmp_path, monkeypatch):
    """200 pictures of four classes, two of one name. The file "bad" swaps the first two classes, "good" has them right."""
    monkeypatch.chdir(tmp_path)
    rng, truth = np.random.default_rng(0), np.arange(200) % 4
    images = np.eye(8)[truth] + 0.15 * rng.normal(size=(200, 8))
    np.savez("pictures.npz", image_ids=[f"{i}.png" for i in range(200)], image_vectors=images, logit_scale=20.0)
    labels = ["n0", "n1", "n2", "n3"]
    (tmp_path / "d.csv").write_text("path,label\n" + "".join(f"{i}.png,{labels[t]}\n" for i, t in enumerate(truth)))
    (tmp_path / "classes.json").write_text(json.dumps({"n0": "crane", "n1": "crane", "n2": "heron", "n3": "stork"}))
    np.save("good.npy", np.eye(8)[:4])
    np.save("bad.npy", np.eye(8)[[1, 0, 2, 3]])
    return [
        "repair",
        "--model",
        "vectors:pictures.npz",
        "--data",
        "d.csv",
        "--classes",
        "classes.json",
        "--store",
        "store",
        "--quiet",
    ]


def test_a_repair_needs_no_text_encoder(vectors, capsys):
    asked = [*vectors, "--class-vectors", "bad=bad.npy", "--class-vectors", "good=good.npy", "--out", "r.safetensors", "--json"]
    assert main(asked) == 0
    found = json.loads(capsys.readouterr().out)["findings"]
    top1 = {f["slice"].get("classifier"): f["value"] for f in found if f["metric"] == "top1"}
    assert top1["before"] == pytest.approx(0.5, abs=0.1) and top1["after"] > 0.95
    made = Classifier.load("r.safetensors")
    assert made.labels == ("n0", "n1", "n2", "n3") and made.names[:2] == ("crane (n0)", "crane (n1)")
    np.testing.assert_allclose(made.vectors, np.eye(8)[:4], atol=1e-6)


def test_other_texts_are_refused_and_so_are_other_widths(vectors, capsys):
    asked = [*vectors, "--class-vectors", "good=good.npy", "--out", "r.safetensors"]
    assert main([*asked, "--prompts", "single"]) == 2
    assert "leave out --prompts" in capsys.readouterr().err
    np.save("wide.npy", np.eye(9)[:4])
    assert main([*vectors, "--class-vectors", "good=wide.npy", "--out", "r.safetensors"]) != 0
    assert "9 numbers, and those of the pictures 8" in capsys.readouterr().err
    assert main([*vectors, "--class-vectors", "good", "--out", "r.safetensors"]) == 2
    assert "expected NAME=FILE" in capsys.readouterr().err


def test_precomputed_vectors_are_repaired_with_bare_names(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    rng, truth = np.random.default_rng(0), np.arange(200) % 4
    names, images = ["cat", "dog", "cow", "pig"], np.eye(8)[np.arange(200) % 4] + 0.1 * rng.normal(size=(200, 8))
    np.savez("v.npz", image_ids=[f"{i}.png" for i in range(200)], image_vectors=images, texts=names, text_vectors=np.eye(8)[:4])
    (tmp_path / "d.csv").write_text("path,label\n" + "".join(f"{i}.png,{names[t]}\n" for i, t in enumerate(truth)))
    assert (
        main(["repair", "--model", "vectors:v.npz", "--data", "d.csv", "--store", "s", "--quiet", "--out", "r.safetensors"]) == 0
    )
    assert Classifier.load("r.safetensors").about["protocol"]["before"]["prompts"] == "bare"


def test_numbers_are_no_names(tmp_path):
    assert read_vectors(saved(tmp_path / "v.npz", emb=ROWS, means=np.zeros(3)), "classes").names is None


@pytest.mark.parametrize(("given", "bias"), [({}, 0.0), ({"logit_bias": -3.0}, -3.0)])
def test_vectors_with_texts_are_asked_by_bare_names_and_keep_their_bias(tmp_path, monkeypatch, given, bias):
    """Without --prompts, a file of vectors is looked up by the class names as they are."""
    monkeypatch.chdir(tmp_path)
    truth = np.arange(80) % 2
    images = np.eye(4)[truth] + 0.2 * np.random.default_rng(0).normal(size=(80, 4))
    texts = {"texts": np.array(["crane", "heron"]), "text_vectors": np.eye(4)[:2]}
    np.savez("all.npz", image_ids=[f"{i}.png" for i in range(80)], image_vectors=images, logit_scale=20.0, **texts, **given)
    rows = "".join(f"{i}.png,{('crane', 'heron')[t]}\n" for i, t in enumerate(truth))
    (tmp_path / "d.csv").write_text("path,label\n" + rows)
    assert (
        main(["repair", "--model", "vectors:all.npz", "--data", "d.csv", "--store", "s", "--quiet", "--out", "r.safetensors"])
        == 0
    )
    made = Classifier.load("r.safetensors")
    np.testing.assert_allclose(made.vectors, np.eye(4)[:2], atol=1e-6)
    assert made.logit_bias == bias and made.logit_scale == 20.0


@pytest.mark.parametrize("given", [False, True])
def test_python_needs_no_store_and_takes_other_names_of_columns(vectors, tmp_path, monkeypatch, given):
    monkeypatch.setenv("EYECHART_STORE", str(tmp_path / "usual"))
    text = (tmp_path / "d.csv").read_text().replace("path,label", "path,kind")
    (tmp_path / "d.csv").write_text(text)
    done = repair_classifier(
        "vectors:pictures.npz", "d.csv", out="r.safetensors", classes="classes.json", class_vectors={"good": "good.npy"},
        columns={"label": "kind"}, store=Store(tmp_path / "own") if given else None,
    )  # fmt: skip
    assert [f.n for f in done.repaired.findings if f.metric == "top1"] == [100, 100]
    assert (tmp_path / "usual").exists() is not given
