"""A block for a model card on the Hugging Face Hub: `model-index` metadata for the Hub, and a Markdown section for people."""

import json
import math
import re
from itertools import groupby
from typing import Any

from eyechart.errors import UsageError, did_you_mean
from eyechart.findings.exhibit import slug
from eyechart.findings.numbers import slice_text
from eyechart.findings.run import Run
from eyechart.report.exports.markdown import sections
from eyechart.report.summary import HeadlineRow, headline_rows

_TASK = {"type": "zero-shot-image-classification", "name": "Zero-Shot Image Classification"}
# The Hub ranks only metrics under its own names. This is a fact about the Hub, not about the metric; others keep their id.
_HUB_METRICS = {"top1": "accuracy"}
# Keys that need no quotes; YAML reads some other words as booleans or numbers.
_PLAIN_KEYS = {"model-index", "name", "results", "task", "type", "dataset", "metrics", "value"}
# Characters that JSON allows in strings and YAML does not, even within quotes.
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff\ufffe\uffff]")


def model_card_block(run: Run, model: str | None = None) -> str:
    """YAML front matter with a `model-index` of the headline findings, then a Markdown section.

    Args:
        run: The run.
        model: The model; may be left out where the run has only one.
    """
    name = _chosen(run, model)
    rows = [row for row in headline_rows(run) if row.model == name]
    results = [_result(dataset, list(mine)) for dataset, mine in groupby(rows, key=lambda r: r.dataset)]
    front = yaml_text({"model-index": [{"name": name, "results": results}]})
    return f"---\n{front}---\n\n" + "\n\n".join(["## Eye examination", *sections(run, rows, level=3, models=[name])]) + "\n"


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
        "metrics": [_metric(row) for row in rows if row.value is not None and math.isfinite(row.value)],
    }


def _metric(row: HeadlineRow) -> dict[str, Any]:
    sliced = slice_text(row.slice)
    interval = f", 95% interval {row.interval_text}" if row.interval_text else ""
    return {
        "type": _HUB_METRICS.get(row.metric, row.metric),
        "name": row.title + (f" ({sliced})" if sliced else "") + f"; n = {row.n:,}{interval}",
        "value": row.value,
    }


def yaml_text(value: Any, indent: int = 0) -> str:
    """Mappings and lists in block style, all else as JSON, a subset of YAML, so that no text can break out of its quotes."""
    pad = " " * indent
    if isinstance(value, dict) and value:
        lines = []
        for key, inner in value.items():
            nested = isinstance(inner, dict | list) and inner
            shown = f"\n{yaml_text(inner, indent + 2)}" if nested else f" {_scalar(inner)}\n"
            lines.append(f"{pad}{key if key in _PLAIN_KEYS else _scalar(key)}:{shown}")
        return "".join(lines)
    if isinstance(value, list) and value:
        return "".join(f"{pad}- {yaml_text(item, indent + 2).lstrip()}" for item in value)
    return f"{pad}{_scalar(value)}\n"


def _scalar(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return _UNPRINTABLE.sub(lambda found: f"\\u{ord(found.group()):04x}", text)
