"""What a driver and its workers agree on, and the errors where they do not."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from tests.clusters.logged_model import make_pictures
from tests.clusters.same_findings import assert_same_findings

from eyechart.cli.main import main
from eyechart.clusters import processes
from eyechart.clusters.engine import ShardEngine, job_of
from eyechart.clusters.executor import InProcess
from eyechart.clusters.job import Job, ShardTask, TaskResult, hash_of_ids
from eyechart.clusters.worker import ShardWorker, answered, result_of
from eyechart.data.classes import ClassList, PictureClass
from eyechart.data.picture import Decoding
from eyechart.encode.engine import work_of
from eyechart.encode.keys import picture_keys
from eyechart.encode.shards import ShardResult
from eyechart.errors import DataError, EyechartError, ModelError, StoreError
from eyechart.exam_inputs import ExamInputs
from eyechart.files.hashing import HashMemory
from eyechart.inputs import open_datasets
from eyechart.models.towers import image_fingerprint
from eyechart.plan import DataPlan, ModelPlan, Plan
from eyechart.progress import SilentProgress
from eyechart.session.picture_shelf import picture_shelf
from eyechart.store import Store


@pytest.fixture
def pictures(tmp_path):
    return make_pictures(tmp_path / "pictures", 6, broken=False)


@pytest.fixture
def plan(pictures):
    return Plan(models=(ModelPlan("demo:"),), datasets=(DataPlan(str(pictures)),), probes=("zero_shot",))


def bound(plan, tmp_path, executor):
    inputs = ExamInputs.open(plan, HashMemory())
    inputs.choose(plan)
    (model,) = inputs.models.values()
    shelf = picture_shelf(Store(tmp_path / "store"), image_fingerprint(model), Decoding())
    dataset = inputs.datasets[0]
    works = list(work_of(dataset, picture_keys(dataset, HashMemory(), SilentProgress()).keys))
    engine = ShardEngine(executor, size=4).bind(plan, inputs)
    return lambda: engine.encode_pictures(model, works, shelf, decode=Decoding().decode, progress=SilentProgress())


@pytest.fixture
def listed(plan, pictures, tmp_path):
    """The plan with a table of the pictures: a file that vanishes is still listed."""
    names = sorted(str(path.relative_to(pictures)) for path in pictures.rglob("*.png"))
    (pictures / "list.csv").write_text("path,label\n" + "".join(f"{name},{Path(name).parent}\n" for name in names))
    return replace(plan, datasets=(DataPlan(str(pictures / "list.csv")),))


@pytest.mark.parametrize("added", [True, False])
def test_a_folder_that_changes_meanwhile_is_an_error_and_no_picture_is_taken_for_another(plan, pictures, tmp_path, added):
    encode = bound(plan, tmp_path, InProcess())
    first = min(pictures.rglob("*.png"))
    first.with_name("0-new.png").write_bytes(first.read_bytes()) if added else first.unlink()
    with pytest.raises(DataError, match=r"its listing on .* is not that of the machine"):
        encode()


def test_pictures_that_a_worker_cannot_read_are_an_error(listed, pictures, tmp_path):
    encode = bound(listed, tmp_path, InProcess())
    for path in pictures.rglob("*.png"):
        path.unlink()
    with pytest.raises(DataError, match="every machine must read the dataset at the same path"):
        encode()


def test_one_picture_that_vanished_is_reported_and_the_rest_is_encoded(listed, pictures, tmp_path):
    encode = bound(listed, tmp_path, InProcess())
    next(pictures.rglob("*.png")).unlink()
    report = encode()
    assert (report.wanted, report.encoded) == (6, 5)
    (lost,) = report.lost
    assert not lost.lasting and "cannot be read" in lost.reason


class Elsewhere(InProcess):
    """A worker on a machine where the store's path leads to another disk."""

    def run(self, job, tasks):
        yield from super().run(replace(job, store=job.store + "-of-another-disk"), tasks)


def test_a_store_that_is_not_shared_is_an_error(plan, tmp_path):
    with pytest.raises(StoreError, match="6 vectors that workers have stored are not there"):
        bound(plan, tmp_path, Elsewhere())()


def test_a_model_with_other_files_is_refused_by_the_worker(plan, tmp_path):
    shelf = Store(tmp_path / "store").shelf("ab" * 32, "image", "x")
    job = job_of(plan, plan.models[0], shelf, ShardEngine(InProcess()))
    with pytest.raises(ModelError, match="give every machine the same files"):
        ShardWorker(job).run(ShardTask(((0, 0), (0, 1)), hash_of_ids(((0, 0), (0, 1)), lambda _: open_datasets(plan)[0])))


def test_a_job_is_the_same_after_its_way_as_json(plan, tmp_path, monkeypatch):
    classes = ClassList("shapes", (PictureClass("star", "star", ("asterisk",)), PictureClass("circle", "disc")))
    data = replace(plan.datasets[0], classes=classes, prompts=("single",), columns={"label": "x"}, limit=3)
    plan = replace(plan, datasets=(data,), corruptions=("noise:3",), settings={"zero_shot": {"pairs": 3}}, targets={"top1": 0.5})
    shelf = Store(tmp_path / "store").shelf("ab" * 32, "image", "x")
    job = job_of(plan, plan.models[0], shelf, ShardEngine(InProcess()))
    assert Job.from_json(job.to_json()) == job
    task = ShardTask(((0, 4), (1, 2)), "ab", (bytes(32), bytes([1] * 32)))
    assert ShardTask.from_json(task.to_json()) == task
    assert ShardTask.from_json(ShardTask(((0, 1),), "ab").to_json()).keys is None
    result = TaskResult(ShardResult(3, 2, {bytes(32): "gone"}, 1.5), {"a.png": "cannot be read"}, "host, process 1")
    assert TaskResult.from_json(result.to_json()) == result


def test_paths_of_a_job_do_not_depend_on_the_folder(pictures, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    plan = Plan(models=(ModelPlan("demo:"),), datasets=(DataPlan("pictures"),))
    shelf = Store(tmp_path / "store").shelf("ab" * 32, "image", "x")
    job = job_of(plan, plan.models[0], shelf, ShardEngine(InProcess()))
    assert Path(job.plan.datasets[0].source) == pictures and Path(job.store) == tmp_path / "store"


def test_an_error_of_a_worker_keeps_its_sentence_and_exit_code():
    def fails():
        raise DataError("labels.csv, row 3: no label")

    with pytest.raises(EyechartError, match=r"labels\.csv, row 3") as error:
        result_of(answered(fails))
    assert error.value.exit_code == DataError.exit_code


def test_each_worker_sees_one_gpu_in_turn(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "4,7")
    seen = [processes._gpu(slot, "cuda") for slot in range(3)]
    assert seen == [{"CUDA_VISIBLE_DEVICES": gpu} for gpu in ("4", "7", "4")]
    assert processes._gpu(0, "cpu") == {}


@pytest.mark.skipif(os.name != "posix", reason="process groups")
def test_datasets_that_an_examination_makes_are_encoded_by_workers_too(tmp_path):
    """Corrupted copies and generated out-of-distribution pictures exist in memory only: a worker makes them again."""
    pictures = make_pictures(tmp_path / "pictures", 12, broken=False)
    for name, engine in (("alone", "local"), ("workers", "local:2")):
        places = ["--out", str(tmp_path / name), "--store", str(tmp_path / f"store-{name}")]
        flags = [
            "--probes",
            "zero_shot,corruption,ood",
            "--prompts",
            "single",
            "--corrupt",
            "noise:3",
            "--quiet",
            "--shard-size",
            "32",
        ]
        assert main(["examine", "--model", "demo:", "--data", str(pictures), *places, *flags, "--engine", engine]) == 0
    assert_same_findings(tmp_path / "workers", tmp_path / "alone")
    segments = [path.name for path in (tmp_path / "store-workers").rglob("segments/*.arrow") if "image" in str(path)]
    assert len(segments) > 1 and all(name.startswith("shard-") for name in segments)
