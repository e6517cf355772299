"""Cause: the effect of a training difference on the headline metrics, from pairs of models."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import Interval
from eyechart.metrics.intervals.paired_models import HOW, HOW_ALIKE, HOW_ONE, paired_effect
from eyechart.metrics.intervals.slices import sidak_level
from eyechart.probes.cause.exhibits import effects_exhibit, pairs_exhibit
from eyechart.probes.cause.metrics import METRICS
from eyechart.probes.cause.training_pairs import TrainingComparison, training_comparisons
from eyechart.probes.contract import Answer, NotApplicable
from eyechart.probes.cross_model import CrossModelInput, cross_model_probe

Key = tuple[str, str]  # model and outcome
EQUAL = 1e-9  # an interval narrower than this means that all pairs have the same difference


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `cause`.

    controls: The control value of training facts, as "fact=value"; for other facts, the most frequent value.
    """

    controls: tuple[str, ...] = ("caption order=random", "fine-tuning=none", "accused=anyone", "frequencies=even", "scale=1")

    def __post_init__(self) -> None:
        for control in self.controls:
            if "=" not in control:
                raise ValueError(f"controls has {control!r}; write 'fact=value'")


@cross_model_probe(
    version=4,
    settings=Settings(),
    metrics=METRICS,
    headline=("strongest_training_effect",),
    profiles=("classify", "retrieval", "audit", "objects", "paper"),
)
def cause(panel: CrossModelInput[Settings]) -> Answer:
    """What is the effect of a training difference?

    Pairs of models whose model cards differ in one training fact only, with the same seed: the mean difference of every headline
    metric.
    """
    comparisons = training_comparisons(panel.cards, panel.settings.controls)
    if not comparisons:
        raise NotApplicable("no two models of the run have model cards that differ in exactly one training fact")
    known = dict(_outcomes(panel))
    outcomes = list(dict.fromkeys(outcome for _, outcome in known))
    effects = [e for c in comparisons for o in outcomes for e in _effects(c, o, known)]
    if not effects:
        raise NotApplicable("no headline metric was measured for both models of a pair")
    findings = [*_strongest(comparisons, outcomes, known), *effects]
    return Answer(findings, [*effects_exhibit(effects), pairs_exhibit(comparisons, outcomes, known)])


def _outcomes(panel: CrossModelInput[Settings]) -> Iterator[tuple[Key, Finding]]:
    """The headline metrics of every model under the first prompt set: over all rows, or in the only slice of the headline.

    That slice must be the same for every model. A slice that depends on the model, such as its worst class, is left out.
    """
    leading: dict[str, str] = {}
    by_metric: dict[tuple[str, str], dict[str, list[tuple[str, Finding]]]] = {}
    for row in panel.findings.to_pylist():
        if row["metric"] not in panel.headlines.get(row["probe"], ()) or row["value"] is None:
            continue
        under = json.loads(row["slice"])
        prompts = under.pop("prompts", None)
        if prompts is not None and leading.setdefault(row["probe"], prompts) != prompts:
            continue
        found = Finding(
            metric=row["metric"],
            value=row["value"],
            n=row["n"],
            low=row["low"],
            high=row["high"],
            slice={},
            unit=row["unit"],
            higher_is_better=row["higher_is_better"],
        )
        where = ", ".join(f"{key}: {value}" for key, value in under.items())
        by_metric.setdefault((row["probe"], row["metric"]), {}).setdefault(row["model"], []).append((where, found))
    for (probe, metric), by_model in by_metric.items():
        chosen = {model: _overall(findings) for model, findings in by_model.items()}
        if None in chosen.values() or len({where for where, _ in filter(None, chosen.values())}) > 1:
            continue
        for model, (where, found) in ((m, c) for m, c in chosen.items() if c is not None):
            yield (model, f"{probe}.{metric}" + (f" ({where})" if where else "")), found


def _overall(findings: Sequence[tuple[str, Finding]]) -> tuple[str, Finding] | None:
    """The number over all rows, else the only one; None where there are several."""
    over_all = [f for f in findings if not f[0]]
    return over_all[0] if over_all else findings[0] if len(findings) == 1 else None


def _effects(comparison: TrainingComparison, outcome: str, known: dict[Key, Finding], level: float = 0.95) -> list[Finding]:
    """The effect on one outcome; empty where it was not measured for both models of any pair."""
    pairs = [
        (known[a, outcome], known[b, outcome]) for a, b in comparison.pairs if (a, outcome) in known and (b, outcome) in known
    ]
    if not pairs:
        return []
    first, other = pairs[0]
    where = {"training": comparison.title, "of": outcome}
    effect = Finding(
        metric="training_effect",
        value=None,
        n=len(pairs),
        low=None,
        high=None,
        slice=where,
        unit=first.unit,
        higher_is_better=first.higher_is_better,
        interval=HOW,
        baseline=comparison.control,
    )
    if len(pairs) > 1:
        value, (low, high) = paired_effect(_values(a for a, _ in pairs), _values(b for _, b in pairs), level)
        if high - low > EQUAL:
            return [replace(effect, value=value, low=low, high=high)]
    # Equal differences of a few pairs can be a coincidence, so the interval comes from the models' own intervals.
    value = float(first.value or 0.0) - float(other.value or 0.0)
    widest = [_widest(a, b) for a, b in pairs]
    known_bounds = [bounds for bounds in widest if bounds is not None]
    if len(known_bounds) < len(pairs):
        return [
            replace(effect, value=value, interval="none: the metrics have no intervals, and all pairs have the same difference")
        ]
    low, high = min(b.low for b in known_bounds), max(b.high for b in known_bounds)
    return [replace(effect, value=value, low=low, high=high, interval=HOW_ONE if len(pairs) == 1 else HOW_ALIKE)]


def _values(findings: Iterable[Finding]) -> list[float]:
    return [float(f.value) for f in findings if f.value is not None]


def _widest(a: Finding, b: Finding) -> Interval | None:
    if a.low is None or a.high is None or b.low is None or b.high is None:
        return None
    return Interval(a.low - b.high, a.high - b.low)


def _strongest(comparisons: Sequence[TrainingComparison], outcomes: Sequence[str], known: dict[Key, Finding]) -> list[Finding]:
    """The effect over several pairs whose interval is farthest from 0, corrected for the choice."""
    several = [(c, o) for c in comparisons for o in outcomes if len(c.pairs) > 1]
    level = sidak_level(0.95, len(several))
    found = [e for c, o in several for e in _effects(c, o, known, level)]
    fractions = [e for e in found if e.unit == "fraction"]
    distances = [(max(e.low, -e.high), e) for e in fractions if e.low is not None and e.high is not None]
    if not distances:
        return []
    _, strongest = max(distances, key=lambda one: one[0])
    return [replace(strongest, metric="strongest_training_effect", interval=f"{strongest.interval}, all {len(several)} together")]
