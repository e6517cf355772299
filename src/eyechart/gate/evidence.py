"""The findings that a condition is about: of one metric, over all rows, for each model and dataset."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from eyechart.errors import UsageError, did_you_mean
from eyechart.findings.metric import Metric
from eyechart.findings.run import Run
from eyechart.gate.condition import Condition
from eyechart.metrics.intervals.mover import Estimate


@dataclass(frozen=True)
class Evidence:
    """One number.

    model: The model.
    dataset: The dataset.
    probe: The probe.
    metric: The metric's record.
    prompts: The prompt set; None where there is none.
    value: The value.
    estimate: Value and interval; None where there is no interval.
    n: Pictures, or pairs.
    where: What a worst value is about, such as a class; empty for all rows.
    """

    model: str
    dataset: str
    probe: str
    metric: Metric
    prompts: str | None
    value: float
    estimate: Estimate | None
    n: int
    where: str

    @property
    def exact(self) -> bool:
        """A count has no sampling error."""
        return self.metric.unit == "count"


def find_evidence(run: Run, condition: Condition, what: str) -> list[Evidence]:
    """The findings that a condition names; at least one.

    Without `of`, all exam datasets count. Of several prompt sets, the leading one counts.

    Args:
        run: The run.
        condition: The condition.
        what: How errors call the run: "the run" or "the baseline".

    Raises:
        UsageError: If no finding, or findings of several probes have that name.
    """
    rows = [row for row in run.findings.to_pylist() if row["model"] in run.models]
    named = [row for row in rows if row["metric"] == condition.metric and condition.probe in (None, row["probe"])]
    if not named:
        raise _unknown_metric(run, condition, rows, what)
    datasets = _datasets(run, condition, [row["dataset"] for row in rows], what)
    named = [row for row in named if row["dataset"] in datasets]
    probe = _one_probe(run, condition, list(dict.fromkeys(row["probe"] for row in named)))
    found = _over_all_rows(run, [row for row in named if row["probe"] == probe])
    if not found:
        where = ", ".join(datasets)
        raise UsageError(
            f"--fail-if {condition.text!r}: {what} has no {condition.metric} over all rows of {where}; "
            "conditions read metrics of all rows, such as the headline metrics of a probe"
        )
    _require_every_model(run, condition, found, what)
    return found


def _require_every_model(run: Run, condition: Condition, found: Sequence[Evidence], what: str) -> None:
    """A number that one model lacks is an error: a gate must not pass because a probe was skipped."""
    known = {(evidence.model, evidence.dataset) for evidence in found}
    for dataset in dict.fromkeys(evidence.dataset for evidence in found):
        for model in run.models:
            if (model, dataset) not in known:
                skips = run.skips.to_pylist()
                of = [s for s in skips if (s["model"], s["dataset"], s["probe"]) == (model, dataset, found[0].probe)]
                reason = f": {of[0]['reason']}" if of else ""
                raise UsageError(
                    f"--fail-if {condition.text!r}: {what} has no {condition.metric} of {model} on {dataset}{reason}"
                )


def _unknown_metric(run: Run, condition: Condition, rows: Sequence[dict[str, Any]], what: str) -> UsageError:
    probe = f" of the probe {condition.probe}" if condition.probe else ""
    known = {row["metric"] for row in rows if condition.probe in (None, row["probe"])}
    declared = {metric.name: name for name, metric in run.metrics()}
    if condition.probe and condition.probe not in run.probes:
        hint = did_you_mean(condition.probe, run.probes)
    elif condition.metric in declared:
        hint = f"; the probe {declared[condition.metric]} reports it, and it was not run or was skipped"
    else:
        hint = did_you_mean(condition.metric, known)
    return UsageError(f"--fail-if {condition.text!r}: {what} has no metric {condition.metric}{probe}{hint}")


def _datasets(run: Run, condition: Condition, known: Sequence[str], what: str) -> list[str]:
    names = list(dict.fromkeys(known))
    if condition.dataset is None:
        about = run.protocol.get("datasets") or {}
        return [name for name in names if (about.get(name) or {}).get("role", "exam") == "exam"]
    if condition.dataset not in names:
        hint = did_you_mean(condition.dataset, names) or f"; there is {', '.join(names)}"
        raise UsageError(f"--fail-if {condition.text!r}: {what} has no dataset {condition.dataset}{hint}")
    return [condition.dataset]


def _one_probe(run: Run, condition: Condition, probes: Sequence[str]) -> str | None:
    """The probe that reports the metric; of several, the one that has it in its headline."""
    leading = [probe for probe in probes if condition.metric in run.headline(probe)]
    chosen = leading if len(leading) == 1 else probes
    if len(chosen) > 1:
        several = " or ".join(f"{condition.metric}@{probe}" for probe in chosen)
        raise UsageError(f"--fail-if {condition.text!r}: several probes report it; write {several}")
    return chosen[0] if chosen else None


def _over_all_rows(run: Run, rows: Sequence[dict[str, Any]]) -> list[Evidence]:
    """For each model and dataset the finding of the leading prompt set, over all rows or the only one there is."""
    places: dict[tuple[str, str], dict[str | None, list[dict[str, Any]]]] = {}
    for row in rows:
        prompts = json.loads(row["slice"]).get("prompts")
        places.setdefault((row["model"], row["dataset"]), {}).setdefault(prompts, []).append(row)
    found = []
    for by_prompts in places.values():
        leading = next((p for p in run.prompts if p in by_prompts), next(iter(by_prompts)))
        mine = by_prompts[leading]
        whole = [row for row in mine if set(json.loads(row["slice"])) <= {"prompts", "answers"}] or (
            mine if len(mine) == 1 else []
        )
        found += [_evidence(run, row) for row in whole[:1] if row["value"] is not None]
    return found


def _evidence(run: Run, row: dict[str, Any]) -> Evidence:
    slice = json.loads(row["slice"])
    where = ", ".join(str(value) for key, value in slice.items() if key != "prompts")
    bounded = None not in (row["low"], row["high"])
    return Evidence(
        model=row["model"],
        dataset=row["dataset"],
        probe=row["probe"],
        metric=run.metric(row["probe"], row["metric"], row["unit"]),
        prompts=slice.get("prompts"),
        value=row["value"],
        estimate=Estimate(row["value"], row["low"], row["high"]) if bounded else None,
        n=row["n"],
        where=where,
    )
