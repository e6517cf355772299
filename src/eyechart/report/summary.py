"""The headline numbers of a run."""

import json
from collections import defaultdict
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.group_sizes import OutsideCounts, size_text
from eyechart.findings.metric import Metric
from eyechart.findings.numbers import format_interval, format_value, slice_text, word
from eyechart.findings.run import Run


@dataclass(frozen=True)
class HeadlineRow:
    """One headline number.

    model: The model.
    dataset: The dataset.
    probe: The probe.
    metric: The id of the metric.
    slice: The canonical key of the slice.
    value: The value; None where it could not be computed.
    low: Lower end of the 95% interval.
    high: Upper end of the 95% interval.
    n: Sample size.
    interval: The method of the interval.
    higher_is_better: The direction of this number; None where neither is better.
    record: The metric's record.
    chance: The chance level, where the probe reports one.
    outside: How many of the n pictures are out-of-distribution; None where n counts one group.
    """

    model: str
    dataset: str
    probe: str
    metric: str
    slice: str
    value: float | None
    low: float | None
    high: float | None
    n: int
    interval: str | None
    higher_is_better: bool | None
    record: Metric
    chance: float | None = None
    outside: int | None = None

    @property
    def title(self) -> str:
        return self.record.title

    @property
    def unit(self) -> str:
        return self.record.shown_unit

    @property
    def value_text(self) -> str:
        return format_value(self.value, self.unit)

    @property
    def interval_text(self) -> str:
        return format_interval(self.low, self.high, self.unit)

    @property
    def size_text(self) -> str:
        """'480', or '400 in-distribution + 80 out-of-distribution'"""
        return size_text(self.n, self.outside)

    @property
    def chance_text(self) -> str:
        return "" if self.chance is None else f"chance: {format_value(self.chance, self.unit)}"

    @property
    def prompts(self) -> str | None:
        prompts = json.loads(self.slice).get("prompts")
        return None if prompts is None else word(prompts)

    @property
    def where(self) -> str:
        """The slice without the prompt set, as text."""
        rest = {k: v for k, v in json.loads(self.slice).items() if k != "prompts"}
        return slice_text(json.dumps(rest))


_COLUMNS = ("model", "dataset", "probe", "metric", "slice", "value", "low", "high", "n", "interval", "higher_is_better")
_PLACE = ("model", "dataset", "probe", "slice")


def headline_rows(run: Run) -> list[HeadlineRow]:
    """The findings of a summary: each probe's headline metrics over all rows, per prompt set.

    A metric that exists only on slices is shown where a prompt set has exactly one of it, such as the worst class.
    """
    rows: list[HeadlineRow] = []
    outside = OutsideCounts(run)
    for probe in run.probes:
        shown = pa.array(run.headline(probe), pa.string())
        chances = _chances(run, probe)
        wanted = pc.and_(pc.equal(run.findings["probe"], probe), pc.is_in(run.findings["metric"], shown))
        groups: dict[tuple[str, str, str, str | None], list[HeadlineRow]] = defaultdict(list)
        for f in run.findings.filter(wanted).to_pylist():
            record = run.metric(probe, f["metric"], f["unit"])
            chance = chances.get((record.chance, *(f[c] for c in _PLACE)))
            row = HeadlineRow(**{name: f[name] for name in _COLUMNS}, record=record, chance=chance, outside=outside.of(f))
            groups[row.model, row.dataset, row.metric, row.prompts].append(row)
        for group in groups.values():
            whole = [row for row in group if not row.where]
            rows += whole or (group if len(group) == 1 else [])
    models, datasets, probes = (_places(names) for names in (run.finding_models, run.datasets, run.probes))
    metrics = {probe: _places(run.headline(probe)) for probe in run.probes}
    return sorted(rows, key=lambda r: (models[r.model], datasets[r.dataset], probes[r.probe], metrics[r.probe][r.metric]))


def _chances(run: Run, probe: str) -> dict[tuple[str | None, ...], float]:
    """The chance levels that the headline metrics of a probe name: (metric, model, dataset, probe, slice) → value."""
    levels = (run.metric(probe, metric).chance for metric in run.headline(probe))
    names = pa.array(sorted({name for name in levels if name}), pa.string())
    known = pc.and_(pc.equal(run.findings["probe"], probe), pc.is_in(run.findings["metric"], names))
    found = run.findings.filter(pc.and_(known, pc.is_finite(run.findings["value"])))
    return {(f["metric"], *(f[c] for c in _PLACE)): f["value"] for f in found.to_pylist()}


def _places(names: list[str]) -> dict[str, int]:
    return {name: place for place, name in enumerate(names)}


def summary_rows(run: Run, *, most: int | None = None) -> list[tuple[str, str, str, str, str, str, int]]:
    """(model, dataset, probe, metric with its slice, value, interval, n) for the terminal.

    Where there are more than `most` rows, only the first number of each probe is given, for the leading prompt set.
    """
    rows = []
    found = headline_rows(run)
    if most is not None and len(found) > most:
        found = _first_numbers(run, found)
    for row in found:
        extra = slice_text(row.slice)
        name = row.title + (f" ({extra})" if extra else "")
        rows.append((row.model, row.dataset, row.probe, name, row.value_text, row.interval_text, row.n))
    return rows


def _first_numbers(run: Run, found: list[HeadlineRow]) -> list[HeadlineRow]:
    kept: dict[tuple[str, str, str], HeadlineRow] = {}
    leading = run.prompts[:1]
    for row in sorted(found, key=lambda r: r.prompts is not None and r.prompts not in leading):
        kept.setdefault((row.model, row.dataset, row.probe), row)
    chosen = set(kept.values())
    return [row for row in found if row in chosen]
