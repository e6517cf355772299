"""Corruption: error rates under noise, blur, fog and others at increasing severity (Hendrycks and Dietterich, 2019)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.metrics.classification.corruption_error import SEVERITIES, reference_errors
from eyechart.metrics.intervals.clustered_shares import HOW_TWO, ClusteredShare, share_ratio
from eyechart.notice import Notice
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.corruption.exhibits import corruption_exhibits
from eyechart.probes.corruption.metrics import METRICS
from eyechart.probes.corruption.table import CorruptionTable
from eyechart.probes.tasks.classifier import ONE_CLASS, class_titles, known_classes
from eyechart.probes.tasks.corrupted_rows import CorruptedSet, corrupted_sets, score_corrupted
from eyechart.probes.tasks.predictors import Predictor, predictor_texts, predictors
from eyechart.probes.tasks.share_findings import share_finding
from eyechart.probes.tasks.shifted_predictions import shifted_predictions


@dataclass(frozen=True)
class Settings:
    """The probe `corruption` has no settings. Means give equal weight to all corruptions, and to all severities of each."""


@probe(
    version=3,
    needs=("pictures", "labels", "classes"),
    wants=("logit_scale", "class_scores"),
    from_predictions=True,
    settings=Settings(),
    metrics=METRICS,
    among="all classes of the examined dataset, for clean and corrupted pictures",
    profiles=("classify",),
    texts=predictor_texts,
    compares=True,
    default_companions=("corruptions",),
    headline=("mean_corrupted_accuracy", "relative_accuracy", "mce"),
)
def corruption(inputs: ProbeInput[Settings]) -> Answer:
    """How much does the error rate rise on corrupted pictures?

    Corrupted and clean pictures are classified among all classes of the dataset, however few of them the corrupted set has. The
    mean corruption error (mCE) divides error rates by those of AlexNet, where they are published (ImageNet-C).
    """
    if len(known_classes(inputs)) < 2:
        raise NotApplicable(ONE_CLASS)
    sets = corrupted_sets(inputs)
    if not sets:
        raise NotApplicable("no picture has attr.severity above 0; `eyechart corrupt` makes corrupted pictures")
    answers = [_by(inputs, found, predictor, alone=len(sets) == 1) for predictor in predictors(inputs) for found in sets]
    return Answer(
        [f for answer in answers for f in answer.findings],
        [e for answer in answers for e in answer.exhibits],
        list(dict.fromkeys(n for answer in answers for n in answer.notices)),
        [p for answer in answers for p in answer.predictions],
    )


def _by(inputs: ProbeInput[Settings], found: CorruptedSet, predictor: Predictor, *, alone: bool) -> Answer:
    """All findings and exhibits of one predictor on one set of corrupted pictures."""
    table = CorruptionTable(found, *score_corrupted(inputs, found, predictor))
    at = predictor.slice | ({} if alone else {"shift": found.name})
    reference = reference_errors(found.pair.shifted.dataset.benchmark)
    findings = [*_overall(table), *_of_each(table), *_corruption_errors(table, reference)]
    findings = [replace(f, slice={**f.slice, **at}) for f in findings]
    predictions = shifted_predictions(inputs, found.pair, predictor)
    titles = class_titles(known_classes(inputs))
    return Answer(findings, corruption_exhibits(table, titles, at), _notices(table, reference), predictions)


def _overall(table: CorruptionTable) -> list[Finding]:
    accuracy = table.mean(table.correct)
    names = table.found.names
    worst = max(range(len(names)), key=lambda c: table.errors[c].value)
    findings = [
        share_finding("mean_corrupted_accuracy", accuracy),
        share_finding("worst_corruption_error_rate", table.errors[worst], {"corruption": names[worst]}),
    ]
    if table.clean is not None:
        findings += [share_finding("clean_accuracy", table.clean), *_relative(accuracy, table.clean)]
    return findings


def _of_each(table: CorruptionTable) -> list[Finding]:
    """By corruption, and by corruption and severity."""
    findings = []
    for c, name in enumerate(table.found.names):
        of = {"corruption": name}
        findings.append(share_finding("corruption_error_rate", table.errors[c], of))
        if table.clean is not None:
            findings += [replace(f, slice=of) for f in _relative(table.accuracies[c], table.clean)]
        for severity in table.severities(c):
            findings.append(share_finding("corrupted_error_rate", table.error(c, severity), {**of, "severity": severity}))
    return findings


def _relative(accuracy: ClusteredShare, clean: ClusteredShare) -> list[Finding]:
    """Accuracy under corruption divided by clean accuracy; nothing where the clean accuracy is 0."""
    if clean.value == 0:
        return []
    low, high = share_ratio(accuracy, clean)
    finding = Finding(metric="relative_accuracy", value=accuracy.value / clean.value, n=accuracy.n)
    bounded = bool(np.isfinite(low))  # not where the interval of the clean accuracy includes 0
    return [replace(finding, low=low, high=high, interval=HOW_TWO) if bounded else finding]


def _corruption_errors(table: CorruptionTable, reference: Mapping[str, float]) -> list[Finding]:
    """CE for corruptions with all severities, and mCE where all corruptions of the reference are complete.

    As in published results, mCE leaves out the four extra corruptions of ImageNet-C, for which AlexNet was not measured.
    """
    findings = []
    for c, name in enumerate(table.found.names):
        if name in reference and _complete(table, c):
            findings.append(_ratio("ce", table.mean(~table.correct, c, by=reference), {"corruption": name}))
    if findings and len(findings) == len(reference):
        findings.append(_ratio("mce", table.mean(~table.correct, by=reference), {}))
    return findings


def _complete(table: CorruptionTable, corruption: int) -> bool:
    return tuple(table.severities(corruption)) == SEVERITIES


def _ratio(metric: str, share: ClusteredShare, slice: Mapping[str, object]) -> Finding:
    return replace(share_finding(metric, share, slice), unit="number", baseline="AlexNet")


def _notices(table: CorruptionTable, reference: Mapping[str, float]) -> list[Notice]:
    """Why a published set has no mCE, and which corruptions its means are over."""
    if not reference:
        return []
    where, names = table.found.name, table.found.names
    missing = [name for name in reference if name not in names]
    partial = [name for c, name in enumerate(names) if name in reference and not _complete(table, c)]
    extra = [name for name in names if name not in reference]
    notices = []
    if missing or partial:
        what = f"no mCE, because severities are missing of {', '.join(missing + partial)}"
        notices.append(Notice(where, what, "add the missing folders to compare with published results"))
    if extra:
        means = f"the mean and relative accuracy are over all {len(names)} corruptions"
        what = f"{means}, mCE is over the {len(reference)} that AlexNet was measured under, without {', '.join(extra)}"
        notices.append(Notice(where, what, "remove these folders to have all means over the same corruptions"))
    return notices
