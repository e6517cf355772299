"""One model among all others: its rank in every measure, and its effective robustness on each shift."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from eyechart.errors import UsageError, did_you_mean
from eyechart.metrics.intervals import wilson
from eyechart.metrics.intervals.mover import Estimate
from eyechart.metrics.trends.baseline_lines import find_line
from eyechart.notice import Notice
from eyechart.study.baselines import Baseline
from eyechart.study.importers.findings import ORIGIN as MINE
from eyechart.study.measures import half_of, known_measures
from eyechart.study.population import pair
from eyechart.study.trending import Settings, TrendStudy, study_trend

STORED = "stored line (imagenet-testbed)"


@dataclass(frozen=True)
class Standing:
    """One measure of the model.

    measure: The measure.
    prompts: The prompt set.
    value: Its value.
    unit: Its unit.
    n: Number of pictures.
    rank: Its rank among all models with the measure.
    of: Number of these models, itself included.
    half: Which part of the pictures it is over, such as "held-out"; None for all of them.
    expected: For a shift: the value on the line.
    robustness: For a shift: effective robustness, its distance above the line.
    low: Lower end of its 95% interval.
    high: Upper end of its 95% interval.
    line: The line.
    """

    measure: str
    prompts: str | None
    value: float
    unit: str
    n: int | None
    rank: int
    of: int
    half: str | None = None
    expected: float | None = None
    robustness: float | None = None
    low: float | None = None
    high: float | None = None
    line: str | None = None


@dataclass(frozen=True)
class Placement:
    """A model among others.

    model: Its name.
    standings: Its measures.
    trends: The trends of its shifts, with the model highlighted.
    notices: Warnings, each with a remedy.
    """

    model: str
    standings: tuple[Standing, ...]
    trends: tuple[TrendStudy, ...]
    notices: tuple[Notice, ...]


def place(study: pa.Table, model: str, baseline: Baseline, settings: Settings) -> Placement:
    """Every measure of the model, and its distance from the line of every shift.

    Your own findings take precedence over published values of the same model. Where too few models of the study have a shift, the
    line that Eyechart ships is used.
    """
    rows = _rows(study, model)
    standings, trends, without = [], dict[str, TrendStudy](), dict[str, str]()
    for row in rows:
        standing = _ranked(study, row)
        against = known.against if (known := known_measures().get(row["metric"])) else None
        source = next((r for r in rows if (r["metric"], r["prompts"]) == (against, row["prompts"])), None)
        if source is not None:
            if row["metric"] not in trends and (found := _trend(study, row, model, baseline, settings)):
                trends[row["metric"]] = found
            measured = _from_study(trends.get(row["metric"]), row["prompts"], settings) or _from_stored(row, source)
            standing = replace(standing, **measured)
        elif against is not None:
            without[row["metric"]] = against
        standings.append(standing)
    notices = (*_without_line(model, without), *_without_others(study, model))
    return Placement(model, tuple(standings), tuple(trends.values()), notices)


def _without_others(study: pa.Table, model: str) -> tuple[Notice, ...]:
    if len(pc.unique(study["model"])) > 1:
        return ()
    what = "the study has no other model, so there is no rank, and only the lines that Eyechart ships are used"
    return (Notice(model, what, "add published tables: eyechart study add --from open_clip PATH|URL"),)


def _without_line(model: str, shifts: dict[str, str]) -> tuple[Notice, ...]:
    if not shifts:
        return ()
    named = ", ".join(f"{shift} ({against})" for shift, against in shifts.items())
    what = f"no effective robustness for {named}: its accuracy over the same classes (in brackets) is unknown"
    return (
        Notice(
            model,
            what,
            f"`eyechart study trend --x imagenet --y {next(iter(shifts))}` compares it with the accuracy over all classes",
        ),
    )


def _rows(study: pa.Table, model: str) -> list[dict[str, Any]]:
    found = study.filter(pc.equal(study["model"].cast(pa.string()), model)).to_pylist()
    if not found:
        hint = did_you_mean(model, study["model"].unique().to_pylist())
        how = "add the table that it is in (eyechart study add --from open_clip PATH) or its examination (--from findings DIR)"
        raise UsageError(f"the study has no model {model!r}{hint}; {how}")
    own = [row for row in found if row["origin"] == MINE]
    order = {name: i for i, name in enumerate(known_measures())}
    # Published measures first, then your own over all pictures, then those of slices.
    return sorted(
        own or found,
        key=lambda row: (order.get(row["metric"], len(order)), "[" in row["metric"], row["metric"], row["prompts"] or ""),
    )


def _ranked(study: pa.Table, row: dict[str, Any]) -> Standing:
    """The rank with the highest value first; for a measure of errors, read it from the other end."""
    others = study.filter(pc.equal(study["metric"].cast(pa.string()), row["metric"]))
    best: dict[str, float] = {}
    for name, value in _values(others):
        best[name] = max(value, best.get(name, value))
    best.pop(row["model"], None)
    rank = 1 + sum(value > row["value"] for value in best.values())
    metric, half = row["metric"], half_of(row["metric"])
    return Standing(metric, row["prompts"], row["value"], row["unit"], row["n"], rank, 1 + len(best), half)


def _values(table: pa.Table) -> Iterator[tuple[str, float]]:
    return zip(table["model"].to_pylist(), table["value"].to_pylist(), strict=True)


def _trend(study: pa.Table, row: dict[str, Any], model: str, baseline: Baseline, settings: Settings) -> TrendStudy | None:
    try:
        population = pair(study, None, row["metric"])
        own = row["origin"] == MINE
        marked = np.array([name == model for name in population.models], bool) & (population.mine | (not own))
        return study_trend(replace(population, mine=marked), baseline, settings)
    except UsageError:
        return None  # too few models have the shift


def _from_study(trend: TrendStudy | None, prompts: str | None, settings: Settings) -> dict[str, Any]:
    if trend is None:
        return {}
    chosen = trend.population.mine & np.array([p == prompts for p in trend.population.facts["prompts"]], bool)
    if chosen.sum() != 1:
        return {}
    (low,), (high,) = trend.intervals(chosen, seed=settings.seed)
    (at,) = np.flatnonzero(chosen)
    above = float(trend.robustness[at])
    line = f"{trend.baseline.name}, n = {trend.trend.n:,}"
    expected = float(trend.population.y[at]) - above
    return {"expected": expected, "robustness": above, "low": float(low), "high": float(high), "line": line}


def _from_stored(row: dict[str, Any], source: dict[str, Any]) -> dict[str, Any]:
    stored = find_line("imagenet", row["metric"])
    if stored is None or not row["n"] or not source["n"]:
        return {}
    (at_source, at_shift) = (_estimate(r) for r in (source, row))
    above, interval = stored.effective_robustness(at_source, at_shift)
    if not np.isfinite(above):
        return {}
    expected = row["value"] - above
    return {"expected": expected, "robustness": above, "low": interval.low, "high": interval.high, "line": STORED}


def _estimate(row: dict[str, Any]) -> Estimate:
    low, high = wilson(row["value"] * row["n"], row["n"])
    return Estimate(row["value"], float(low), float(high))
