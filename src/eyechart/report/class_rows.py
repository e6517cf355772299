"""The accuracy of each class, as the table beside the confusion matrix shows it."""

import json
from typing import Any

import pyarrow.compute as pc

from eyechart.findings.numbers import format_interval, format_value
from eyechart.findings.run import Run


def class_rows(run: Run, model: str, dataset: str) -> list[dict[str, Any]]:
    """One entry per class with a judged accuracy, under the leading prompt set, else in the model's own way; the weakest first.

    The metric is the one whose limits are judged class by class.
    """
    found: dict[str, dict[str, Any]] = {}
    for probe, metric in run.metrics():
        if metric.limits is None or metric.limits.by != "class":
            continue
        name, findings = metric.limits.values or metric.name, run.findings
        mine = pc.and_(pc.equal(findings["model"], model), pc.equal(findings["dataset"], dataset))
        mine = pc.and_(mine, pc.and_(pc.equal(findings["probe"], probe), pc.equal(findings["metric"], name)))
        for row in findings.filter(mine).to_pylist():
            where = json.loads(row["slice"])
            if (
                row["value"] is None
                or where.keys() - {"prompts", "answers"} != {"class"}
                or where.get("prompts") not in {None, *run.prompts[:1]}
            ):
                continue
            unit = run.metric(probe, name, row["unit"]).shown_unit
            found.setdefault(str(where["class"]), {
                "class": str(where["class"]),
                "value": row["value"],
                "low": row["low"],
                "high": row["high"],
                "text": format_value(row["value"], unit),
                "interval": format_interval(row["low"], row["high"], unit),
                "n": row["n"],
            })  # fmt: skip
    # Of equal accuracies the one with the most pictures first, as the verdict has it.
    return sorted(found.values(), key=lambda row: (row["value"], -row["n"]))
