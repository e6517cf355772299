"""Evaluation results for the Hugging Face Hub: `.eval_results/*.yaml` of a model repository.

Format: https://huggingface.co/docs/hub/eval-results. A result names a benchmark, which is a dataset on the Hub, and one of its
tasks.
"""

from pathlib import Path
from typing import Any

from eyechart.errors import UsageError
from eyechart.files.atomic import write_text
from eyechart.findings.numbers import slice_text
from eyechart.findings.run import Run
from eyechart.report.exports.file_names import file_names
from eyechart.report.exports.headline_metrics import headline_metrics
from eyechart.report.exports.options import ExportOptions, HubDataset
from eyechart.report.exports.yaml_text import yaml_text
from eyechart.report.summary import HeadlineRow


def write_eval_results(run: Run, folder: Path, options: ExportOptions) -> list[Path]:
    """`MODEL/.eval_results/DATASET.yaml` for each model and each dataset that is on the Hub.

    Raises:
        UsageError: If no dataset of the run is known on the Hub.
    """
    known = {name: hub for name in run.datasets if (hub := options.hub_dataset(run, name))}
    if not known:
        exams = [name for name in run.datasets if name not in run.companions]
        raise UsageError(
            f"a result on the Hub names its benchmark, and {', '.join(exams)} was not read from the Hub; "
            f"name it: --hub-dataset {exams[0] if exams else 'DATASET'}=OWNER/NAME"
        )
    models, datasets, paths = file_names(run.models), file_names(known), []
    for model in run.models:
        rows = headline_metrics(run, model)
        for dataset, hub in known.items():
            entries = _entries([row for row in rows if row.dataset == dataset], hub)
            if entries:
                path = folder / models[model] / ".eval_results" / f"{datasets[dataset]}.yaml"
                write_text(path, yaml_text(entries))
                paths.append(path)
    return paths


def _entries(rows: list[HeadlineRow], hub: HubDataset) -> list[dict[str, Any]]:
    """One entry per metric, each a task of its own; only the first metric, where the user named the task."""
    if hub.task is not None:
        return [_entry(row, hub.id, hub.task) for row in rows[:1]]
    return [_entry(row, hub.id, row.metric) for row in rows]


def _entry(row: HeadlineRow, dataset: str, task: str) -> dict[str, Any]:
    facts = [row.title, slice_text(row.slice), f"95% interval {row.interval_text}" if row.interval_text else ""]
    notes = "; ".join([*filter(None, facts), f"n = {row.n:,}", "measured with Eyechart"])
    return {"dataset": {"id": dataset, "task_id": task}, "value": row.value, "notes": notes}
