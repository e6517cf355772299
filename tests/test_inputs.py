"""What an examination is given: models, datasets and names, in files and from Python, good and bad."""

import numpy as np
import pytest
from tests.witness import rows

import eyechart
from eyechart.errors import DataError, UsageError
from eyechart.exam import run
from eyechart.inputs import open_datasets
from eyechart.plan import DataPlan, ModelPlan, Plan


def save_vectors(photos, path):
    """A vector for every picture file, each along an axis of its own; the three classes lie on the first three."""
    ids = [f"{p.parent.name}/{p.name}" for p in sorted(photos.rglob("*.png"))]
    axes = np.eye(len(ids), dtype=np.float32)
    names = np.array(["arrow", "cone", "star"])
    np.savez(path, image_ids=np.array(ids), image_vectors=axes, texts=names, text_vectors=axes[:3])


def test_precomputed_vectors_need_no_pictures(store, tmp_path):
    """Hand-made: two pictures point at their class, the third at the other one."""
    (tmp_path / "labels.csv").write_text("path,label\n1.png,cat\n2.png,dog\n3.png,dog\n")
    np.savez(
        tmp_path / "vectors.npz",
        image_ids=np.array(["1.png", "2.png", "3.png"]),
        image_vectors=np.array([[1, 0], [0, 1], [1, 0.1]], np.float32),
        texts=np.array(["cat", "dog"]),
        text_vectors=np.array([[2, 0], [0, 3]], np.float32),
    )
    exam = eyechart.examine(f"vectors:{tmp_path / 'vectors.npz'}", tmp_path / "labels.csv", out=tmp_path / "out", store=store)
    assert rows(exam, "top1")[0]["value"] == pytest.approx(2 / 3)
    assert rows(exam, "top1")[0]["slice"] == '{"prompts": "bare"}'


def test_a_text_without_a_vector_costs_its_question_and_no_other(store, tmp_path):
    (tmp_path / "labels.csv").write_text("path,label,caption\n1.png,cat,my cat\n2.png,dog,my dog\n")
    np.savez(
        tmp_path / "vectors.npz",
        image_ids=np.array(["1.png", "2.png"]),
        image_vectors=np.eye(2, dtype=np.float32),
        texts=np.array(["cat", "dog", "my cats"]),
        text_vectors=np.eye(3, 2, dtype=np.float32) + 0.1,
    )
    exam = eyechart.examine(f"vectors:{tmp_path / 'vectors.npz'}", tmp_path / "labels.csv", out=tmp_path / "out", store=store)
    assert len(rows(exam, "top1")) == 1
    (skip,) = [s for s in exam.skips.to_pylist() if s["probe"] == "retrieval"]
    assert skip["reason"].startswith("its table of text vectors lacks 2 texts that the probe needs, the first 'my cat'")
    assert "did you mean 'my cats'" in skip["reason"]


def test_one_bad_model_does_not_stop_the_others(photos, store, tmp_path):
    plan = Plan((ModelPlan("onnx:/nowhere"), ModelPlan("demo:")), (DataPlan(str(photos)),), prompts=("single",))
    exam = run(plan, out=tmp_path / "out", store=store)
    assert list(exam.failures) == ["onnx:/nowhere"]
    assert {r["model"] for r in rows(exam, "top1")} == {"demo"}
    assert any(s["model"] == "onnx:/nowhere" for s in exam.skips.to_pylist())


def test_a_dataset_that_fails_does_not_cost_the_others(photos, store, tmp_path):
    """The vectors know the pictures of one dataset and not those of the other."""
    save_vectors(photos, tmp_path / "vectors.npz")
    (tmp_path / "other.csv").write_text("path,label\nmissing.png,star\n")
    plan = Plan(
        (ModelPlan(f"vectors:{tmp_path / 'vectors.npz'}", name="v"),),
        (DataPlan(str(photos)), DataPlan(str(tmp_path / "other.csv"))),
    )
    exam = run(plan, out=tmp_path / "out", store=store)
    assert list(exam.failures) == ["v on other"]
    assert [r["dataset"] for r in rows(exam, "top1")] == ["photos"]


def test_precomputed_vectors_find_the_same_beside_other_models(photos, store, tmp_path):
    """A broken picture is nothing to a model that looks its vector up, whoever is examined beside it."""
    (photos / "star" / "broken.png").write_text("no")
    save_vectors(photos, tmp_path / "vectors.npz")
    vectors, data = ModelPlan(f"vectors:{tmp_path / 'vectors.npz'}", name="v"), (DataPlan(str(photos), prompts=("bare",)),)
    alone = run(Plan((vectors,), data), out=tmp_path / "a", store=store)
    beside = run(Plan((ModelPlan("demo:"), vectors), data), out=tmp_path / "b", store=store)
    assert rows(alone, "top1")[0]["n"] == 16
    assert rows(alone, "top1") == [r for r in rows(beside, "top1") if r["model"] == "v"]


def test_class_names_come_from_python_too(photos, store, tmp_path):
    options = {"prompts": "single", "store": store}
    names = {"arrow": ["arrow", "pointer"], "cone": "cone", "star": "star"}
    exam = eyechart.examine("demo:", photos, classes=names, out=tmp_path / "a", **options)
    (asked,) = [p for p in exam.protocol["protocols"].values() if p["probe"] == "zero_shot"]
    assert asked["classes"][0] == {"label": "arrow", "names": ["arrow", "pointer"]}
    exam = eyechart.examine("demo:", photos, classes=["arrow", "cone", "star"], out=tmp_path / "b", **options)
    assert rows(exam, "top1")[0]["n"] == 15


def test_a_table_is_read_as_told(photos, store, tmp_path):
    lines = [f"{p.parent.name}/{p.name},{p.parent.name}" for p in sorted(photos.rglob("*.png"))]
    (tmp_path / "list.csv").write_text("picture,kind\n" + "\n".join(lines) + "\n")
    exam = eyechart.examine(
        "demo:",
        tmp_path / "list.csv",
        columns={"path": "picture", "label": "kind"},
        root=photos,
        name="listed",
        model_name="mine",
        prompts="single",
        probes=["zero_shot"],
        out=tmp_path / "out",
        store=store,
    )
    assert [(r["model"], r["dataset"], r["n"]) for r in rows(exam, "top1")] == [("mine", "listed", 15)]


def test_a_plan_is_read_and_run_with_plain_paths(store, tmp_path):
    (tmp_path / "plan.toml").write_text(
        'prompts = "single"\nprobes = ["zero_shot"]\n'
        '[[models]]\nspec = "demo:"\n[[datasets]]\nsource = "world-objects"\nlimit = 36\n'
    )
    exam = eyechart.run(eyechart.read_plan(str(tmp_path / "plan.toml")), out=str(tmp_path / "out"), store=store)
    assert rows(exam, "top1")[0]["n"] == 36


def test_if_no_model_can_be_opened_the_first_error_is_raised(photos, store, tmp_path):
    with pytest.raises(UsageError, match="nowhere"):
        eyechart.examine("onnx:/nowhere", photos, out=tmp_path / "out", store=store)


def test_two_prompt_sets_of_one_name_are_refused(photos, store, tmp_path):
    with pytest.raises(UsageError, match="two prompt sets are called 'single'"):
        eyechart.examine("demo:", photos, prompts=["single", "single"], out=tmp_path / "out", store=store)


def test_two_datasets_of_one_name_are_refused(photos, store, tmp_path):
    plan = Plan((ModelPlan("demo:"),), (DataPlan(str(photos)), DataPlan(str(photos))))
    with pytest.raises(UsageError, match="two datasets of the plan are called 'photos'"):
        run(plan, out=tmp_path / "out", store=store)


def test_scenes_and_single_objects_of_one_published_set_are_named_apart(tmp_path, picture_bytes):
    """`--data comco:… --gallery comco:…`, as in docs/probes/large_object.md."""
    for file in ("CoCo-TwoObject-Start-Big/cat_cup.png", "CoCo-OneObject/cat.png", "CoCo-OneObject/cup.png"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_bytes(picture_bytes(len(file)))
    scenes, single = (f"comco:{tmp_path}/{name}" for name in ("CoCo-TwoObject-Start-Big", "CoCo-OneObject/"))
    found = open_datasets(Plan((ModelPlan("demo:"),), (DataPlan(scenes), DataPlan(single, role="gallery"))))
    assert [(d.name, d.role, len(d)) for d in found] == [("comco", "exam", 1), ("comco/CoCo-OneObject", "gallery", 2)]
    with pytest.raises(UsageError, match="two datasets of the plan are called 'mine'"):
        open_datasets(Plan((ModelPlan("demo:"),), (DataPlan(scenes, name="mine"), DataPlan(single, name="mine"))))


def test_an_unknown_class_list_is_refused_before_anything_is_written(photos, store, tmp_path):
    (tmp_path / "classes.txt").write_text("cone\nsquare\narrow\n")
    with pytest.raises(DataError, match="star"):
        eyechart.examine("demo:", photos, classes=tmp_path / "classes.txt", out=tmp_path / "out", store=store)
    assert not (tmp_path / "out").exists()
