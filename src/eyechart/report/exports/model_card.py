"""A block for a model card on the Hugging Face Hub: `model-index` metadata for the Hub, and a Markdown section for people."""

from itertools import groupby
from typing import Any

from eyechart.errors import UsageError, did_you_mean
from eyechart.findings.exhibit import slug
from eyechart.findings.numbers import slice_text
from eyechart.findings.run import Run
from eyechart.report.exports.headline_metrics import headline_metrics
from eyechart.report.exports.markdown import escaped, sections
from eyechart.report.exports.yaml_text import yaml_text
from eyechart.report.summary import HeadlineRow
from eyechart.report.title import run_title

_TASK = {"type": "zero-shot-image-classification", "name": "Zero-Shot Image Classification"}
# The Hub ranks only metrics under its own names. This is a fact about the Hub, not about the metric; others keep their id.
_HUB_METRICS = {"top1": "accuracy"}


def model_card_block(run: Run, model: str | None = None) -> str:
    """YAML front matter with a `model-index` of the headline findings, then a Markdown section.

    Args:
        run: The run.
        model: The model; may be left out where the run has only one.
    """
    name = _chosen(run, model)
    rows = headline_metrics(run, name)
    results = [_result(dataset, list(mine)) for dataset, mine in groupby(rows, key=lambda r: r.dataset)]
    front = yaml_text({"model-index": [{"name": name, "results": results}]})
    return (
        f"---\n{front}---\n\n"
        + "\n\n".join([f"## {escaped(run_title(run, [name]))}", *sections(run, rows, level=3, models=[name])])
        + "\n"
    )


def _chosen(run: Run, model: str | None) -> str:
    if model is None and len(run.models) == 1:
        return run.models[0]
    if model is None or model not in run.models:
        hint = did_you_mean(model, run.models) if model else ""
        which = f"there is no model called {model!r} in this run{hint}" if model else "this run has several models"
        raise UsageError(f"{which}; choose one of: {', '.join(run.models)}")
    return model


def _result(dataset: str, rows: list[HeadlineRow]) -> dict[str, Any]:
    # No `source`: the Hub's reader rejects a source without an address, and a run has none.
    return {
        "task": _TASK,
        "dataset": {"name": dataset, "type": slug(dataset).lower()},
        "metrics": [_metric(row) for row in rows],
    }


def _metric(row: HeadlineRow) -> dict[str, Any]:
    sliced = slice_text(row.slice)
    interval = f", 95% interval {row.interval_text}" if row.interval_text else ""
    return {
        "type": _HUB_METRICS.get(row.metric, row.metric),
        "name": row.title + (f" ({sliced})" if sliced else "") + f"; n = {row.n:,}{interval}",
        "value": row.value,
    }
