"""The verdict: for each area, whether a model is good, bad or inconclusive there, or was not tested.

The default limits are conventions: from where on a difference matters to most people who ship a model. docs/report.md lists them.
Every sentence comes with its figure, so that a reader with other needs can judge for themselves, or set other targets.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from eyechart.findings.metric import AREAS, DIFFERENT_PICTURES, Area
from eyechart.findings.numbers import format_estimate, format_value
from eyechart.findings.run import Run
from eyechart.verdict.checks import judge, useless_datasets
from eyechart.verdict.different_pictures import with_originals
from eyechart.verdict.evidence import Evidence, Figure
from eyechart.verdict.not_tested import not_tested
from eyechart.verdict.ruling import Outcome, Ruling
from eyechart.verdict.targets import Judged, judged_metrics

_SEVERITY: tuple[Outcome, ...] = ("bad", "inconclusive", "good", "not tested")
_MAIN: tuple[Area, ...] = ("accuracy", "retrieval")
NOT_JUDGED = "Nothing was judged: what was measured has no default target. Set one with --target METRIC=N."


@dataclass(frozen=True)
class Verdict:
    """The judged findings of one model.

    model: Its name.
    dataset: The dataset; None where the rulings are about all of them.
    rulings: The rulings in the order of the areas, the worst first within an area.
    """

    model: str
    dataset: str | None
    rulings: tuple[Ruling, ...]

    @property
    def bad(self) -> tuple[Ruling, ...]:
        """The warnings."""
        return self._with("bad")

    @property
    def good(self) -> tuple[Ruling, ...]:
        """What is within the limits on every dataset."""
        return self._with("good")

    @property
    def inconclusive(self) -> tuple[Ruling, ...]:
        """What the intervals do not decide."""
        return self._with("inconclusive")

    @property
    def not_tested(self) -> tuple[Ruling, ...]:
        """Areas about which nothing was measured, with what would test them."""
        return self._with("not tested")

    def _with(self, outcome: Outcome) -> tuple[Ruling, ...]:
        return tuple(r for r in self.rulings if r.outcome == outcome)

    @cached_property
    def areas(self) -> dict[Area, Outcome]:
        """The outcome of each area: the worst of its rulings. An area is good only where nothing in it is open."""
        found: dict[Area, Outcome] = {}
        for ruling in self.rulings:
            known = found.get(ruling.area, "not tested")
            found[ruling.area] = min(known, ruling.outcome, key=_SEVERITY.index)
        return found

    def to_dict(self) -> dict[str, Any]:
        """As JSON: the decision, the outcome of each area, and the rulings."""
        rulings = [asdict(ruling) for ruling in self.rulings]
        return {"model": self.model, "dataset": self.dataset, "decision": self.decision, "areas": self.areas, "rulings": rulings}

    @property
    def decision(self) -> str:
        """The verdict in short: first, where a model is no better than a baseline, then the number of areas."""
        return " ".join([*self.not_above, self.count])

    @property
    def not_above(self) -> tuple[str, ...]:
        """'Accuracy is not above chance: top-1 14.2% (7.5 to 20.8%), chance 10.0%.', where that is so; likewise of retrieval."""
        first = {area: next((r for r in self.bad if r.area == area), None) for area in _MAIN}
        return tuple(said for ruling in first.values() if ruling is not None and (said := self._not_above(ruling)))

    def _not_above(self, ruling: Ruling) -> str:
        figure = ruling.figures[0]
        highest = max(figure.baselines, key=lambda b: b.value, default=None)
        if highest is None or figure.side_of(highest.value) > 0:
            return ""
        than = highest.detail.replace("always ", "always predicting ") or highest.name
        several = len({f.dataset for r in self.rulings if r.area == ruling.area for f in (*r.figures, *r.against)}) > 1
        where = f" on {figure.dataset}" if several else ""
        value = format_estimate(figure.value, figure.low, figure.high, figure.unit)
        level = f"{highest.name} {format_value(highest.value, figure.unit)}"
        return f"{ruling.area.capitalize()} is not above {than}{where}: {figure.short} {value}, {level}."

    @property
    def count(self) -> str:
        """In how many areas a model is bad, inconclusive or good."""
        areas = {outcome: [a for a, o in self.areas.items() if o == outcome] for outcome in _SEVERITY}
        tested = len(self.areas) - len(areas["not tested"])
        if not tested:
            return NOT_JUDGED
        if areas["bad"]:
            return f"Bad in {_of(len(areas['bad']), tested)}: {', '.join(areas['bad'])}."
        if areas["inconclusive"]:
            return f"Inconclusive in {_of(len(areas['inconclusive']), tested)}: {', '.join(areas['inconclusive'])}."
        return f"Good in {_of(tested, tested, all_='all')}: {', '.join(areas['good'])}."


def _of(count: int, tested: int, all_: str = "") -> str:
    if tested == 1:
        return "the only tested area"
    return f"{all_ or f'{count} of'} {tested} tested areas"


def verdicts(run: Run, models: Sequence[str] | None = None, *, targets: Mapping[str, float] | None = None) -> list[Verdict]:
    """One for each of `models` (all by default) that has a judged finding, over all datasets, under the leading prompt set.

    Args:
        run: The run.
        models: Names of models.
        targets: Limits in place of the defaults, by the metric's name; by default those of the run.
    """
    made = (verdict_of(run, model, targets=targets) for model in (run.models if models is None else models))
    return [v for v in made if v.bad or v.good or v.inconclusive]


def verdict_of(run: Run, model: str, dataset: str | None = None, *, targets: Mapping[str, float] | None = None) -> Verdict:
    """The verdict on one model, over all datasets or on one.

    Args:
        run: The run.
        model: The model's name.
        dataset: The dataset; None for all.
        targets: Limits in place of the defaults, by the metric's name; by default those of the run.
    """
    judged = judged_metrics(run.metrics(), run.targets if targets is None else targets)
    evidence = _evidence(run, model, judged)
    if dataset is not None:
        evidence = evidence.of_dataset(dataset)
    useless = useless_datasets(evidence, judged)
    made = [ruling for one in judged for ruling in judge(evidence, one, useless)]
    missing = not_tested(run, model, dataset, {ruling.area for ruling in made})
    order = sorted([*made, *missing], key=lambda r: (AREAS.index(r.area), _SEVERITY.index(r.outcome)))
    return Verdict(model, dataset, tuple(order))


def _evidence(run: Run, model: str, judged: Sequence[Judged]) -> Evidence:
    """The findings that limits need: of datasets that are examined, not of companions, under the leading prompt set."""
    metrics = [(j.metric.name, j.metric.chance, j.metric.baseline, j.limits.values) for j in judged]
    metrics += [(j.presumed.name, j.presumed.chance, None, None) for j in judged if j.presumed]
    names = pa.array(sorted({DIFFERENT_PICTURES, *(name for of in metrics for name in of if name)}), pa.string())
    of_model = pc.and_(pc.equal(run.findings["model"], model), pc.is_in(run.findings["metric"], names))
    companions = pa.array(run.companions, pa.string())
    mine = run.findings.filter(pc.and_(of_model, pc.invert(pc.is_in(run.findings["dataset"], companions))))
    figures = [Figure.of(row, run) for row in mine.to_pylist()]
    leading = run.prompts[:1]
    prompted = {f.probe for f in figures if "prompts" in f.where}
    used = (f for f in figures if f.where.get("prompts") in {None, *leading})
    return Evidence(with_originals((_without_way(f, other=f.probe in prompted) for f in used), run))


def _without_way(figure: Figure, *, other: bool) -> Figure:
    """The figure without its prompt set, since all have the same one. Where a model answers in one way alone, by class scores or
    as a file of predictions, the figure is without that too; where it answers by prompts as well, that is the `other` way."""
    dropped = {"prompts"} if other else {"prompts", "answers"}
    return replace(figure, slice=json.dumps({k: v for k, v in figure.where.items() if k not in dropped}))
