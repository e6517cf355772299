"""Your own findings: the folder of an examination as rows of a study.

Accuracies and recalls on a published dataset become the measures of published tables (`study/own_measures.py`); `renamed` assigns
a measure to a dataset with another name. All other findings are called `dataset/metric`, with their slice: `photos/ece`,
`photos/accuracy[factor=pose]`.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eyechart.findings.run import Run, read_run
from eyechart.models.names.model_names import read_hub_id, read_open_clip, read_timm
from eyechart.notice import Notice
from eyechart.study.facts import Facts, facts_from_card
from eyechart.study.importers.text_files import Imported
from eyechart.study.own_measures import OwnDataset, own_dataset, published_measure
from eyechart.study.table import Value, to_table

ORIGIN = "findings"
_OF_SHIFT = ("source_accuracy", "shifted_accuracy")  # used only where there is no `top1`


def read_findings(folder: Path, renamed: Mapping[str, str] | None = None) -> Imported:
    """Every finding with a value, except those of single classes."""
    run, renamed = read_run(folder), renamed or {}
    facts = {model: _facts(model, run) for model in run.models}
    sets = {name: own_dataset(name, _about(run, name), renamed.get(name)) for name in run.datasets}
    values: dict[tuple[str, str, str | None], tuple[Facts, Value]] = {}
    for row in sorted(run.findings.to_pylist(), key=lambda row: row["metric"] in _OF_SHIFT):
        where = json.loads(row["slice"])
        if row["value"] is None or not math.isfinite(row["value"]) or "class" in where:
            continue
        prompts = where.pop("prompts", None)
        own = {key: value for key, value in where.items() if key != "answers"}  # the scores of a classifier with its own classes
        metric = run.metric(row["probe"], row["metric"], row["unit"])
        published = published_measure(row["dataset"], row["metric"], own, sets)
        name = published or _measure(row["dataset"], row["metric"], where)
        title = None if published else _measure(row["dataset"], metric.title, where, ": ")
        # A difference of fractions is stored in points, so that a study shows it as the page does.
        value = Value(name, row["value"], row["n"], metric.shown_unit, None if prompts is None else str(prompts), title)
        values.setdefault((row["model"], name, value.prompts), (facts[row["model"]], value))
    return Imported(to_table(values.values(), ORIGIN), _unplaced(folder, sets))


def _about(run: Run, dataset: str) -> dict[str, Any]:
    about = (run.protocol.get("datasets") or {}).get(dataset)
    return about if isinstance(about, dict) else {}


def _measure(dataset: str, metric: str, where: Mapping[str, Any], separator: str = "/") -> str:
    slices = ", ".join(f"{key}={value}" for key, value in sorted(where.items()))
    return f"{dataset}{separator}{metric}" + (f"[{slices}]" if slices else "")


def _facts(model: str, run: Run) -> Facts:
    about = (run.protocol.get("models") or {}).get(model)
    card = about.get("card") if isinstance(about, dict) else None
    known = {name: value for name, value in card.items() if value is not None} if isinstance(card, dict) else _from_name(model)
    return facts_from_card(model, known)


def _from_name(model: str) -> dict[str, Any]:
    backend, _, name = model.partition(":")
    if backend == "open_clip":
        architecture, _, tag = name.partition("/")
        return read_open_clip(architecture, tag)
    readers = {"timm": read_timm, "hf": read_hub_id}
    return readers[backend](name) if backend in readers else {}


def _unplaced(folder: Path, sets: Mapping[str, OwnDataset]) -> tuple[Notice, ...]:
    unknown = [name for name, dataset in sets.items() if not dataset.is_published]
    if not unknown:
        return ()
    what = (
        f"{', '.join(unknown)}: no published table has a dataset of this name, so its values are not compared with published ones"
    )
    return (Notice(str(folder), what, f"if it is a published dataset, name it: --as {unknown[0]}=imagenet"),)
