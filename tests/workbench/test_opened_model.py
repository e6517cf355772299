"""Runs opened again: nothing is encoded, and what is missing, moved or changed is a sentence."""

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import eyechart
from eyechart.errors import DataError, ModelError
from eyechart.findings.run import read_run
from eyechart.progress import SilentProgress
from eyechart.reopening import dataset_place
from eyechart.store.store import Store
from eyechart.workbench.opened_model import OpenedModel, VectorsMissing


@pytest.fixture
def run_of(tmp_path, shapes, store_path):
    """A run of a copy of the folder, examined with a relative path from another folder."""

    def examine(**options):
        shutil.copytree(shapes, tmp_path / "data" / "shapes")
        here = os.getcwd()  # noqa: PTH109
        os.chdir(tmp_path / "data")
        try:
            eyechart.examine("demo:", "shapes", out="../run", probes=["zero_shot"], prompts="bare", store=store_path,
                             default_ood=False, corruptions=[], **options)  # fmt: skip
        finally:
            os.chdir(here)
        return read_run(tmp_path / "run")

    return examine


def test_a_relative_dataset_is_found_from_another_folder_with_the_same_vectors(run_of, store):
    run = run_of(limit=40)
    pictures = OpenedModel(run, "demo", store=store).pictures("shapes")
    assert len(pictures.dataset) == 40
    assert set(pictures.dataset.ids()) == set(run.predictions.column("id").to_pylist())
    np.testing.assert_allclose(np.linalg.norm(pictures.vectors, axis=1), 1, atol=1e-5)


def test_the_place_of_a_relative_dataset_is_a_plain_path(run_of, tmp_path):
    """It is shown in a list of datasets to examine."""
    run = run_of(limit=4)
    assert dataset_place(run.dataset_facts("shapes"), run.folder) == str(tmp_path.resolve() / "data" / "shapes")


def test_class_names_and_columns_that_were_given_are_used_again(tmp_path, shapes, store, store_path):
    table = tmp_path / "t.csv"
    files = sorted(shapes.glob("c*/*.png"))[:30]
    table.write_text("file,kind\n" + "".join(f"{f},{f.parent.name}\n" for f in files))
    names = {f.parent.name: [f"shape of a {f.parent.name}", f.parent.name] for f in files}
    eyechart.examine("demo:", table, out=tmp_path / "run", probes=["zero_shot"], prompts="bare", store=store_path, classes=names,
                     columns={"path": "file", "label": "kind"}, root="/", default_ood=False, corruptions=[])  # fmt: skip
    opened = OpenedModel(read_run(tmp_path / "run"), "demo", store=store).pictures("t")
    assert [c.names[0] for c in opened.dataset.classes] == [n[0] for n in names.values()]


def test_a_moved_dataset_is_a_sentence_and_can_be_named(run_of, store, tmp_path):
    run = run_of()
    (tmp_path / "data" / "shapes").rename(tmp_path / "elsewhere")
    with pytest.raises(DataError, match=r"shapes cannot be opened again: .*--data 'shapes=PLACE'"):
        OpenedModel(run, "demo", store=store).pictures("shapes")
    found = OpenedModel(run, "demo", store=store, places={"shapes": str(tmp_path / "elsewhere")}).pictures("shapes")
    assert len(found.dataset) == 200


def test_a_changed_picture_is_a_sentence(run_of, store, tmp_path, picture_bytes):
    run = run_of()
    sorted((tmp_path / "data" / "shapes" / "star").iterdir())[0].write_bytes(picture_bytes(7))
    with pytest.raises(DataError, match="not those of the run any more"):
        OpenedModel(run, "demo", store=store).pictures("shapes")


def test_missing_vectors_are_counted_and_can_be_encoded(run_of, tmp_path):
    run, empty = run_of(limit=36), Store(tmp_path / "empty")
    opened = OpenedModel(run, "demo", store=empty)
    with pytest.raises(VectorsMissing, match="36 pictures of 36 have no vector") as missing:
        opened.pictures("shapes")
    assert (missing.value.missing, missing.value.total) == (36, 36)
    opened.encode("shapes", SilentProgress())
    assert len(opened.pictures("shapes").dataset) == 36


def test_another_model_of_the_same_name_is_refused(exams, store):
    run = read_run(exams / "people")
    run.protocol["models"]["demo"]["fingerprint"] = "0" * 64
    with pytest.raises(ModelError, match="not the model of this run any more"):
        _ = OpenedModel(run, "demo", store=store).model


def test_typed_texts_are_not_stored(people, store):
    shelf = store.shelf(people.opened.model.fingerprint, "text")
    from eyechart.encode.keys import text_key

    people.opened.text_vectors(["half a wor"])
    assert shelf.missing([text_key("half a wor")]).all()


def test_datasets_that_the_examination_made_are_made_again(shape_desk):
    opened = shape_desk.opened
    made = [name for name in opened.run.datasets if opened.run.dataset_facts(name).get("made")]
    assert {opened.run.dataset_facts(name)["role"] for name in made} == {"shift", "ood"}
    for name in made:
        assert len(opened.pictures(name).dataset) == opened.run.dataset_facts(name)["n"]


@pytest.fixture
def model_folder(tmp_path):
    """The embedded model as a folder of its own."""
    from eyechart import world

    shutil.copytree(Path(world.__file__).parent / "default_model", tmp_path / "data" / "clip")
    return tmp_path / "data" / "clip"


def test_a_model_with_a_relative_path_is_found_from_another_folder(tmp_path, model_folder, store, store_path, monkeypatch):
    monkeypatch.chdir(model_folder.parent)
    eyechart.examine("onnx:clip", "world-objects", limit=18, out="../run", probes=["zero_shot"], prompts="bare", store=store_path,
                     default_ood=False, corruptions=[])  # fmt: skip
    monkeypatch.chdir(tmp_path)
    (tmp_path / "clip").mkdir()  # another folder of that name in the way
    run = read_run(tmp_path / "run")
    opened = OpenedModel(run, run.models[0], store=store)
    assert opened.run.model_facts(opened.name)["spec"] == "onnx:clip"
    assert len(opened.pictures("world-objects").dataset) == 18
    model_folder.rename(tmp_path / "moved")
    with pytest.raises(ModelError, match=r"onnx:clip cannot be opened again: clip: there is no model\.json"):
        _ = OpenedModel(run, opened.name, store=store).model
