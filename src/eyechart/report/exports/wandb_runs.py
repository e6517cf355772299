"""Headline metrics as runs of Weights & Biases: one run per model in the project `eyechart`.

Nothing is sent: runs are written to the folder in W&B's offline mode, and `wandb sync FOLDER/wandb/offline-run-*` uploads them.
"""

import shutil
from pathlib import Path

from eyechart.errors import MissingExtra
from eyechart.findings.run import Run
from eyechart.report.exports.csv_tables import write_csv_tables
from eyechart.report.exports.markdown import markdown_summary
from eyechart.report.exports.options import ExportOptions
from eyechart.report.exports.tracked_runs import PROJECT, tracked_runs


def write_wandb_runs(run: Run, folder: Path, options: ExportOptions) -> list[Path]:
    """Write an offline run for each model; one of the same numbers is replaced. Returns the folders of the runs.

    Raises:
        MissingExtra: If wandb is not installed.
    """
    try:
        import wandb
    except ImportError:
        raise MissingExtra("exporting to Weights & Biases", "wandb") from None
    folder.mkdir(parents=True, exist_ok=True)
    summary, paths = markdown_summary(run), []
    for tracked in tracked_runs(run):
        for old in (folder / "wandb").glob(f"offline-run-*-{tracked.id}"):
            shutil.rmtree(old)
        made = wandb.init(
            project=PROJECT,
            id=tracked.id,
            name=tracked.model,
            notes=tracked.title,
            config=tracked.settings,
            dir=str(folder.absolute()),
            mode="offline",
            reinit="create_new",
            settings=wandb.Settings(silent=True, console="off", disable_git=True, save_code=False),
        )
        made.log(tracked.metrics)
        # What lies in the folder of a run is uploaded with it.
        files = Path(made.dir)
        write_csv_tables(run, files, options)
        (files / "summary.md").write_text(summary, encoding="utf-8")
        made.finish()
        paths.append(files.parent)
    return paths
