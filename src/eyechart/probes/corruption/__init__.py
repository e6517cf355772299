"""Errors under corruption: noise, blur, fog and the like, at growing severity."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.metrics.classification.corruption_error import SEVERITIES, reference_errors
from eyechart.metrics.intervals.clustered_shares import HOW, HOW_TWO, ClusteredShare, share_ratio
from eyechart.notice import Notice
from eyechart.probes.corruption.exhibits import corruption_exhibits
from eyechart.probes.corruption.metrics import METRICS
from eyechart.probes.corruption.table import CorruptionTable
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.corrupted_rows import Corrupted, corrupted_sets, judge_corrupted
from eyechart.probes.tasks.predictors import Predictor, answer_texts, predictors


@dataclass(frozen=True)
class Settings:
    """There is nothing to choose: means weigh every corruption alike and, within it, every severity."""


@probe(
    version=2,
    needs=("images", "labels", "classes"),
    wants=("class_scores",),
    settings=Settings(),
    metrics=METRICS,
    texts=answer_texts,
    compares=True,
    headline=("mean_corrupted_accuracy", "relative_accuracy", "mce"),
)
def corruption(inputs: ProbeInput[Settings]) -> Answer:
    """How fast do errors grow when pictures are spoiled, and by what?"""
    sets = corrupted_sets(inputs)
    if not sets:
        raise NotApplicable("no pictures with a column attr.severity above 0; `eyechart corrupt` makes some")
    answers = [_by(inputs, found, answerer, alone=len(sets) == 1) for answerer in predictors(inputs) for found in sets]
    return Answer(
        [f for answer in answers for f in answer.findings],
        [e for answer in answers for e in answer.exhibits],
        list(dict.fromkeys(n for answer in answers for n in answer.notices)),
    )


def _by(inputs: ProbeInput[Settings], found: Corrupted, answerer: Predictor, *, alone: bool) -> Answer:
    """The whole question to one way of answering, about one set of corrupted pictures."""
    table = CorruptionTable(found, *judge_corrupted(inputs, found, answerer))
    at = answerer.slice | ({} if alone else {"shift": found.name})
    reference = reference_errors(found.contrast.shifted.dataset.benchmark)
    findings = [*_overall(table), *_of_each(table), *_beside_alexnet(table, reference)]
    findings = [replace(f, slice={**f.slice, **at}) for f in findings]
    return Answer(findings, corruption_exhibits(table, at), _notices(table, reference))


def _overall(table: CorruptionTable) -> list[Finding]:
    accuracy = table.mean(table.right)
    names = table.found.names
    worst = max(range(len(names)), key=lambda c: table.errors[c].value)
    findings = [
        _share("mean_corrupted_accuracy", accuracy),
        replace(_share("worst_corruption_error_rate", table.errors[worst]), slice={"corruption": names[worst]}),
    ]
    if table.clean is not None:
        findings += [_share("clean_accuracy", table.clean), *_relative(accuracy, table.clean)]
    return findings


def _of_each(table: CorruptionTable) -> list[Finding]:
    """By corruption, and by corruption and severity."""
    findings = []
    for c, name in enumerate(table.found.names):
        of = {"corruption": name}
        findings.append(replace(_share("corruption_error_rate", table.errors[c]), slice=of))
        if table.clean is not None:
            findings += [replace(f, slice=of) for f in _relative(table.accuracies[c], table.clean)]
        for severity in table.severities(c):
            cell = _share("corrupted_error_rate", table.error(c, severity))
            findings.append(replace(cell, slice={**of, "severity": severity}))
    return findings


def _relative(accuracy: ClusteredShare, clean: ClusteredShare) -> list[Finding]:
    """Accuracy under corruption as a share of that on clean pictures; nothing where the latter is 0."""
    if clean.value == 0:
        return []
    low, high = share_ratio(accuracy, clean)
    finding = Finding(metric="relative_accuracy", value=accuracy.value / clean.value, n=accuracy.n)
    sure = bool(np.isfinite(low))  # else the clean accuracy may be 0 for all that is known
    return [replace(finding, low=low, high=high, interval=HOW_TWO) if sure else finding]


def _beside_alexnet(table: CorruptionTable, reference: Mapping[str, float]) -> list[Finding]:
    """Errors divided by AlexNet's, of the corruptions that have all severities; their mean where all that AlexNet was measured
    under are there. ImageNet-C's four extra ones have no such figure and are no part of the mean, as in published ones."""
    findings = []
    for c, name in enumerate(table.found.names):
        if name in reference and _whole(table, c):
            ratio = table.mean(~table.right, c, by=reference)
            findings.append(replace(_ratio("ce", ratio), slice={"corruption": name}))
    if findings and len(findings) == len(reference):
        findings.append(_ratio("mce", table.mean(~table.right, by=reference)))
    return findings


def _whole(table: CorruptionTable, corruption: int) -> bool:
    return tuple(table.severities(corruption)) == SEVERITIES


def _share(metric: str, share: ClusteredShare) -> Finding:
    return Finding(
        metric=metric,
        value=share.value,
        n=share.n,
        low=share.estimate.low,
        high=share.estimate.high,
        interval=HOW,
    )


def _ratio(metric: str, share: ClusteredShare) -> Finding:
    finding = _share(metric, share)
    return replace(finding, unit="number", baseline="AlexNet")


def _notices(table: CorruptionTable, reference: Mapping[str, float]) -> list[Notice]:
    """What keeps a published set from having its mCE, and what its means are over where they are not over the same."""
    if not reference:
        return []
    where, names = table.found.name, table.found.names
    missing = [name for name in reference if name not in names]
    partial = [name for c, name in enumerate(names) if name in reference and not _whole(table, c)]
    extra = [name for name in names if name not in reference]
    notices = []
    if missing or partial:
        what = f"no mCE, since not all five severities are there of {', '.join(missing + partial)}"
        notices.append(Notice(where, what, "add the missing folders to set the mean beside published ones"))
    if extra:
        means = f"the mean and relative accuracy are over all {len(names)} corruptions"
        what = f"{means}, mCE over the {len(reference)} that AlexNet was measured under: without {', '.join(extra)}"
        notices.append(Notice(where, what, "leave these folders out to have all means over the same corruptions"))
    return notices
