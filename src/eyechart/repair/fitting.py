"""From class vectors to a classifier that knows how sure it is: temperature, thresholds and prediction sets."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices
from eyechart.classifier import Classifier
from eyechart.data.classes import ClassList
from eyechart.metrics.calibration.abstention import class_abstention_thresholds, abstention_threshold
from eyechart.metrics.calibration.conformal import least_probability
from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.calibration.temperature import Temperature, fit_temperature
from eyechart.notice import Notice, counted
from eyechart.probes.probe import ProbeInput
from eyechart.repair.outcome import ask
from eyechart.repair.settings import Settings

Labels = npt.NDArray[np.str_]


def bare_classifier(classes: ClassList, vectors: Floats, scale: float, bias: float, settings: Settings) -> Classifier:
    """As the model is: its own logit scale, and an answer to everything."""
    return Classifier(
        labels=tuple(c.label for c in classes),
        names=tuple(c.name for c in classes),
        vectors=vectors,
        logit_scale=scale,
        logit_bias=bias,
        temperature=1.0,
        thresholds=np.zeros(len(classes)),
        reading=settings.reading,
    )


def with_temperature(bare: Classifier, images: Floats, labels: Labels, clusters: Indices) -> tuple[Classifier, Temperature]:
    """Fitted where it can be; at a bound (every answer right, or scores that say nothing) the classifier stays as it is.

    Of a label that several classes have, the likeliest one counts as the true class."""
    known = np.flatnonzero(np.isin(labels, bare.labels))
    cosines = CosineLogits(images[known], bare.vectors, bare.logit_scale, bare.logit_bias)
    truth = np.concatenate([_truth(block, bare, labels[known][rows]) for rows, block in cosines.blocks()])
    fitted = fit_temperature(cosines, truth, reading=bare.reading, clusters=clusters[known])
    return (bare if fitted.bound else replace(bare, temperature=fitted.value)), fitted


def _truth(logits: npt.NDArray[np.float64], classifier: Classifier, labels: Labels) -> Indices:
    return np.asarray(np.where(labels[:, None] == np.array(classifier.labels), logits, -np.inf).argmax(axis=1), np.int64)


def unpromised(inputs: ProbeInput[Any], fitted: Classifier, settings: Settings) -> list[Notice]:
    """What was asked for and could not be promised, since too few pictures were there to promise it by."""
    found = []
    if always := int((fitted.thresholds == 0).sum()):
        who = (
            f"{always} of {counted(len(fitted.labels), 'class', 'classes')} always answer"
            if settings.by_class
            else "it always answers"
        )
        what = f"{who}: too few right answers were seen to turn any away and keep {settings.keep:.3g} of them"
        found.append(Notice(inputs.model, what, "give more pictures, or keep fewer" + (", or one threshold" * settings.by_class)))
    if fitted.least == 0:
        why = f"too few pictures, or too many without a class, for a coverage of {settings.coverage:.3g}"
        found.append(Notice(inputs.model, f"prediction sets hold every class: {why}", "give more pictures, or ask for less"))
    return found


def calibrated(classifier: Classifier, images: Floats, labels: Labels, settings: Settings) -> Classifier:
    """Thresholds and prediction sets from pictures that had no part in the classifier so far."""
    seen = ask(classifier, images, labels)
    count, sure = len(classifier.labels), seen.confidence[seen.right]
    if settings.by_class:
        thresholds = class_abstention_thresholds(sure, seen.answers[seen.right], settings.keep, count)
    else:
        thresholds = np.full(count, abstention_threshold(sure, settings.keep))
    return replace(
        classifier, thresholds=thresholds, coverage=settings.coverage, least=least_probability(seen.own, settings.coverage)
    )
