"""From class vectors to a calibrated classifier: temperature, thresholds and prediction sets."""

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Floats, Indices
from eyechart.classifier import Classifier
from eyechart.data.classes import ClassList
from eyechart.findings.numbers import format_value
from eyechart.metrics.calibration.abstention import abstention_threshold, class_abstention_thresholds
from eyechart.metrics.calibration.conformal import least_probability
from eyechart.metrics.calibration.logits import CosineLogits
from eyechart.metrics.calibration.temperature import Temperature, fit_temperature
from eyechart.notice import Notice, counted
from eyechart.probes.contract import ProbeInput
from eyechart.repair.classifier_outcome import predict
from eyechart.repair.settings import Settings

Labels = npt.NDArray[np.str_]


def bare_classifier(classes: ClassList, vectors: Floats, scale: float, bias: float, settings: Settings) -> Classifier:
    """A classifier with the model's own logit scale, without temperature or thresholds."""
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
    """Temperature scaling. At a bound (every answer correct, or uninformative scores) the temperature stays 1.

    Where several classes share a label, the most probable one counts as the true class.
    """
    known = np.flatnonzero(np.isin(labels, bare.labels))
    cosines = CosineLogits(images[known], bare.vectors, bare.logit_scale, bare.logit_bias)
    truth = np.concatenate([_true_classes(block, bare, labels[known][rows]) for rows, block in cosines.blocks()])
    fitted = fit_temperature(cosines, truth, reading=bare.reading, clusters=clusters[known])
    return (bare if fitted.bound else replace(bare, temperature=fitted.value)), fitted


def _true_classes(logits: npt.NDArray[np.float64], classifier: Classifier, labels: Labels) -> Indices:
    return np.asarray(np.where(labels[:, None] == np.array(classifier.labels), logits, -np.inf).argmax(axis=1), np.int64)


def unmet_targets(inputs: ProbeInput[Any], fitted: Classifier, settings: Settings) -> list[Notice]:
    """Notices about targets that the calibration part was too small for."""
    found = []
    if always := int((fitted.thresholds == 0).sum()):
        who = (
            f"{always} of {counted(len(fitted.labels), 'class', 'classes')} never abstain"
            if settings.by_class
            else "the classifier never abstains"
        )
        kept = format_value(settings.keep, "fraction")
        what = f"{who}: there are too few correct answers to set a threshold that keeps {kept} of them"
        remedy = "add pictures, or lower --keep" + (", or use one threshold for all classes" if settings.by_class else "")
        found.append(Notice(inputs.model, what, remedy))
    if fitted.least == 0:
        coverage = format_value(settings.coverage, "fraction")
        what = f"prediction sets contain every class: too few pictures, or too many without a class, for a coverage of {coverage}"
        found.append(Notice(inputs.model, what, "add pictures, or lower --coverage"))
    return found


def calibrated(classifier: Classifier, images: Floats, labels: Labels, settings: Settings) -> Classifier:
    """Thresholds and prediction sets (split conformal) from pictures that were not used to fit the classifier."""
    outcome = predict(classifier, images, labels)
    count, confidence = len(classifier.labels), outcome.confidence[outcome.correct]
    if settings.by_class:
        thresholds = class_abstention_thresholds(confidence, outcome.answers[outcome.correct], settings.keep, count)
    else:
        thresholds = np.full(count, abstention_threshold(confidence, settings.keep))
    least = least_probability(outcome.label_probability, settings.coverage)
    return replace(classifier, thresholds=thresholds, coverage=settings.coverage, least=least)
