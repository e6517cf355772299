"""The exports of `eyechart report --export`, by name. Each writes files below a folder and returns their paths."""

from collections.abc import Callable
from pathlib import Path

from eyechart.files.atomic import remove_abandoned
from eyechart.findings.run import Run
from eyechart.registry import Registry
from eyechart.report.exports.options import ExportOptions

Export = Callable[[Run, Path, ExportOptions], list[Path]]

_PACKAGE = "eyechart.report.exports"
EXPORTS = Registry(
    "export",
    {
        "csv": f"{_PACKAGE}.csv_tables:write_csv_tables",
        "eval-results": f"{_PACKAGE}.eval_results:write_eval_results",
        "every-eval-ever": f"{_PACKAGE}.every_eval_ever:write_every_eval_ever",
        "fiftyone": f"{_PACKAGE}.fiftyone_dataset:write_fiftyone_datasets",
        "mlflow": f"{_PACKAGE}.mlflow_runs:write_mlflow_runs",
        "wandb": f"{_PACKAGE}.wandb_runs:write_wandb_runs",
    },
)


def export_run(run: Run, kind: str, folder: Path, options: ExportOptions | None = None) -> list[Path]:
    """Write one export of a run to `folder`/`kind`, and return the paths of its files."""
    export: Export = EXPORTS.get(kind)
    remove_abandoned(folder / kind)
    return export(run, folder / kind, options or ExportOptions())
