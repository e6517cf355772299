"""Shape bias: when the shape of one thing wears the texture of another, which of the two does the model name?"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from eyechart.arrays import Flags
from eyechart.data.class_file import read_classes
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals import crossed_shares
from eyechart.metrics.intervals.clustered_shares import HOW, clustered_share
from eyechart.metrics.intervals.crossed_shares import crossed_share
from eyechart.notice import Notice, counted
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.shape_bias.cue_conflict import PEOPLE, Stimuli, are_the_sixteen, stimuli
from eyechart.probes.shape_bias.decisions import DIRECT, THOUSAND, Decider, deciders, has_columns, needed_texts
from eyechart.probes.shape_bias.exhibits import category_exhibit, decision_exhibit, texture_exhibit
from eyechart.probes.shape_bias.metrics import METRICS
from eyechart.probes.tasks.classifier import class_titles, known_classes

STYLISED = "stylized-imagenet"
_ASKED = {DIRECT: (DIRECT,), THOUSAND: (THOUSAND,), "both": (DIRECT, THOUSAND)}


@dataclass(frozen=True)
class Settings:
    """variant: "direct" (the categories' own names), "imagenet-1k" (softmax over ImageNet's classes, mean over each category's)
    or "both". least: decisions that a category needs for a figure of its own."""

    variant: str = "both"
    least: int = 5

    def __post_init__(self) -> None:
        if self.variant not in _ASKED:
            raise ValueError(f"variant is {self.variant!r}; choose one of {', '.join(_ASKED)}")
        if self.least < 1:
            raise ValueError("least is a whole number from 1 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    return needed_texts(request, _ASKED[request.settings.variant])


@probe(
    version=1,
    needs=("images", "classes"),
    wants=("logit_scale", "class_scores"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    compares=True,
    headline=("shape_bias", "cue_share"),
)
def shape_bias(inputs: ProbeInput[Settings]) -> Answer:
    """Where shape and texture disagree, does the model go by the shape?

    Shape bias is the share of shape answers among those that name either the shape or the texture (Geirhos et al., 2019). People
    are at about 95%, networks trained on ImageNet at 20 to 40%.
    """
    if not has_columns(inputs):
        raise NotApplicable(
            "the dataset does not say which shape and which texture a picture has (attr.shape, attr.texture); "
            "a folder of cue-conflict pictures is read as cue-conflict:FOLDER"
        )
    found = stimuli(inputs.dataset, known_classes(inputs))
    conflict, agree = found.take(found.conflicting), found.take(~found.conflicting)
    if not len(conflict.rows):
        raise NotApplicable("no picture has a shape and a texture that are two different classes of the dataset")
    request = deciders(inputs, _ASKED[inputs.settings.variant])
    if not request:
        raise NotApplicable("the model has neither vectors for the names of the classes nor scores for ImageNet's classes")
    parts = [_by(inputs, decider, conflict, agree) for decider in request]
    return Answer([f for p in parts for f in p.findings], [e for p in parts for e in p.exhibits], _notices(inputs, found))


def _by(inputs: ProbeInput[Settings], decider: Decider, conflict: Stimuli, agree: Stimuli) -> Answer:
    """The whole question to one way of deciding."""
    answers = decider.decide(conflict.rows)
    shape, texture = answers == conflict.shape, answers == conflict.texture
    either = shape | texture
    titles = class_titles(known_classes(inputs))
    findings = [
        *_bias(inputs, "shape_bias", shape[either], conflict.take(either)),
        _share(inputs, "cue_share", either, conflict),
        _share(inputs, "shape_share", shape, conflict),
        _share(inputs, "texture_share", texture, conflict),
        *_categories(inputs, shape, either, conflict, titles),
        *([_share(inputs, "agreeing_accuracy", decider.decide(agree.rows) == agree.shape, agree)] if len(agree.rows) else []),
        *_beside_people(inputs, shape, either, conflict),
        *_stylised(inputs, decider),
    ]
    exhibits = [
        *category_exhibit([f for f in findings if f.metric == "category_shape_bias"], are_the_sixteen(inputs.dataset), decider),
        decision_exhibit(shape, texture, decider),
        *texture_exhibit(texture, conflict, inputs.dataset.ids(), titles, decider),
    ]
    return Answer([replace(f, slice={**f.slice, **decider.slice}) for f in findings], exhibits)


def _share(inputs: ProbeInput[Settings], metric: str, hits: Flags, of: Stimuli) -> Finding:
    """A share over stimuli; those that were made of one picture vary together, as do copies of a picture."""
    if of.shape_source is not None and of.texture_source is not None:
        value, (low, high) = crossed_share(hits, of.shape_source, of.texture_source)
        finding = Finding(metric=metric, value=value, n=len(hits))
        known = bool(np.isfinite(low))  # not where all of them were made of one picture
        return replace(finding, low=low, high=high, interval=crossed_shares.HOW) if known else finding
    _, units = np.unique(inputs.clusters[of.rows], return_inverse=True)
    share = clustered_share(hits, units)
    return Finding(metric=metric, value=share.value, n=share.n, low=share.estimate.low, high=share.estimate.high, interval=HOW)


def _bias(inputs: ProbeInput[Settings], metric: str, shape: Flags, decided: Stimuli) -> list[Finding]:
    """No figure where not one answer names the shape or the texture."""
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


def _beside_people(inputs: ProbeInput[Settings], shape: Flags, either: Flags, conflict: Stimuli) -> list[Finding]:
    """How far the model is from people, who are taken as known."""
    if not are_the_sixteen(inputs.dataset) or not either.any():
        return []
    counts = np.array(list(PEOPLE.values())).sum(axis=0)
    people = float(counts[0] / counts.sum())
    found = _share(inputs, "gap_to_people", shape[either], conflict.take(either))
    value, low, high = (None if v is None else v - people for v in (found.value, found.low, found.high))
    return [replace(found, value=value, low=low, high=high, baseline="five people (Geirhos et al., 2019)")]


def _stylised(inputs: ProbeInput[Settings], decider: Decider) -> Iterator[Finding]:
    """Accuracy on stylised pictures of ImageNet, if the plan has them: shape is all that is left in them to go by."""
    if decider.name_imagenet is None:
        return
    index = {c.label: i for i, c in enumerate(read_classes("imagenet-1k"))}
    for other in inputs.companions.values():
        dataset = other.dataset
        if STYLISED not in (dataset.benchmark, dataset.name) or not dataset.has("label"):
            continue
        truth = np.array([index.get(label, -1) for label in dataset.table.column("label").to_pylist()], np.int64)
        rows = np.flatnonzero(truth >= 0)
        if len(rows):
            _, units = np.unique(other.clusters[rows], return_inverse=True)
            share = clustered_share(decider.name_imagenet(other, rows) == truth[rows], units)
            low, high = share.estimate.low, share.estimate.high
            where = {"dataset": dataset.name}
            yield Finding(metric="stylized_accuracy", value=share.value, n=share.n, low=low, high=high, slice=where, interval=HOW)


def _notices(inputs: ProbeInput[Settings], found: Stimuli) -> list[Notice]:
    strange = len(inputs.dataset) - len(found.rows)
    if not strange:
        return []
    what = f"{counted(strange, 'picture')} with a shape or a texture that is not among the class names, left out"
    return [Notice(inputs.dataset.name, what, "add the names to the classes")]
