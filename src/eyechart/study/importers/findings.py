"""Findings of one's own: the folder of an examination as rows of a study, so that a model stands among the published ones.

The top-1 accuracy on a dataset that bears the name of a published one is that measure; `renamed` says so for a dataset under
another name. Everything else is called `dataset/metric`, with its slice behind it: `photos/ece`, `photos/accuracy[factor=pose]`.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eyechart.findings.run import Run, read_run
from eyechart.naming.model_names import read_hub_id, read_open_clip, read_timm
from eyechart.notice import Notice
from eyechart.study.facts import Facts, facts_from_card
from eyechart.study.importers.text_files import Imported
from eyechart.study.measures import known_measures
from eyechart.study.table import Value, to_table

ORIGIN = "findings"
_ACCURACY = "top1"


def read_findings(folder: Path, renamed: Mapping[str, str] | None = None) -> Imported:
    """Every finding with a value, but for those of single classes, which are no measure of a model."""
    run, renamed = read_run(folder), renamed or {}
    facts = {model: _facts(model, run) for model in run.models}
    measures = {dataset: renamed.get(dataset) or _published(dataset) for dataset in run.datasets}
    values = []
    for row in run.findings.to_pylist():
        where = json.loads(row["slice"])
        if row["value"] is None or not math.isfinite(row["value"]) or "class" in where:
            continue
        prompts = where.pop("prompts", None)
        name = _metric(row["dataset"], row["metric"], where, measures[row["dataset"]])
        value = Value(name, row["value"], row["n"], row["unit"], None if prompts is None else str(prompts))
        values.append((facts[row["model"]], value))
    return Imported(to_table(values, ORIGIN), _unplaced(folder, run, measures))


def _published(dataset: str) -> str | None:
    """The published measure whose dataset bears this name."""
    plain = dataset.lower().replace("_", "-")
    return next((m.name for m in known_measures().values() if plain in m.datasets), None)


def _metric(dataset: str, metric: str, where: Mapping[str, Any], measure: str | None) -> str:
    if metric == _ACCURACY and not where and measure:
        return measure
    slices = ", ".join(f"{key}={value}" for key, value in sorted(where.items()))
    return f"{dataset}/{metric}" + (f"[{slices}]" if slices else "")


def _facts(model: str, run: Run) -> Facts:
    about = (run.protocol.get("models") or {}).get(model)
    card = about.get("card") if isinstance(about, dict) else None
    said = {name: value for name, value in card.items() if value is not None} if isinstance(card, dict) else _said_by_name(model)
    return facts_from_card(model, said)


def _said_by_name(model: str) -> dict[str, Any]:
    backend, _, name = model.partition(":")
    if backend == "open_clip":
        architecture, _, tag = name.partition("/")
        return read_open_clip(architecture, tag)
    readers = {"timm": read_timm, "hf": read_hub_id}
    return readers[backend](name) if backend in readers else {}


def _unplaced(folder: Path, run: Run, measures: Mapping[str, str | None]) -> tuple[Notice, ...]:
    unknown = [dataset for dataset in run.datasets if measures[dataset] is None]
    if not unknown:
        return ()
    what = f"{', '.join(unknown)}: no published table has a dataset of this name, so its accuracy is a measure of its own"
    return (Notice(str(folder), what, f"if it is one of them, say so: --as {unknown[0]}=imagenet"),)
