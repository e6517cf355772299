"""Headline metrics as runs of MLflow: one run per model in the experiment `eyechart`.

They go to the tracking server that MLFLOW_TRACKING_URI names; without it, to a local store in the folder, which
`mlflow ui --backend-store-uri sqlite:///FOLDER/mlflow.db` shows.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from eyechart.errors import MissingExtra
from eyechart.findings.run import Run
from eyechart.report.exports.csv_tables import write_csv_tables
from eyechart.report.exports.markdown import markdown_summary
from eyechart.report.exports.options import ExportOptions
from eyechart.report.exports.tracked_runs import PROJECT, TrackedRun, tracked_runs

if TYPE_CHECKING:
    from mlflow import MlflowClient

_TAG = "eyechart_id"
_STARTED = "eyechart_started"  # of a run from its beginning; an interrupted run has this tag alone


def write_mlflow_runs(run: Run, folder: Path, options: ExportOptions) -> list[Path]:
    """Log a run for each model, unless the experiment has it already. Tables and summary are its artifacts.

    Raises:
        MissingExtra: If MLflow is not installed.
    """
    try:
        from mlflow import MlflowClient
    except ImportError:
        raise MissingExtra("exporting to MLflow", "mlflow") from None
    folder.mkdir(parents=True, exist_ok=True)
    server = os.environ.get("MLFLOW_TRACKING_URI")
    store = folder.absolute() / "mlflow.db"
    client = MlflowClient(tracking_uri=server or f"sqlite:///{store.as_posix()}")
    experiment = _experiment(client, None if server else (folder.absolute() / "artifacts").as_uri())
    tables = write_csv_tables(run, folder / "tables", options)
    summary = markdown_summary(run)
    for left in folder.glob("artifacts/*/artifacts/.artifact.uploading.*"):
        left.unlink()  # MLflow's unfinished copy of a file, where an export was killed
    for tracked in tracked_runs(run):
        if not client.search_runs([experiment], f"tags.{_TAG} = '{tracked.id}'", max_results=1):
            _log(client, experiment, tracked, tables, summary)
    return tables if server else [store, *tables]


def _experiment(client: "MlflowClient", artifacts: str | None) -> str:
    known = client.get_experiment_by_name(PROJECT)
    return str(known.experiment_id if known else client.create_experiment(PROJECT, artifact_location=artifacts))


def _log(client: "MlflowClient", experiment: str, tracked: TrackedRun, tables: list[Path], summary: str) -> None:
    # What is logged again after an interruption has the same time, so that MLflow keeps it once.
    begun = client.search_runs([experiment], f"tags.{_STARTED} = '{tracked.id}'", max_results=1)
    tags = {"mlflow.note.content": tracked.title, _STARTED: tracked.id}
    made = begun[0] if begun else client.create_run(experiment, run_name=tracked.model, tags=tags)
    number = made.info.run_id
    for name, text in tracked.settings.items():
        client.log_param(number, name, text)
    for name, value in tracked.metrics.items():
        client.log_metric(number, name, value, step=0, timestamp=made.info.start_time)
    for path in tables:
        client.log_artifact(number, str(path))
    client.log_text(number, summary, "summary.md")
    client.set_terminated(number)
    # Last: a run without it was interrupted, and the next export continues it.
    client.set_tag(number, _TAG, tracked.id)
