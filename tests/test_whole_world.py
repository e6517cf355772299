"""`world`: all sets of the embedded world at once."""

import json

import pytest

import eyechart
from eyechart.cli.main import main
from eyechart.errors import UsageError
from eyechart.inputs import WORLD_SAMPLES, with_whole_world
from eyechart.plan import DataPlan, ModelPlan, Plan, read_plan
from eyechart.world.datasets.registry import WORLD_DATASETS


def plan(*datasets):
    return Plan(models=(ModelPlan("demo:"),), datasets=datasets)


def test_every_set_of_the_world_has_a_sample():
    assert set(WORLD_SAMPLES) == set(WORLD_DATASETS)


def test_a_limit_makes_samples_smaller_and_never_larger():
    few = with_whole_world(plan(DataPlan("world", limit=100), DataPlan("photos/"))).datasets
    assert [d.limit for d in few[:-1]] == [min(100, most) for most in WORLD_SAMPLES.values()]
    assert few[-1] == DataPlan("photos/")


def test_what_only_one_dataset_can_have_is_refused():
    with pytest.raises(UsageError, match="takes no name and no split"):
        with_whole_world(plan(DataPlan("world", name="ours", split="test")))


def test_a_model_alone_is_examined_on_the_world(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["examine", "--model", "demo:", "--limit", "18", "--probes", "zero_shot", "--prompts", "single", "--quiet"]) == 0
    record = json.loads((tmp_path / "exams" / "demo--world" / "protocol.json").read_text())
    assert set(record["datasets"]) == set(WORLD_SAMPLES)


def test_a_folder_of_that_name_beside_a_plan_does_not_stand_in(tmp_path):
    (tmp_path / "world").mkdir()
    file = tmp_path / "plan.toml"
    file.write_text('[[models]]\nspec = "demo:"\n[[datasets]]\nsource = "world"\n')
    assert len(with_whole_world(read_plan(file)).datasets) == len(WORLD_SAMPLES)


def test_in_python_too(tmp_path):
    exam = eyechart.examine("demo:", limit=18, probes=["zero_shot"], prompts="single", out=tmp_path / "exam")
    assert "world-objects" in exam.findings["dataset"].to_pylist()
