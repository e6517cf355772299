"""Calibration: whether a model is right as often as it is sure, with and without a temperature, and under shift too."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import cast

from eyechart.arrays import Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.calibration.ece import BINNINGS, Binning
from eyechart.metrics.calibration.readout import Reading
from eyechart.metrics.calibration.temperature import Temperature, fit_temperature
from eyechart.notice import Notice, counted
from eyechart.probes.calibration.exhibits import calibration_exhibits
from eyechart.probes.calibration.measures import How, measured, measured_by_class, measured_selectively
from eyechart.probes.calibration.metrics import METRICS
from eyechart.probes.calibration.readouts import read_set
from eyechart.probes.calibration.sets import PictureSet, halves, shifted_sets
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.classifier import class_titles, known_classes
from eyechart.probes.tasks.predictors import answer_texts
from eyechart.probes.tasks.scorers import Scorer, scorers

LEAST = 10  # pictures in either half

_NO_BEST = {
    "coldest": "every answer in the half that the temperature is fitted on is right, so that surer would always be better",
    "hottest": "the scores say nothing of the classes, so that less sure would always be better",
}


@dataclass(frozen=True)
class Settings:
    """`bins` and `binning`: of ECE ("equal-width" or "equal-mass"). `seed`: of the halves and of the bootstrap."""

    bins: int = 15
    binning: str = "equal-width"
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.binning not in BINNINGS:
            raise ValueError(f"binning is one of {', '.join(BINNINGS)}")
        if min(self.bins, self.resamples) < 1 or self.seed < 0:
            raise ValueError("bins and resamples are whole numbers from 1 up, seed from 0 up")


@probe(
    version=2,
    needs=("images", "labels", "classes"),
    wants=("logit_scale", "class_scores"),
    settings=Settings(),
    metrics=METRICS,
    texts=answer_texts,
    compares=True,
    headline=("ece", "temperature", "confidence_auroc"),
)
def calibration(inputs: ProbeInput[Settings]) -> Answer:
    """Is the model right as often as it is sure?

    Probabilities are the softmax of the model's own logits; those of a model that was trained with a sigmoid loss are also read
    as it was trained, class by class. A temperature is fitted on a random half of the pictures (Guo et al., 2017); everything is
    measured on the other half and on every shifted set, before and after it.
    """
    settings: Settings = inputs.settings
    fit, held_out = halves(inputs, settings.seed)
    if min(len(fit), len(held_out)) < LEAST or len(fit.columns) < 2:
        raise NotApplicable(f"it takes two classes and {2 * LEAST} labelled pictures, half of them to fit a temperature on")
    found = scorers(inputs)
    if not found:
        raise NotApplicable("the model has neither vectors for the names of the classes nor scores for ImageNet's thousand")
    able = [scorer for scorer in found if scorer.logits is not None]
    if not able:
        raise NotApplicable("the model has no logit scale, so its scores are no probabilities")
    shifted = shifted_sets(inputs, fit)
    answers = [_by(inputs, scorer, reading, fit, held_out, shifted) for scorer in able for reading in _readings(inputs, scorer)]
    return Answer(
        [f for answer in answers for f in answer.findings],
        [e for answer in answers for e in answer.exhibits],
        list(dict.fromkeys([*_unscaled(inputs, found), *(n for answer in answers for n in answer.notices)])),
    )


def _readings(inputs: ProbeInput[Settings], scorer: Scorer) -> list[Reading]:
    """Softmax for everybody; sigmoid too for a model that learned to say yes or no to each text by itself."""
    learned = scorer.by_words and (scorer.bias != 0.0 or (inputs.card.loss or "").startswith("sigmoid"))
    return ["softmax", "sigmoid"] if learned else ["softmax"]


def _by(
    inputs: ProbeInput[Settings],
    scorer: Scorer,
    reading: Reading,
    fit: PictureSet,
    held_out: PictureSet,
    shifted: Sequence[PictureSet],
) -> Answer:
    """The whole question to one way of scoring, read in one way."""
    settings: Settings = inputs.settings
    under = scorer.slice | ({"reading": reading} if reading != "softmax" else {})
    how = How(settings.bins, cast(Binning, settings.binning), settings.resamples, settings.seed)
    fitted = fit_temperature(fit.logits(scorer), cast(Indices, fit.truth), reading=reading, clusters=fit.units)
    temperature = fitted.value if fitted.bound is None else None

    logits = held_out.logits(scorer)
    (reads,) = read_set(held_out, logits, temperature, reading)
    of_half = measured(reads, how)
    of_shifted = [measured(r, how) for s in shifted for r in read_set(s, s.logits(scorer), temperature, reading)]
    findings = [
        *_scale(scorer, fitted),
        *of_half.findings,
        *measured_by_class(reads, logits, cast(Indices, held_out.truth), temperature, reading, how),
        *measured_selectively(reads, how),
        *(f for of in of_shifted for f in of.findings),
    ]
    titles = class_titles(known_classes(inputs))
    shown = calibration_exhibits(of_half, of_shifted, temperature, titles, how, under)
    notices = [] if fitted.bound is None else [_without_temperature(inputs, scorer, fitted.bound)]
    return Answer([replace(f, slice={**f.slice, **under}) for f in findings], shown, notices)


def _scale(scorer: Scorer, fitted: Temperature) -> list[Finding]:
    """What cosines are multiplied by, which the temperature divides; and that temperature, where there is one."""
    found = []
    if scorer.scale is not None:
        found.append(Finding(metric="logit_scale", value=scorer.scale, n=fitted.n))
    if fitted.bound is None:
        how = None if fitted.low is None else "normal in log T, or score test where few pictures decide, 95%"
        found.append(
            Finding(
                metric="temperature", value=fitted.value, n=fitted.n, low=fitted.low, high=fitted.high, slice={}, interval=how
            )
        )
    return found


def _without_temperature(inputs: ProbeInput[Settings], scorer: Scorer, bound: str) -> Notice:
    what = f"{inputs.model} ({scorer.title}) gets no temperature: {_NO_BEST[bound]}"
    return Notice(inputs.dataset.name, what, "more or harder pictures would tell one")


def _unscaled(inputs: ProbeInput[Settings], found: Sequence[Scorer]) -> list[Notice]:
    left = sum(scorer.logits is None for scorer in found)
    if not left:
        return []
    what = f"it has no logit scale, so {counted(left, 'prompt set')} are left out, and its own class scores are examined"
    return [Notice(inputs.model, what, "give the scale with the model's vectors, where it is known")]
