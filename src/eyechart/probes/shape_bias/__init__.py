"""Shape bias: whether the model decides by shape or by texture in cue-conflict pictures (Geirhos et al., 2019)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Flags
from eyechart.data.class_file import read_classes
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import crossed_shares
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.metrics.intervals.crossed_shares import crossed_share
from eyechart.notice import Notice, counted
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.shape_bias.cue_conflict import HUMANS, Stimuli, stimuli, uses_geirhos_categories
from eyechart.probes.shape_bias.decisions import DIRECT, IMAGENET_1K, Decider, decider_texts, deciders, has_columns
from eyechart.probes.shape_bias.exhibits import category_exhibit, decision_exhibit, texture_exhibit
from eyechart.probes.shape_bias.metrics import METRICS
from eyechart.probes.tasks.classifier import class_titles, known_classes
from eyechart.probes.tasks.given_predictions import given_predictions
from eyechart.probes.tasks.predictors import NO_PREDICTOR
from eyechart.probes.tasks.share_findings import share_finding

STYLIZED = "stylized-imagenet"
_VARIANTS = {DIRECT: (DIRECT,), IMAGENET_1K: (IMAGENET_1K,), "both": (DIRECT, IMAGENET_1K)}


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `shape_bias`.

    variant: "direct" (the names of the categories), "imagenet-1k" (softmax over the classes of ImageNet, averaged for each
        category), or "both".
    least: Decisions that a category needs to be reported.
    """

    variant: str = "both"
    least: int = 5

    def __post_init__(self) -> None:
        if self.variant not in _VARIANTS:
            raise ValueError(f"variant is {self.variant!r}; choose one of {', '.join(_VARIANTS)}")
        if self.least < 1:
            raise ValueError("least must be at least 1")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    return decider_texts(request, _VARIANTS[request.settings.variant])


@probe(
    version=1,
    needs=("pictures", "classes"),
    wants=("logit_scale", "class_scores"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("classify", "paper"),
    texts=texts,
    compares=True,
    from_predictions=True,
    headline=("shape_bias", "cue_share"),
)
def shape_bias(inputs: ProbeInput[Settings]) -> Answer:
    """Does the model decide by shape or by texture?

    Shape bias is the share of shape decisions among all shape and texture decisions on pictures with conflicting cues (Geirhos et
    al., 2019). For humans it is about 95%, for networks trained on ImageNet 20 to 40%.
    """
    if not has_columns(inputs):
        raise NotApplicable(
            "the dataset has no columns attr.shape and attr.texture; read cue-conflict pictures as cue-conflict:FOLDER"
        )
    found = stimuli(inputs.dataset, known_classes(inputs))
    conflict, agree = found.take(found.conflicting), found.take(~found.conflicting)
    if not len(conflict.rows):
        raise NotApplicable("no picture has a shape and a texture that are two different classes of the dataset")
    usable = deciders(inputs, _VARIANTS[inputs.settings.variant])
    if not usable:
        raise NotApplicable(NO_PREDICTOR)
    parts = [_by(inputs, decider, conflict, agree) for decider in usable]
    notices = _notices(inputs, found)
    if inputs.predictions is not None:
        notices += _other_answers(inputs, found)
    return Answer([f for p in parts for f in p.findings], [e for p in parts for e in p.exhibits], notices)


def _by(inputs: ProbeInput[Settings], decider: Decider, conflict: Stimuli, agree: Stimuli) -> Answer:
    """All findings and exhibits of one decider."""
    decisions = decider.decide(conflict.rows)
    shape, texture = decisions == conflict.shape, decisions == conflict.texture
    either = shape | texture
    titles = class_titles(known_classes(inputs))
    findings = [
        *_bias(inputs, "shape_bias", shape[either], conflict.take(either)),
        _share(inputs, "cue_share", either, conflict),
        _share(inputs, "shape_share", shape, conflict),
        _share(inputs, "texture_share", texture, conflict),
        *_categories(inputs, shape, either, conflict, titles),
        *([_share(inputs, "agreeing_accuracy", decider.decide(agree.rows) == agree.shape, agree)] if len(agree.rows) else []),
        *_gap_to_humans(inputs, shape, either, conflict),
        *_stylized(inputs, decider),
    ]
    exhibits = [
        *category_exhibit(
            [f for f in findings if f.metric == "category_shape_bias"], uses_geirhos_categories(inputs.dataset), decider
        ),
        decision_exhibit(
            shape, texture, [_share(inputs, "share", hits, conflict) for hits in (shape, texture, ~either)], decider
        ),
        *texture_exhibit(texture, conflict, inputs.dataset.ids(), titles, decider),
    ]
    return Answer([replace(f, slice={**f.slice, **decider.slice}) for f in findings], exhibits)


def _share(inputs: ProbeInput[Settings], metric: str, hits: Flags, of: Stimuli) -> Finding:
    """A share over stimuli. Stimuli made from one picture vary together, and so do copies."""
    if of.shape_source is not None and of.texture_source is not None:
        value, (low, high) = crossed_share(hits, of.shape_source, of.texture_source)
        finding = Finding(metric=metric, value=value, n=len(hits))
        known = bool(np.isfinite(low))  # not where all were made from one picture
        return replace(finding, low=low, high=high, interval=crossed_shares.HOW) if known else finding
    _, units = np.unique(inputs.units[of.rows], return_inverse=True)
    return share_finding(metric, clustered_share(hits, units))


def _bias(inputs: ProbeInput[Settings], metric: str, shape: Flags, decided: Stimuli) -> list[Finding]:
    """The value is None where no decision is for the shape or the texture."""
    if not len(shape):
        return [Finding(metric=metric, value=None, n=0)]
    return [_share(inputs, metric, shape, decided)]


def _categories(
    inputs: ProbeInput[Settings], shape: Flags, either: Flags, conflict: Stimuli, titles: Sequence[str]
) -> Iterator[Finding]:
    """Shape bias by the category of the shape."""
    for category in np.unique(conflict.shape):
        inside = either & (conflict.shape == category)
        if int(inside.sum()) >= inputs.settings.least:
            finding = _share(inputs, "category_shape_bias", shape[inside], conflict.take(inside))
            yield replace(finding, slice={"category": titles[category]})


def _gap_to_humans(inputs: ProbeInput[Settings], shape: Flags, either: Flags, conflict: Stimuli) -> list[Finding]:
    """Shape bias minus that of humans, which is taken as exact."""
    if not uses_geirhos_categories(inputs.dataset) or not either.any():
        return []
    counts = np.array(list(HUMANS.values())).sum(axis=0)
    humans = float(counts[0] / counts.sum())
    found = _share(inputs, "gap_to_humans", shape[either], conflict.take(either))
    value, low, high = (None if v is None else v - humans for v in (found.value, found.low, found.high))
    return [replace(found, value=value, low=low, high=high, baseline="five humans (Geirhos et al., 2019)")]


def _stylized(inputs: ProbeInput[Settings], decider: Decider) -> Iterator[Finding]:
    """Accuracy on Stylized ImageNet, where the plan has it: its pictures keep the shape, but not the texture."""
    if decider.predict_imagenet is None:
        return
    index = {c.label: i for i, c in enumerate(read_classes("imagenet-1k"))}
    for other in inputs.companions.values():
        dataset = other.dataset
        if STYLIZED not in (dataset.benchmark, dataset.name) or not dataset.has("label"):
            continue
        truth = np.array([index.get(label, -1) for label in dataset.table.column("label").to_pylist()], np.int64)
        rows = np.flatnonzero(truth >= 0)
        if len(rows):
            _, units = np.unique(other.units[rows], return_inverse=True)
            share = clustered_share(decider.predict_imagenet(other, rows) == truth[rows], units)
            yield share_finding("stylized_accuracy", share, {"dataset": dataset.name})


def _other_answers(inputs: ProbeInput[Settings], found: Stimuli) -> list[Notice]:
    """Trials of a file without an answer among the categories: they count as decisions for neither cue."""
    given = given_predictions(inputs, known_classes(inputs), found.rows)
    neither = int((given.predicted < 0).sum())
    if not neither:
        return []
    what = f"{counted(neither, 'answer')} of {len(found.rows):,} is none of the categories, and a decision for neither cue"
    return [Notice(inputs.dataset.name, what, "shape_bias is over decisions for shape or texture alone")]


def _notices(inputs: ProbeInput[Settings], found: Stimuli) -> list[Notice]:
    left_out = len(inputs.dataset) - len(found.rows)
    if not left_out:
        return []
    what = f"{counted(left_out, 'picture')} left out because the shape or texture is not among the class names"
    return [Notice(inputs.dataset.name, what, "add these names to the classes")]
