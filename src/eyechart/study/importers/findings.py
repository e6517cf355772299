"""Your own findings: the folder of an examination as rows of a study.

Accuracies and recalls on a published dataset become the measures of published tables (`study/own_measures.py`); `renamed` assigns
a measure to a dataset with another name. All other findings are called `dataset/metric`, with their slice: `photos/ece`,
`photos/accuracy[factor=pose]`; one over a part of the pictures says so (`photos/ece[half=held-out]`) and is another measure.
Whether a model predicts by prompts, by its own class scores or by given predictions is not part of the name, so that all kinds of
models share an axis.
"""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eyechart.findings.run import Run, read_run
from eyechart.models.names.model_names import read_hub_id, read_open_clip, read_timm
from eyechart.notice import Notice
from eyechart.study.facts import Facts, facts_from_card
from eyechart.study.importers.text_files import Imported
from eyechart.study.own_measures import OtherProtocol, OwnDataset, other_protocol, own_dataset, published_measure
from eyechart.study.table import Value, to_table

ORIGIN = "findings"
_OF_SHIFT = ("source_accuracy", "shifted_accuracy")  # used only where there is no `top1`


def read_findings(folder: Path, renamed: Mapping[str, str] | None = None) -> Imported:
    """Every finding with a value, except those of single classes."""
    run, renamed = read_run(folder), renamed or {}
    facts = {model: _facts(model, run) for model in run.models}
    sets = {name: own_dataset(name, _about(run, name), renamed.get(name)) for name in run.datasets}
    found: dict[tuple[str, str, str | None], list[_Own]] = {}
    refused: dict[OtherProtocol, str] = {}
    for row in sorted(run.findings.to_pylist(), key=lambda row: row["metric"] in _OF_SHIFT):
        where = json.loads(row["slice"])
        if row["value"] is None or not math.isfinite(row["value"]) or "class" in where:
            continue
        if row["model"] not in facts:  # of a probe that compares all models
            continue
        prompts = where.pop("prompts", None)
        predictor = where.pop("answers", None)
        metric = run.metric(row["probe"], row["metric"], row["unit"])
        published = published_measure(row["dataset"], row["metric"], where, sets)
        if published and (other := other_protocol(row["probe"], run.settings(row["protocol"]))):
            refused.setdefault(other, published)
            published = None
        name = published or _measure(row["dataset"], row["metric"], where)
        title = None if published else _measure(row["dataset"], metric.title, where, ": ")
        # A difference of fractions is stored in points, so that a study shows it as the page does.
        value = Value(name, row["value"], row["n"], metric.shown_unit, None if prompts is None else str(prompts), title)
        found.setdefault((row["model"], name, value.prompts), []).append(_Own(value, row["probe"], row["baseline"], predictor))
    values = [(facts[model], value) for (model, _, _), rows in found.items() for value in _told_apart(rows)]
    return Imported(to_table(values, ORIGIN), (*_unplaced(folder, sets), *_refused(folder, refused)))


@dataclass(frozen=True)
class _Own:
    """A finding under its name in the study.

    value: Its value.
    probe: The probe.
    baseline: What a difference is against.
    predictor: "class scores" or "predictions", where the model did not predict by prompts.
    """

    value: Value
    probe: str
    baseline: str | None
    predictor: str | None


def _told_apart(rows: Sequence[_Own]) -> list[Value]:
    """The values of findings that would have one name. Those that differ are named after their baseline, probe or predictor.

    Two probes often report the same number, of which one is kept. A published measure has one value: the first.
    """
    kept: list[_Own] = []
    for row in rows:
        if not any(_same(row.value, other.value) for other in kept):
            kept.append(row)
    if len(kept) == 1 or kept[0].value.title is None:
        return [kept[0].value]
    baselines = len({row.baseline for row in kept}) > 1
    probes = len({row.probe for row in kept}) > 1
    predictors = len({row.predictor for row in kept}) > 1
    named: dict[str, Value] = {}
    for row in kept:
        parts = [f"against={row.baseline}"] if baselines and row.baseline else []
        parts += [f"probe={row.probe}"] if probes else []
        parts += [f"answers={row.predictor}"] if predictors and row.predictor else []
        value = replace(row.value, metric=_with(row.value.metric, parts), title=_with(str(row.value.title), parts))
        named.setdefault(value.metric, value)
    return list(named.values())


def _same(one: Value, other: Value) -> bool:
    """Equal up to rounding in float32, over as many pictures."""
    return one.n == other.n and math.isclose(one.value, other.value, rel_tol=1e-5, abs_tol=1e-7)


def _with(name: str, parts: Sequence[str]) -> str:
    """`photos/ece[half=held-out]` with further parts between the brackets."""
    if not parts:
        return name
    inside = ", ".join(parts)
    return f"{name[:-1]}, {inside}]" if name.endswith("]") else f"{name}[{inside}]"


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


def _refused(folder: Path, refused: Mapping[OtherProtocol, str]) -> Iterator[Notice]:
    for other, measure in refused.items():
        what = (
            f"{measure} and the like are not compared with published values: {other.probe} ran with {other.setting} = "
            f"{other.value!r}, the published tables are for {other.published!r}"
        )
        yield Notice(str(folder), what, f"examine with --set {other.probe}.{other.setting}={other.published}")
