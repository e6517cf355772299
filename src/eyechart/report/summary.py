"""Headline numbers as text: the one place where numbers are formatted and metrics get their names."""

import json
import math
from collections import defaultdict
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.run import Run

NO_VALUE = "–"

_NAMES = {
    "top1": "top-1 accuracy",
    "top5": "top-5 accuracy",
    "mean_per_class": "mean accuracy per class",
    "class_accuracy": "accuracy of a class",
    "chance": "accuracy of guessing",
    "worst_class": "accuracy of the worst class",
    "worst_at_k": "accuracy of the worst classes",
    "harmonic_mean_smoothed": "harmonic mean over classes, smoothed",
    "margin_rank_correlation": "classes ranked by margin as by accuracy, without labels",
    "margin_overlap": "worst classes found by margin, without labels",
    "top1_merged": "top-1 accuracy, equal classes merged",
    "mean_per_class_merged": "mean accuracy per class, equal classes merged",
    "text_to_image_r1": "captions that find their picture first",
    "image_to_text_r1": "pictures that find their caption first",
    "recall_25px": "spots found again within 25 px",
    "pck10": "key points found again, PCK@0.10",
    "ood_auroc": "told from what does not belong (AUROC)",
    "ood_fpr95": "strangers let in with 95% of what belongs (FPR95)",
    "shape_bias": "answers by shape, of those by shape or texture",
    "cue_share": "answers by shape or texture",
    "average": "accuracy on all pictures",
    "worst_factor": "accuracy under the worst factor",
    "gap_to_average": "under a factor, against all pictures",
    "overconfidence": "surer than right",
    "worst_at_k_by_chance": "worst classes, were all alike",
    "worst_group_gap": "worst group against the others",
    "worst_gap": "worst factor against all pictures",
    "largest_change": "largest change of accuracy under other prompts",
    "changed_answers": "answers that change with the prompts",
    "mean_corrupted_accuracy": "accuracy on spoilt pictures",
    "relative_accuracy": "accuracy on spoilt pictures, of that on clean ones",
    "worst_accuracy_drop": "loss under the worst shift",
    "mean_accuracy_drop": "mean loss under shift",
    "ece": "calibration error (ECE)",
    "temperature": "temperature that would fit best",
    "confidence_auroc": "right answers told from wrong ones by confidence (AUROC)",
    "right_caption": "true caption nearer than false ones",
    "group_right": "groups without a mistake",
    "text_only_right": "two true captions nearer to each other than to the false one",
    "harm": "put into classes that do harm",
    "harm_change": "put into classes that do harm, against the first list",
    "suggested_harm_change": "the same by the best change, on pictures it was not chosen on",
    "skewed_labels": "labels that differ between groups",
    "largest_label_gap": "the label that differs most between groups",
    "largest_skew": "skew of searches beyond chance",
    "whole_list": "accuracy with the whole list",
    "lost_by_growth": "accuracy lost as the list grows",
    "largest_harm_gap": "the most harmed against all others",
    "first_share": "captions of which the first name is heard best",
    "first_lead": "lead of the first name over the others",
    "first_lead_real": "lead of the first name in the dataset's own captions",
    "kept_share": "captions of which all names are heard",
    "first_lead_change": "change of the first name's lead in training",
    "first_share_change": "change of the first name's share in training",
    "first_accuracy": "first names read off the vector",
    "first_accuracy_lead": "first names read off, against the others",
    "large_first_share": "captions that begin with a large thing, and it is heard best",
    "large_first_lead": "names of large things heard, against small ones",
    "largest_first": "captions that name the largest thing first",
    "size_effect": "being named first for being the larger",
    "ce": "corruption error (AlexNet = 1)",
    "mce": "mean corruption error (AlexNet = 1)",
    "largest_nearest_of_all": "scenes in which the largest thing is the nearest",
    "largest_nearest": "the same, of scenes whose things are all found",
    "kept": "scenes of which all things are found",
    "size_pull": "odds of being nearest, for twice the area",
    "largest_told": "largest thing named by a linear head",
    "largest_lead": "largest thing against the others, by linear heads",
    "largest_attention": "attention on the largest thing",
    "largest_density_lead": "attention per area, largest thing over the others",
    "scenario_1": "right caption wins, large thing named first",
    "scenario_2": "right caption wins, large thing last in it and first in the wrong one",
    "first_prominent": "generated pictures in which the first-named thing stands out most",
    "first_prominent_lead": "standing out for being named first, not later",
    "first_present_lead": "being drawn at all for being named first, not later",
    "order_effect": "what naming the large thing first does by itself",
}


# Metrics that a model which guesses reaches too: beside them stands what it would reach.
_GUESSED = {"top1", "mean_per_class"}


def metric_name(metric: str) -> str:
    """A metric as a reader would say it."""
    return _NAMES.get(metric, metric.replace("_", " "))


# Words by which a metric is known as a difference between two shares.
_DIFFERENCES = {"lead", "gap", "effect", "change", "drop", "growth", "difference", "overconfidence"}


def is_difference(metric: str) -> bool:
    return not _DIFFERENCES.isdisjoint(metric.split("_"))


def shown_unit(metric: str, unit: str) -> str:
    """A difference between shares is said in points: a loss of 10% could be one tenth of what there was."""
    return "points" if unit == "fraction" and is_difference(metric) else unit


def format_value(value: float | None, unit: str) -> str:
    """A fraction as percent and points with one decimal, a count as a whole number, all else with three decimals and its unit."""
    number, sign = number_and_unit(value, unit)
    return f"{number}{sign}" if sign in {"", "%"} else f"{number} {sign}"


def number_and_unit(value: float | None, unit: str) -> tuple[str, str]:
    """The digits, and what stands after them: '%', a unit's name, or nothing."""
    if value is None or not math.isfinite(value):
        return NO_VALUE, ""
    if unit in {"fraction", "points"}:
        return f"{100 * value:.1f}".replace("-", "−"), "%" if unit == "fraction" else unit
    if unit == "count":
        return f"{value:,.0f}".replace("-", "−"), ""
    # Plain numbers keep three decimals unless that would round them away or cry precision that is not there.
    digits = f"{value:.3f}" if 0.01 <= abs(value) < 1000 or value == 0 else f"{value:.3g}"
    return digits.replace("-", "−"), "" if unit in {"number", "1"} else unit


def format_interval(low: float | None, high: float | None, unit: str) -> str:
    if low is None or high is None:
        return ""
    if unit == "fraction":
        return f"{format_value(low, unit).removesuffix('%')} to {format_value(high, unit)}"
    if unit == "points":  # the value beside it has said so
        return f"{number_and_unit(low, unit)[0]} to {number_and_unit(high, unit)[0]}"
    first = format_value(low, unit)
    return f"{first.removesuffix(' ' + unit)} to {format_value(high, unit)}"


def slice_text(key: str) -> str:
    """A slice as words: 'class: tabby cat · prompts: openai-80'; empty for all rows."""
    parts = json.loads(key)
    return " · ".join(f"{name}: {_word(value)}" for name, value in parts.items())


def _word(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class HeadlineRow:
    model: str
    dataset: str
    probe: str
    metric: str
    slice: str  # the canonical key
    value: float | None
    low: float | None
    high: float | None
    n: int
    unit: str
    chance: float | None = None  # what guessing would reach, where the probe says so

    @property
    def value_text(self) -> str:
        return format_value(self.value, shown_unit(self.metric, self.unit))

    @property
    def interval_text(self) -> str:
        return format_interval(self.low, self.high, shown_unit(self.metric, self.unit))

    @property
    def chance_text(self) -> str:
        return "" if self.chance is None else f"guessing: {format_value(self.chance, self.unit)}"

    @property
    def prompts(self) -> str | None:
        prompts = json.loads(self.slice).get("prompts")
        return None if prompts is None else _word(prompts)

    @property
    def where(self) -> str:
        """The slice without the prompt set, as words."""
        rest = {k: v for k, v in json.loads(self.slice).items() if k != "prompts"}
        return slice_text(json.dumps(rest))


_COLUMNS = ("model", "dataset", "probe", "metric", "slice", "value", "low", "high", "n", "unit")
_PLACE = ("model", "dataset", "probe", "slice")


def headline_rows(run: Run) -> list[HeadlineRow]:
    """The findings that a summary shows: each probe's headline metrics over all rows, per prompt set.

    A metric that exists only on slices is shown where a prompt set has exactly one of it, such as the worst class.
    """
    rows: list[HeadlineRow] = []
    chances = _chances(run)
    for probe in run.probes:
        shown = pa.array(run.headline(probe), pa.string())
        wanted = pc.and_(pc.equal(run.findings["probe"], probe), pc.is_in(run.findings["metric"], shown))
        groups: dict[tuple[str, str, str, str | None], list[HeadlineRow]] = defaultdict(list)
        for f in run.findings.filter(wanted).to_pylist():
            chance = chances.get(tuple(f[c] for c in _PLACE)) if f["metric"] in _GUESSED else None
            row = HeadlineRow(**{name: f[name] for name in _COLUMNS}, chance=chance)
            groups[row.model, row.dataset, row.metric, row.prompts].append(row)
        for group in groups.values():
            whole = [row for row in group if not row.where]
            rows += whole or (group if len(group) == 1 else [])
    models, datasets, probes = (_places(names) for names in (run.respondents, run.datasets, run.probes))
    metrics = {probe: _places(run.headline(probe)) for probe in run.probes}
    return sorted(rows, key=lambda r: (models[r.model], datasets[r.dataset], probes[r.probe], metrics[r.probe][r.metric]))


def _chances(run: Run) -> dict[tuple[str, ...], float]:
    found = run.findings.filter(pc.and_(pc.equal(run.findings["metric"], "chance"), pc.is_finite(run.findings["value"])))
    return {tuple(f[c] for c in _PLACE): f["value"] for f in found.to_pylist()}


def _places(names: list[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def summary_rows(run: Run, *, most: int | None = None) -> list[tuple[str, str, str, str, str, str, int]]:
    """(model, dataset, probe, metric with its slice, value, interval, n) for the terminal. Where there are more than `most`, of
    each question the first number alone, under the leading prompt set."""
    rows = []
    found = headline_rows(run)
    if most is not None and len(found) > most:
        found = _first_numbers(run, found)
    for row in found:
        extra = slice_text(row.slice)
        name = metric_name(row.metric) + (f" ({extra})" if extra else "")
        rows.append((row.model, row.dataset, row.probe, name, row.value_text, row.interval_text, row.n))
    return rows


def _first_numbers(run: Run, found: list[HeadlineRow]) -> list[HeadlineRow]:
    kept: dict[tuple[str, str, str], HeadlineRow] = {}
    leading = run.prompts[:1]
    for row in sorted(found, key=lambda r: r.prompts is not None and r.prompts not in leading):
        kept.setdefault((row.model, row.dataset, row.probe), row)
    chosen = set(kept.values())
    return [row for row in found if row in chosen]
