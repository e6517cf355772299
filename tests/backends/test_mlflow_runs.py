"""Against the real MLflow, with a local store."""

import pytest
from tests.report.sample_run import HOSTILE, write_sample_run

from eyechart.findings.run import read_run
from eyechart.report.exports.registry import export_run
from eyechart.report.exports.tracked_runs import tracked_runs

mlflow = pytest.importorskip("mlflow", reason="needs eyechart[mlflow]")


@pytest.fixture(autouse=True)
def local(monkeypatch, tmp_path):
    monkeypatch.setenv("DO_NOT_TRACK", "1")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("MLFLOW_TRACKING_URI", raising=False)


def logged(store):
    client = mlflow.MlflowClient(tracking_uri=f"sqlite:///{store}")
    experiment = client.get_experiment_by_name("eyechart")
    return client, {found.info.run_name: found for found in client.search_runs([experiment.experiment_id])}


def test_a_client_reads_metrics_settings_and_files_back(tmp_path):
    run = read_run(write_sample_run(tmp_path / "run", models=("ViT-B-32", HOSTILE)))
    store, *_ = export_run(run, "mlflow", tmp_path / "to")
    client, found = logged(store)
    assert set(found) == {"ViT-B-32", HOSTILE}
    for tracked in tracked_runs(run):
        assert found[tracked.model].data.metrics == tracked.metrics
        assert found[tracked.model].data.params == tracked.settings
        assert found[tracked.model].info.status == "FINISHED"
        files = {file.path for file in client.list_artifacts(found[tracked.model].info.run_id)}
        assert files == {"findings.csv", "predictions.csv", "summary.md"}


def test_a_second_export_logs_nothing_twice(tmp_path):
    run = read_run(write_sample_run(tmp_path / "run", models=("m",)))
    ids = []
    for _ in range(2):
        store, *_ = export_run(run, "mlflow", tmp_path / "to")
        _, found = logged(store)
        ids.append([made.info.run_id for made in found.values()])
    assert ids[0] == ids[1] and len(ids[0]) == 1


def test_the_server_of_the_environment_is_used(tmp_path, monkeypatch):
    monkeypatch.setenv("MLFLOW_TRACKING_URI", f"sqlite:///{tmp_path / 'server.db'}")
    monkeypatch.chdir(tmp_path)
    export_run(read_run(write_sample_run(tmp_path / "run", models=("m",))), "mlflow", tmp_path / "to")
    assert set(logged(tmp_path / "server.db")[1]) == {"m"} and not (tmp_path / "to" / "mlflow" / "mlflow.db").exists()


@pytest.mark.parametrize("stopped_at", ["log_param", "log_metric", "log_artifact", "log_text", "set_terminated", "set_tag"])
def test_an_export_that_was_interrupted_is_continued(tmp_path, monkeypatch, stopped_at):
    run = read_run(write_sample_run(tmp_path / "run", models=("m",)))

    def stop(*args, **kwargs):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(mlflow.MlflowClient, stopped_at, stop)
        with pytest.raises(KeyboardInterrupt):
            export_run(run, "mlflow", tmp_path / "to")
    store, *_ = export_run(run, "mlflow", tmp_path / "to")
    client = mlflow.MlflowClient(tracking_uri=f"sqlite:///{store}")
    experiment = client.get_experiment_by_name("eyechart")
    (only,) = client.search_runs([experiment.experiment_id])
    (tracked,) = tracked_runs(run)
    assert only.info.status == "FINISHED" and only.data.metrics == tracked.metrics and only.data.params == tracked.settings
    assert all(len(client.get_metric_history(only.info.run_id, name)) == 1 for name in tracked.metrics)


def test_what_mlflow_leaves_of_a_killed_export_is_removed(tmp_path):
    run = read_run(write_sample_run(tmp_path / "run", models=("m",)))
    store, *_ = export_run(run, "mlflow", tmp_path / "to")
    (kept,) = store.parent.glob("artifacts/*/artifacts/summary.md")
    left = kept.with_name(".artifact.uploading.abc")
    left.write_text("half")
    export_run(run, "mlflow", tmp_path / "to")
    assert kept.is_file() and not left.exists()
