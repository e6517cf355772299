"""Numbers of the probe `calibration`, before and after temperature scaling."""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.metrics.calibration.classwise import HOW as CLASSWISE
from eyechart.metrics.calibration.classwise import classwise_ece
from eyechart.metrics.calibration.consistency import HOW as CONSISTENT
from eyechart.metrics.calibration.consistency import calibrated_gaps, calibrated_mean_interval, wider
from eyechart.metrics.calibration.ece import Binning, drawn_gaps, gap_intervals, gaps, make_bins
from eyechart.metrics.calibration.gap_norms import total
from eyechart.metrics.calibration.logits import LogitBlocks
from eyechart.metrics.calibration.mean_losses import HOW as MEAN
from eyechart.metrics.calibration.mean_losses import mean_loss
from eyechart.metrics.calibration.readout import Reading
from eyechart.metrics.calibration.selective import (
    AURC_CHANGE_HOW,
    AURC_HOW,
    RISK_HOW,
    aurc_influence,
    aurc_interval,
    selective_risks,
)
from eyechart.metrics.intervals import Interval
from eyechart.metrics.intervals.clustered_shares import HOW as SHARE
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.intervals.influence import normal_interval, standard_error
from eyechart.metrics.intervals.paired_differences import (
    BOUNDS,
    DELONG,
    PAIRED,
    auroc_difference,
    gap_difference_interval,
    mean_difference,
)
from eyechart.metrics.ranking.intervals import Scored, delong
from eyechart.probes.calibration.predicted_probabilities import PredictedProbabilities

UNSCALED = "unscaled probabilities"
CONSISTENT_MEAN = "the wider of normal and simulated labels, 95%"
COVERAGES = (0.5, 0.8, 0.9)
LEAST_OF_BOTH = 5  # correct and incorrect predictions: with one error, its place alone would be the AUROC


@dataclass(frozen=True)
class EceSettings:
    """How ECE is computed.

    bins: The number of bins.
    binning: "equal-width" or "equal-mass".
    resamples: Bootstrap resamples.
    seed: The seed of the bootstrap.
    """

    bins: int
    binning: Binning
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class CalibrationMeasures:
    """Predictions and their calibration.

    predictions: The predictions.
    findings: The numbers.
    """

    predictions: PredictedProbabilities
    findings: list[Finding]

    def finding(self, metric: str) -> Finding:
        return next(f for f in self.findings if f.metric == metric)

    def value(self, metric: str) -> float:
        value = self.finding(metric).value
        return float("nan") if value is None else value


def calibration_measures(predictions: PredictedProbabilities, how: EceSettings) -> CalibrationMeasures:
    """Accuracy, ECE, NLL, Brier score, overconfidence, AURC and confidence AUROC, and their change by temperature scaling."""
    found = [_accuracy(predictions), *_ece(predictions, how), *_means(predictions), *_aurc(predictions), *_auroc(predictions)]
    return CalibrationMeasures(predictions, [replace(f, slice=predictions.slice) for f in found])


def _accuracy(predictions: PredictedProbabilities) -> Finding:
    units = np.unique(predictions.units, return_inverse=True)[1]
    value, low, high = clustered_share(predictions.correct, units).estimate
    return Finding(metric="accuracy", value=value, n=len(predictions), low=low, high=high, interval=SHARE)


def _ece(predictions: PredictedProbabilities, how: EceSettings) -> list[Finding]:
    found = {end: gaps(out.confidence, predictions.correct, how.bins, how.binning) for end, out in predictions.readouts.items()}
    drawn = drawn_gaps(list(found.values()), seed=how.seed, clusters=predictions.units, resamples=how.resamples)
    said = [out.confidence for out in predictions.readouts.values()]
    simulations = calibrated_gaps(list(found.values()), said, seed=how.seed, clusters=predictions.units, resamples=how.resamples)
    findings, noise = [], []
    for (end, of), draws, kept in zip(found.items(), drawn, simulations, strict=True):
        noise.append(float(total(kept).mean()))
        bootstrap, simulated = gap_intervals(of, draws), gap_intervals(of, kept + of.sums / len(predictions))
        plain, squared = (wider(a, b) for a, b in zip(bootstrap, simulated, strict=True))
        findings += [
            _finding(f"ece{end}", of.ece, len(predictions), plain, CONSISTENT),
            _finding(f"rms_ece{end}", of.rms_ece, len(predictions), squared, CONSISTENT),
        ]
    findings.append(Finding(metric="ece_if_calibrated", value=noise[0], n=len(predictions)))
    if predictions.scaled is not None:
        both = found["_scaled"], found[""]
        interval = gap_difference_interval(both, (drawn[1], drawn[0]))
        findings.append(_finding("ece_change", both[0].ece - both[1].ece, len(predictions), interval, BOUNDS, baseline=UNSCALED))
    return findings


def _means(predictions: PredictedProbabilities) -> list[Finding]:
    """Means over pictures: negative log-likelihood, Brier score, and overconfidence."""
    findings = []
    for end, out in predictions.readouts.items():
        for name, values in (("nll", out.nll), ("brier", out.brier)):
            value, interval = mean_loss(name, values, out.confidence, predictions.units)
            findings.append(_finding(f"{name}{end}", value, len(predictions), interval, MEAN))
        value, normal = mean_difference(out.confidence, predictions.correct, predictions.units)
        interval = wider(normal, calibrated_mean_interval(value, out.confidence, predictions.units))
        findings.append(_finding(f"overconfidence{end}", value, len(predictions), interval, CONSISTENT_MEAN))
    for name in ("nll", "brier") if predictions.scaled is not None else ():
        value, interval = mean_difference(getattr(predictions.scaled, name), getattr(predictions.own, name), predictions.units)
        findings.append(_finding(f"{name}_change", value, len(predictions), interval, PAIRED, baseline=UNSCALED))
    return findings


def _aurc(predictions: PredictedProbabilities) -> list[Finding]:
    """The area under the risk–coverage curve."""
    wrong, findings = ~predictions.correct, []
    for end, out in predictions.readouts.items():
        value, interval = aurc_interval(out.confidence, wrong, predictions.units)
        findings.append(_finding(f"aurc{end}", value, len(predictions), interval, AURC_HOW))
    if predictions.scaled is not None:
        (before, own), (after, scaled) = (aurc_influence(out.confidence, wrong) for out in (predictions.own, predictions.scaled))
        interval = normal_interval(after - before, standard_error(scaled - own, predictions.units))
        findings.append(_finding("aurc_change", after - before, len(predictions), interval, AURC_CHANGE_HOW, baseline=UNSCALED))
    return findings


def _auroc(predictions: PredictedProbabilities) -> list[Finding]:
    """AUROC of confidence for correct against incorrect predictions, where there are enough of both to be compared."""
    correct = int(predictions.correct.sum())
    if min(correct, len(predictions) - correct) < LEAST_OF_BOTH:
        return []
    scored = {end: Scored(out.confidence, predictions.correct, predictions.units) for end, out in predictions.readouts.items()}
    findings = []
    for end, of in scored.items():
        value, interval, how = delong(of)
        findings.append(_finding(f"confidence_auroc{end}", value, len(predictions), interval, how))
    if predictions.scaled is not None:
        value, interval = auroc_difference(scored["_scaled"], scored[""])
        findings.append(_finding("confidence_auroc_change", value, len(predictions), interval, DELONG, baseline=UNSCALED))
    return findings


def classwise_findings(
    predictions: PredictedProbabilities,
    logits: LogitBlocks,
    truth: npt.NDArray[np.int64],
    temperature: float | None,
    reading: Reading,
    how: EceSettings,
) -> list[Finding]:
    """Class-wise ECE. Its bins have equal width, because nearly all probabilities of a class are near 0."""
    findings = []
    for end, t in zip(predictions.readouts, (1.0, temperature or 1.0), strict=False):
        bins = make_bins([], how.bins)
        value, interval = classwise_ece(logits, truth, bins, t, reading=reading, clusters=predictions.units, seed=how.seed)
        finding = _finding(f"classwise_ece{end}", value, len(predictions), interval, CLASSWISE)
        findings.append(replace(finding, slice=predictions.slice))
    return findings


def selective_findings(predictions: PredictedProbabilities, how: EceSettings) -> list[Finding]:
    """The error rate among the 50%, 80% and 90% most confident predictions."""
    wrong, units = ~predictions.correct, predictions.units
    risks = selective_risks(predictions.own.confidence, wrong, COVERAGES, seed=how.seed, clusters=units, resamples=how.resamples)
    findings = []
    for coverage, (risk, interval) in zip(COVERAGES, risks, strict=True):
        finding = _finding("selective_risk", risk, len(predictions), interval, RISK_HOW)
        findings.append(replace(finding, slice={"coverage": coverage}))
    return findings


def _finding(
    metric: str,
    value: float,
    n: int,
    interval: Interval,
    how: str,
    *,
    baseline: str | None = None,
) -> Finding:
    low, high = (bound if np.isfinite(bound) else None for bound in interval)  # not finite for a single scene
    return Finding(
        metric=metric,
        value=value,
        n=n,
        low=low,
        high=high,
        slice={},
        interval=how,
        baseline=baseline,
    )
