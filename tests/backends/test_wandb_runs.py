"""Against the real W&B, offline: what it wrote is read with its own message definitions."""

import json
import struct

import pytest
from tests.report.sample_run import HOSTILE, write_sample_run

from eyechart.findings.run import read_run
from eyechart.report.exports.registry import export_run
from eyechart.report.exports.tracked_runs import tracked_runs

wandb = pytest.importorskip("wandb", reason="needs eyechart[wandb]")

BLOCK = 32768


@pytest.fixture(autouse=True)
def home(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    for name in ("CACHE", "CONFIG", "DATA"):
        monkeypatch.setenv(f"WANDB_{name}_DIR", str(tmp_path / "home" / name))


def records(folder):
    """The records of the run file: protocol buffers in the framing of LevelDB's log, after a header of seven bytes."""
    from wandb.proto import wandb_internal_pb2

    (path,) = folder.glob("*.wandb")
    content = path.read_bytes()
    assert content[:4] == b":W&B"
    at, whole = 7, b""
    while at + 7 <= len(content):
        if BLOCK - at % BLOCK < 7:  # what is left of a block is padding
            at += BLOCK - at % BLOCK
            continue
        size, kind = struct.unpack("<HB", content[at + 4 : at + 7])
        whole += content[at + 7 : at + 7 + size]
        at += 7 + size
        if kind in (1, 4):  # a full record, or the last part of one
            record = wandb_internal_pb2.Record()
            record.ParseFromString(whole)
            whole = b""
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
