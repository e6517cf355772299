"""Against the real W&B, offline: what was written is read with its own reader of run files."""

import json

import pytest
from tests.report.sample_run import HOSTILE, write_sample_run

from eyechart.findings.run import read_run
from eyechart.report.exports.registry import export_run
from eyechart.report.exports.tracked_runs import tracked_runs

wandb = pytest.importorskip("wandb", reason="needs eyechart[wandb]")


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CACHE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"WANDB_{name}_DIR", str(tmp_path / "home" / name))


def records(folder):
    from wandb.proto import wandb_internal_pb2
    from wandb.sdk.internal.datastore import DataStore

    (path,) = folder.glob("*.wandb")
    file = DataStore()
    file.open_for_scan(str(path))
    while (data := file.scan_data()) is not None:
        record = wandb_internal_pb2.Record()
        record.ParseFromString(data)
        yield record


def test_metrics_settings_and_files_are_in_the_offline_run(tmp_path):
    run = read_run(write_sample_run(tmp_path / "run", models=("ViT-B-32", HOSTILE)))
    folders = export_run(run, "wandb", tmp_path / "to")
    for folder, tracked in zip(folders, tracked_runs(run), strict=True):
        assert folder.is_relative_to(tmp_path / "to" / "wandb") and folder.name.startswith("offline-run-")
        found = list(records(folder))
        (about,) = [record.run for record in found if record.WhichOneof("record_type") == "run"]
        assert (about.run_id, about.display_name, about.project) == (tracked.id, tracked.model, "eyechart")
        config = {item.key: json.loads(item.value_json) for item in about.config.update}
        assert {name: config[name] for name in tracked.settings} == tracked.settings
        history = [item for record in found if record.WhichOneof("record_type") == "history" for item in record.history.item]
        values = {item.key or "/".join(item.nested_key): json.loads(item.value_json) for item in history}
        assert {name: values[name] for name in tracked.metrics} == tracked.metrics
        assert {"findings.csv", "summary.md"} <= {path.name for path in (folder / "files").iterdir()}


def test_a_second_export_replaces_the_run(tmp_path):
    run = read_run(write_sample_run(tmp_path / "run", models=("m",)))
    for _ in range(2):
        (folder,) = export_run(run, "wandb", tmp_path / "to")
    assert list(folder.parent.glob("offline-run-*")) == [folder]
