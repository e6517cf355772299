"""What an experiment tracker gets: a run for each model, with its settings and its headline metrics."""

import hashlib
import json
from dataclasses import dataclass

from eyechart.findings.run import Run
from eyechart.report.exports.file_names import file_names
from eyechart.report.exports.headline_metrics import headline_metrics
from eyechart.report.title import run_title

PROJECT = "eyechart"


@dataclass(frozen=True)
class TrackedRun:
    """One model of an examination.

    id: The same for the same numbers, so that nothing is logged twice.
    model: The model.
    title: The title of the examination.
    settings: Name → text.
    metrics: `dataset/probe/metric` → value, with `_low`, `_high` and `_n` for its 95% interval and its sample size.
    """

    id: str
    model: str
    title: str
    settings: dict[str, str]
    metrics: dict[str, float]


def tracked_runs(run: Run) -> list[TrackedRun]:
    datasets = file_names(run.datasets)
    found = []
    for model in run.models:
        metrics: dict[str, float] = {}
        for row in headline_metrics(run, model):
            name = f"{datasets[row.dataset]}/{row.probe}/{row.metric}"
            for ending, value in (("", row.value), ("_low", row.low), ("_high", row.high), ("_n", float(row.n))):
                if value is not None:
                    metrics[name + ending] = value
        facts = run.model_facts(model)
        settings = {
            "model": model,
            "spec": str(facts.get("spec", "")),
            "fingerprint": str(facts.get("fingerprint", "")),
            "datasets": ", ".join(name for name in run.datasets if name not in run.companions),
            "prompts": ", ".join(run.prompts[:1]),
            "eyechart": str(run.protocol.get("eyechart", "")),
        }
        content = json.dumps([settings, metrics], sort_keys=True)
        found.append(
            TrackedRun(hashlib.sha256(content.encode()).hexdigest()[:16], model, run_title(run, [model]), settings, metrics)
        )
    return found
