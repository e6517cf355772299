"""What is measured of a model's confidence on some pictures, as it is and at a fitted temperature."""

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
    selective_risk,
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
from eyechart.probes.calibration.readouts import Reads

OWN = "its own probabilities"
CONSISTENT_MEAN = "the wider of normal and drawn answers, 95%"
COVERAGES = (0.5, 0.8, 0.9)


@dataclass(frozen=True)
class How:
    """`bins` and `binning` of ECE; `resamples` and `seed` of the bootstrap."""

    bins: int
    binning: Binning
    resamples: int
    seed: int


@dataclass(frozen=True, eq=False)
class CalibrationMeasures:
    """Some answers and what was found of them."""

    reads: Reads
    findings: list[Finding]

    def finding(self, metric: str) -> Finding:
        return next(f for f in self.findings if f.metric == metric)

    def value(self, metric: str) -> float:
        value = self.finding(metric).value
        return float("nan") if value is None else value


def measured(reads: Reads, how: How) -> CalibrationMeasures:
    """Accuracy, ECE, NLL, Brier, overconfidence, AURC and AUROC of confidence, and what the temperature does to each."""
    found = [_accuracy(reads), *_errors(reads, how), *_means(reads), *_areas(reads), *_rankings(reads)]
    return CalibrationMeasures(reads, [replace(f, slice=reads.slice) for f in found])


def _accuracy(reads: Reads) -> Finding:
    units = np.unique(reads.units, return_inverse=True)[1]
    value, low, high = clustered_share(reads.right, units).estimate
    return Finding(metric="accuracy", value=value, n=len(reads), low=low, high=high, interval=SHARE)


def _errors(reads: Reads, how: How) -> list[Finding]:
    found = {end: gaps(out.confidence, reads.right, how.bins, how.binning) for end, out in reads.readouts.items()}
    drawn = drawn_gaps(list(found.values()), seed=how.seed, clusters=reads.units, resamples=how.resamples)
    findings, noise = [], []
    for (end, of), draws in zip(found.items(), drawn, strict=True):
        said = reads.readouts[end].confidence
        kept = calibrated_gaps(of, said, seed=how.seed, clusters=reads.units, resamples=how.resamples)
        noise.append(float(total(kept).mean()))
        by_seen, by_said = gap_intervals(of, draws), gap_intervals(of, kept + of.sums / len(reads))
        plain, squared = (wider(a, b) for a, b in zip(by_seen, by_said, strict=True))
        findings += [
            _finding(f"ece{end}", of.ece, len(reads), plain, CONSISTENT),
            _finding(f"rms_ece{end}", of.rms_ece, len(reads), squared, CONSISTENT),
        ]
    findings.append(Finding(metric="ece_if_calibrated", value=noise[0], n=len(reads)))
    if reads.scaled is not None:
        both = found["_scaled"], found[""]
        interval = gap_difference_interval(both, (drawn[1], drawn[0]))
        findings.append(_finding("ece_change", both[0].ece - both[1].ece, len(reads), interval, BOUNDS, baseline=OWN))
    return findings


def _means(reads: Reads) -> list[Finding]:
    """Of what every picture has by itself: its loss, its Brier score, and how much too sure its answer was."""
    findings = []
    for end, out in reads.readouts.items():
        for name, values in (("nll", out.nll), ("brier", out.brier)):
            value, interval = mean_loss(name, values, out.confidence, reads.units)
            findings.append(_finding(f"{name}{end}", value, len(reads), interval, MEAN))
        value, seen = mean_difference(out.confidence, reads.right, reads.units)
        interval = wider(seen, calibrated_mean_interval(value, out.confidence, reads.units))
        findings.append(_finding(f"overconfidence{end}", value, len(reads), interval, CONSISTENT_MEAN))
    for name in ("nll", "brier") if reads.scaled is not None else ():
        value, interval = mean_difference(getattr(reads.scaled, name), getattr(reads.own, name), reads.units)
        findings.append(_finding(f"{name}_change", value, len(reads), interval, PAIRED, baseline=OWN))
    return findings


def _areas(reads: Reads) -> list[Finding]:
    """AURC: the error among the surest, on average over how many are answered."""
    wrong, findings = ~reads.right, []
    for end, out in reads.readouts.items():
        value, interval = aurc_interval(out.confidence, wrong, reads.units)
        findings.append(_finding(f"aurc{end}", value, len(reads), interval, AURC_HOW))
    if reads.scaled is not None:
        (before, own), (after, scaled) = (aurc_influence(out.confidence, wrong) for out in (reads.own, reads.scaled))
        interval = normal_interval(after - before, standard_error(scaled - own, reads.units))
        findings.append(_finding("aurc_change", after - before, len(reads), interval, AURC_CHANGE_HOW, baseline=OWN))
    return findings


def _rankings(reads: Reads) -> list[Finding]:
    """AUROC of confidence for right against wrong answers, where there are both."""
    if reads.right.all() or not reads.right.any():
        return []
    scored = {end: Scored(out.confidence, reads.right, reads.units) for end, out in reads.readouts.items()}
    findings = []
    for end, of in scored.items():
        value, interval, how = delong(of)
        findings.append(_finding(f"confidence_auroc{end}", value, len(reads), interval, how))
    if reads.scaled is not None:
        value, interval = auroc_difference(scored["_scaled"], scored[""])
        findings.append(_finding("confidence_auroc_change", value, len(reads), interval, DELONG, baseline=OWN))
    return findings


def measured_by_class(
    reads: Reads, logits: LogitBlocks, truth: npt.NDArray[np.int64], temperature: float | None, reading: Reading, how: How
) -> list[Finding]:
    """Class-wise ECE; its bins are of equal width whatever the binning, for nearly all probabilities of a class are near 0."""
    findings = []
    for end, t in zip(reads.readouts, (1.0, temperature or 1.0), strict=False):
        bins = make_bins([], how.bins)
        value, interval = classwise_ece(logits, truth, bins, t, reading=reading, clusters=reads.units, seed=how.seed)
        findings.append(_finding(f"classwise_ece{end}", value, len(reads), interval, CLASSWISE))
    return findings


def measured_selectively(reads: Reads, how: How) -> list[Finding]:
    """The error among the surest half, four fifths and nine tenths of the pictures."""
    findings = []
    for coverage in COVERAGES:
        risk, interval = selective_risk(
            reads.own.confidence, ~reads.right, coverage, seed=how.seed, clusters=reads.units, resamples=how.resamples
        )
        finding = _finding("selective_risk", risk, len(reads), interval, RISK_HOW)
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
    low, high = (bound if np.isfinite(bound) else None for bound in interval)  # of a single scene nothing is known
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
