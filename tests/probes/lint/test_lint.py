"""Planted mistakes of every kind are named, and a clean set stays quiet: on pictures of the world, by the demo model."""

import shutil
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image
from tests.probes.answering import only
from tests.probes.vectors import given_by_vectors

import eyechart
from eyechart.probes.lint import Settings, _errors, lint
from eyechart.probes.testing import NoPictures
from eyechart.world.datasets.open import open_world


@pytest.fixture(scope="module")
def shapes(tmp_path_factory):
    """Twelve pictures each of six shapes, in folders."""
    folder = tmp_path_factory.mktemp("lint") / "shapes"
    dataset = open_world("world-objects", n=216)
    labels, kept = dataset.table["label"].to_pylist(), {}
    for row, label in enumerate(labels):
        kept.setdefault(label, []).append(row)
    for label in sorted(kept)[:6]:
        (folder / label).mkdir(parents=True)
        for row in kept[label][:12]:
            (folder / label / f"{row}.png").write_bytes(dataset.pictures.read(row))
    return folder


@pytest.fixture
def copy(shapes, tmp_path):
    shutil.copytree(shapes, tmp_path / "shapes")
    return tmp_path / "shapes"


def linted(folder, tmp_path, store, **more):
    exam = eyechart.examine("demo:", folder, probes=["lint"], prompts="single", out=tmp_path / "out", store=store, **more)
    values = {row["metric"]: row["value"] for row in exam.findings.to_pylist() if row["probe"] == "lint"}
    return values, " | ".join(str(notice) for notice in exam.notices), exam


def test_a_clean_set_is_left_alone(copy, tmp_path, store):
    values, said, _ = linted(copy, tmp_path, store)
    assert set(values.values()) == {0.0} and said == ""


def test_swapped_labels_are_one_mistake(copy, tmp_path, store):
    first, second = sorted(copy.iterdir())[:2]
    first.rename(copy / "aside")
    second.rename(first)
    (copy / "aside").rename(second)
    values, said, _ = linted(copy, tmp_path, store)
    assert f"1 pair of labels looks swapped: {first.name} and {second.name}" in said
    assert (values["permuted_labels"], values["suspected_label_errors"]) == (2, 0)


def test_labels_that_are_off_by_one_are_told(copy, tmp_path, store):
    folders = sorted(copy.iterdir())
    for folder in folders:
        folder.rename(copy / f"aside-{folder.name}")
    for place, folder in enumerate(folders):
        (copy / f"aside-{folder.name}").rename(folders[(place + 1) % len(folders)])
    values, said, _ = linted(copy, tmp_path, store)
    assert "labels look shifted by 1 class" in said and values["permuted_labels"] == 6


def test_a_wrong_label_is_suspected_and_shown(copy, tmp_path, store):
    first, second = sorted(copy.iterdir())[:2]
    moved = sorted(first.iterdir())[0]
    moved.rename(second / moved.name)
    _, said, exam = linted(copy, tmp_path, store)
    assert f"1 suspected label error: {second.name}/{moved.name}" in said
    (shown,) = [e.exhibit for e in exam.run.exhibits if e.exhibit.name == "suspected-label-errors"]
    (row,) = shown.table.to_pylist()
    assert (row["class"], row["predicted as"]) == (second.name, first.name) and row["nearer by"] > 0


def test_copies_with_two_labels_and_leaks_are_found(copy, tmp_path, store):
    first, second = sorted(copy.iterdir())[:2]
    original = sorted(first.iterdir())[0]
    with Image.open(original) as picture:
        picture.convert("RGB").resize((96, 96)).save(second / "again.jpg", quality=85)
    other = tmp_path / "unknown"
    other.mkdir()
    with Image.open(sorted(second.iterdir())[0]) as picture:
        picture.convert("RGB").save(other / "leaked.jpg", quality=85)
    values, said, _ = linted(copy, tmp_path, store, ood=[other])
    assert "1 pair of near-duplicate pictures with different labels" in said
    assert "also in unknown (near-duplicates)" in said and values["leaked_pictures"] > 0


def test_names_are_checked_whatever_the_model(copy, tmp_path, store):
    first = sorted(copy.iterdir())[0]
    first.rename(copy / "annualCrop")
    values, said, _ = linted(copy, tmp_path, store)
    assert values["name_issues"] == 1 and "“annualCrop” is not split into words" in said


def test_a_name_that_the_model_does_not_know_is_told(copy, tmp_path, store):
    names = {folder.name: folder.name for folder in copy.iterdir()}
    first = sorted(names)[0]
    names[first] = "xylophone quintet"
    values, said, _ = linted(copy, tmp_path, store, classes=names)
    assert values["unknown_names"] == 1 and "that the model does not seem to know" in said


def test_two_names_for_the_same_pictures_are_told(copy, tmp_path, store):
    first = sorted(copy.iterdir())[0]
    (copy / "thing").mkdir()
    dataset = open_world("world-objects", n=648)
    rows = [row for row, label in enumerate(dataset.table["label"].to_pylist()) if label == first.name][12:30]
    for row in rows:
        (copy / "thing" / f"{row}.png").write_bytes(dataset.pictures.read(row))
    values, said, _ = linted(copy, tmp_path, store)
    assert values["one_class_two_names"] >= 1 and f"{first.name} = thing" in said


def test_a_model_whose_vectors_do_not_separate_the_classes_checks_no_labels():
    rng = np.random.default_rng(0)
    inputs = given_by_vectors(rng.normal(size=(200, 8)), np.eye(8)[:4], rng.integers(0, 4, 200), Settings())
    answer = lint.ask(replace(inputs, dataset=replace(inputs.dataset, pictures=NoPictures(200))))
    assert [f.metric for f in answer.findings] == ["name_issues"]
    assert "labels were not checked: the vectors of test do not separate the classes" in answer.notices[-1].what
    assert only(answer, "name_issues").n == 4


@pytest.mark.parametrize(
    ("classes", "twins", "checked"), [(3, 1, True), (5, 1, True), (5, 2, False), (7, 2, False), (8, 2, True), (9, 2, True)]
)
def test_a_few_classes_with_two_names_do_not_speak_against_the_model(classes, twins, checked):
    """One pair of classes, or a quarter as many as there are classes, may show the same pictures. Each picture of a pair is
    nearest to its copy, in the other class; those of other classes are alone on their axis."""
    rng = np.random.default_rng(0)
    axis = np.concatenate([np.repeat(np.arange(twins), 2), np.arange(twins, classes - twins)])
    drawn = np.eye(12)[:, None] + 0.05 * rng.normal(size=(12, 20, 12))  # 20 pictures on each axis
    vectors, truth = np.concatenate(drawn[axis]), np.repeat(np.arange(classes), 20)
    inputs = given_by_vectors(vectors, np.eye(12)[:classes], truth, Settings())
    answer = lint.ask(replace(inputs, dataset=replace(inputs.dataset, pictures=NoPictures(len(truth)))))
    assert ("suspected_label_errors" in {f.metric for f in answer.findings}) == checked
    assert any("labels were not checked" in notice.what for notice in answer.notices) != checked


def test_three_suspected_errors_are_named():
    (notice,) = _errors("pets", [f"{i}.jpg" for i in range(9)], np.array([1, 4, 6, 8]))
    assert notice.what == "4 suspected label errors: 1.jpg; 4.jpg; 6.jpg; …"
