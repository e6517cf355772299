"""Which runs are opened: those of a folder, and those that used a store."""

import pytest

from eyechart.errors import DataError, UsageError
from eyechart.store.known_runs import known_runs, remember_run
from eyechart.workbench.run_catalog import RunCatalog


def test_a_store_opens_the_runs_that_used_it(exams, store_path):
    catalog = RunCatalog(store_path)
    assert catalog.is_store and not catalog.is_single
    folders = {entry.folder for entry in catalog.entries()}
    assert {exams / name for name in ("people", "shapes", "shapes-bare", "unlabeled")} <= folders
    assert len({entry.id for entry in catalog.entries()}) == len(catalog.entries())
    people = next(entry for entry in catalog.entries() if entry.folder == exams / "people")
    assert catalog.run(people.id).models == ["demo"]


def test_runs_of_a_store_that_are_gone_or_no_runs_are_left_out(tmp_path, exams):
    store = tmp_path / "store"
    (store / "models").mkdir(parents=True)
    (store / "format.json").write_text("{}")
    with pytest.raises(DataError, match="no examination that used this store is known and still there"):
        RunCatalog(store)
    remember_run(store, tmp_path / "gone")
    remember_run(store, tmp_path)
    remember_run(store, exams / "shapes")
    remember_run(store, exams / "shapes")
    assert known_runs(store) == [tmp_path / "gone", tmp_path, exams / "shapes"]
    assert [entry.folder for entry in RunCatalog(store).entries()] == [exams / "shapes"]


def test_a_damaged_list_of_runs_is_an_empty_one(tmp_path):
    for text in ("[", "[]", '{"runs": 3}'):
        (tmp_path / "runs.json").write_text(text)
        assert known_runs(tmp_path) == []


def test_a_run_that_is_not_listed_is_refused(exams):
    with pytest.raises(UsageError, match="no such run"):
        RunCatalog(exams).run("r-~2e~2e~2fetc")


def test_models_that_failed_are_not_offered(tmp_path, shapes, store_path):
    import eyechart

    plan = eyechart.Plan(
        models=(eyechart.ModelPlan("demo:"), eyechart.ModelPlan(f"onnx:{tmp_path / 'nowhere'}", name="missing")),
        datasets=(eyechart.DataPlan(str(shapes), limit=36),),
        probes=("zero_shot",), prompts=("bare",), corruptions=(), default_ood=False,
    )  # fmt: skip
    eyechart.run(plan, out=tmp_path / "run", store=store_path)
    (row,) = RunCatalog(tmp_path / "run").listing()
    assert row["models"] == ["demo"] and row["predicted"]
