"""Calibration: whether confidence matches accuracy, before and after temperature scaling, and under distribution shift."""

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
from eyechart.probes.calibration.measures import EceSettings, calibration_measures, classwise_findings, selective_findings
from eyechart.probes.calibration.metrics import METRICS
from eyechart.probes.calibration.predicted_probabilities import predict_set
from eyechart.probes.calibration.sets import Halves, PictureSet, shifted_sets, split_halves
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.classifier import class_titles, known_classes
from eyechart.probes.tasks.picture_predictions import class_score_predictions
from eyechart.probes.tasks.predictors import NO_PREDICTOR, predictor_texts
from eyechart.probes.tasks.scorers import Scorer, scorers

LEAST = 10  # pictures in either half

_NO_OPTIMUM = {
    "coldest": "all predictions in the fitting half are correct, so the likelihood rises without limit as T falls",
    "hottest": "the scores carry no information about the classes, so the likelihood rises without limit as T grows",
}


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `calibration`.

    bins: Bins of ECE.
    binning: "equal-width" or "equal-mass".
    resamples: Bootstrap resamples.
    seed: The seed of the halves and of the bootstrap.
    """

    bins: int = 15
    binning: str = "equal-width"
    resamples: int = 1000
    seed: int = 0

    def __post_init__(self) -> None:
        if self.binning not in BINNINGS:
            raise ValueError(f"binning is {self.binning!r}; choose one of {', '.join(BINNINGS)}")
        if min(self.bins, self.resamples) < 1 or self.seed < 0:
            raise ValueError("bins and resamples must be at least 1, seed at least 0")


@probe(
    version=5,
    needs=("pictures", "labels", "classes"),
    wants=("logit_scale", "class_scores"),
    settings=Settings(),
    metrics=METRICS,
    among="all classes of the examined dataset, for all pictures",
    profiles=("classify", "paper"),
    texts=predictor_texts,
    compares=True,
    headline=("ece", "temperature", "confidence_auroc"),
)
def calibration(inputs: ProbeInput[Settings]) -> Answer:
    """Does the model's confidence match its accuracy?

    Probabilities are the softmax of the model's logits; for models trained with a sigmoid loss, also the sigmoid of each logit.
    They are judged on all pictures. A temperature is fitted on a random half of the pictures (Guo et al., 2017); its effect is
    measured on the other half and on every shifted dataset, before and after temperature scaling.
    """
    settings: Settings = inputs.settings
    halves = split_halves(inputs, settings.seed)
    if min(len(halves.fit), len(halves.held_out)) < LEAST or len(halves.fit.columns) < 2:
        raise NotApplicable(f"the probe needs two classes and {2 * LEAST} labeled pictures, half of them to fit a temperature")
    found = scorers(inputs)
    if not found:
        raise NotApplicable(NO_PREDICTOR)
    able = [scorer for scorer in found if scorer.logits is not None]
    if not able:
        raise NotApplicable("the model has no logit scale, so its scores are not probabilities")
    shifted = shifted_sets(inputs, halves.fit)
    answers = [_by(inputs, scorer, reading, halves, shifted) for scorer in able for reading in _readings(inputs, scorer)]
    return Answer(
        [f for answer in answers for f in answer.findings],
        [e for answer in answers for e in answer.exhibits],
        list(dict.fromkeys([*_unscaled(inputs, found), *(n for answer in answers for n in answer.notices)])),
        [p for scorer in able if not scorer.by_prompts for p in class_score_predictions(inputs, scorer)],
    )


def _readings(inputs: ProbeInput[Settings], scorer: Scorer) -> list[Reading]:
    """Softmax for all models; also sigmoid for models trained with a sigmoid loss."""
    learned = scorer.by_prompts and (scorer.bias != 0.0 or (inputs.card.loss or "").startswith("sigmoid"))
    return ["softmax", "sigmoid"] if learned else ["softmax"]


def _by(
    inputs: ProbeInput[Settings],
    scorer: Scorer,
    reading: Reading,
    halves: Halves,
    shifted: Sequence[PictureSet],
) -> Answer:
    """All findings and exhibits of one scorer and one reading of its logits."""
    settings: Settings = inputs.settings
    under = scorer.slice | ({"reading": reading} if reading != "softmax" else {})
    how = EceSettings(settings.bins, cast(Binning, settings.binning), settings.resamples, settings.seed)
    fit, held_out, whole = halves.fit, halves.held_out, halves.whole
    fitted = fit_temperature(fit.logits(scorer), cast(Indices, fit.truth), reading=reading, clusters=fit.units)
    temperature = fitted.value if fitted.bound is None else None

    of_all = whole.logits(scorer)
    (unscaled,) = predict_set(whole, of_all, None, reading)
    logits = held_out.logits(scorer)
    (predictions,) = predict_set(held_out, logits, temperature, reading)
    of_whole, of_half = calibration_measures(unscaled, how), calibration_measures(predictions, how)
    of_shifted = [calibration_measures(p, how) for s in shifted for p in predict_set(s, s.logits(scorer), temperature, reading)]
    findings = [
        *_scale(scorer, fitted),
        *of_whole.findings,
        *classwise_findings(unscaled, of_all, cast(Indices, whole.truth), None, reading, how),
        *selective_findings(unscaled, how),
        *of_half.findings,
        *classwise_findings(predictions, logits, cast(Indices, held_out.truth), temperature, reading, how),
        *(f for of in of_shifted for f in of.findings),
    ]
    titles = class_titles(known_classes(inputs))
    shown = calibration_exhibits(of_whole, of_half, of_shifted, temperature, titles, how, under)
    notices = [] if fitted.bound is None else [_without_temperature(inputs, scorer, fitted.bound)]
    return Answer([replace(f, slice={**f.slice, **under}) for f in findings], shown, notices)


def _scale(scorer: Scorer, fitted: Temperature) -> list[Finding]:
    """The logit scale, and the fitted temperature where there is one."""
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
    what = f"no temperature could be fitted for {inputs.model} ({scorer.title}): {_NO_OPTIMUM[bound]}"
    return Notice(inputs.dataset.name, what, "use more or harder pictures")


def _unscaled(inputs: ProbeInput[Settings], found: Sequence[Scorer]) -> list[Notice]:
    left = sum(scorer.logits is None for scorer in found)
    if not left:
        return []
    what = f"{counted(left, 'prompt set')} left out because the model has no logit scale; its own class scores are used"
    return [Notice(inputs.model, what, "give the logit scale with the model's vectors, where it is known")]
