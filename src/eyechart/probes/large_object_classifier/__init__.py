"""Large objects by linear heads: what a straight cut through a scene's vector tells of its largest thing, its second largest, …
(IOC of Abbasi et al., 2025)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.metrics.classification.linear_heads import SHARES, split_rows
from eyechart.metrics.classification.slot_heads import SlotHits, slot_hits
from eyechart.metrics.intervals.clustered_shares import HOW_TWO, clustered_share, share_difference
from eyechart.metrics.intervals.shared_names import HOW, named_share
from eyechart.notice import Notice
from eyechart.probes.large_object_classifier.metrics import METRICS
from eyechart.probes.large_object_classifier.slots import slot_exhibit
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.tasks.objects import Scenes, shown

USUAL = 4  # things in the scenes of the paper's tables


@dataclass(frozen=True)
class Settings:
    """`least`: scenes of one number of things that heads are fitted for. `objects`: the number of things that the headline speaks
    of; 0 takes four, or the number with most scenes. `seed`: of the split, three quarters to fit on, a tenth to choose the
    penalty by, the rest to judge."""

    least: int = 150
    objects: int = 0
    seed: int = 0

    def __post_init__(self) -> None:
        if self.least < 20 or self.objects < 0 or self.seed < 0:
            raise ValueError("least is a whole number from 20 up, objects and seed from 0 up")


@dataclass(frozen=True)
class Judged:
    """Scenes of one number of things, and which of the `judge` rows among them every head got right, by `key`."""

    scenes: Scenes
    key: str
    judge: npt.NDArray[np.int64]
    found: SlotHits
    clusters: npt.NDArray[np.int64]

    @property
    def slice(self) -> dict[str, object]:
        return {"objects": self.scenes.count}


@probe(
    version=3,
    needs=("images", "objects"),
    settings=Settings(),
    metrics=METRICS,
    headline=("large_object_accuracy", "large_object_accuracy_lead"),
)
def large_object_classifier(inputs: ProbeInput[Settings]) -> Answer:
    """What does a picture's vector tell of its largest thing, and what of the smaller ones?

    For every rank of size and every place, a linear head learns to name the thing there from the frozen unit vector: multinomial
    logistic regression, fitted until it has converged. Accuracy is that on scenes which no head was fitted on.
    """
    settings: Settings = inputs.settings
    there = shown(inputs.dataset)
    few = [scenes for scenes in there.scenes if len(np.unique(inputs.clusters[scenes.rows])) >= settings.least]
    if not few:
        raise NotApplicable(
            f"linear heads take {settings.least} pictures at least that show equally many differently named things, two or more; "
            "the setting large_object_classifier.least says how many"
        )
    judged = [one for scenes in few for one in _judged(inputs, scenes, len(there.names))]
    findings = [f for one in judged for f in _accuracies(one, len(there.names))]
    leads = [lead(one) for one in judged if one.key == "size_rank"]
    counts = [scenes.count for scenes in few]
    most = max(few, key=len).count
    count = next((n for n in (settings.objects, USUAL) if n in counts), most)
    ahead = next(f for f in leads if f.slice["objects"] == count)
    largest = next(f for f in findings if f.metric == "object_accuracy" and f.slice == {"objects": count, "size_rank": 1})
    headline = [
        replace(largest, metric="large_object_accuracy", slice={"objects": count}),
        replace(ahead, metric="large_object_accuracy_lead"),
    ]
    exhibits = [slot_exhibit(findings, key, count, len(there.names)) for key in ("size_rank", "place")]
    return Answer([*headline, *findings, *leads], exhibits, _notices(inputs, judged))


def _judged(inputs: ProbeInput[Settings], scenes: Scenes, names: int) -> Iterator[Judged]:
    clusters = inputs.clusters[scenes.rows]
    split = split_rows(len(scenes), seed=inputs.settings.seed, clusters=clusters)
    vectors = inputs.images[scenes.rows]
    by_size = np.take_along_axis(scenes.objects, scenes.by_size, axis=1)
    for key, objects in (("size_rank", by_size), ("place", scenes.objects)):
        found = slot_hits(vectors, objects, split, classes=names)
        yield Judged(scenes, key, split.judge, found, clusters[split.judge])


def _accuracies(one: Judged, names: int) -> Iterator[Finding]:
    objects = one.scenes.objects[one.judge]
    for k, hits in enumerate(one.found.hits.T):
        value, (low, high) = named_share(hits, objects, clusters=one.clusters)
        yield Finding(
            metric="object_accuracy",
            value=value,
            n=len(hits),
            low=low,
            high=high,
            slice={**one.slice, one.key: k + 1},
            interval=HOW,
        )
    if one.key == "size_rank":
        yield Finding(metric="chance", value=1 / names, n=len(objects), slice=one.slice)


def lead(one: Judged) -> Finding:
    """Accuracy for the largest less the mean accuracy for the others, on the same scenes: 0 where size does not matter. Where
    every head is right of every scene, the interval still says that there were few scenes."""
    hits = one.found.hits
    scenes, others = hits.shape[0], hits.shape[1] - 1
    _, units = np.unique(one.clusters, return_inverse=True)
    first = clustered_share(hits[:, 0], units)
    rest = clustered_share(hits[:, 1:].ravel(), np.repeat(units, others), groups=np.tile(np.arange(others), scenes))
    low, high = share_difference(first, rest)
    value = first.value - rest.value
    return Finding(
        metric="size_lead",
        value=value,
        n=scenes,
        low=low,
        high=high,
        slice=one.slice,
        interval=HOW_TWO,
        baseline="smaller things",
    )


def _notices(inputs: ProbeInput[Settings], judged: Sequence[Judged]) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    fitted, chosen, rest = (f"{share:.0%}" for share in SHARES)
    if not all(one.found.converged for one in judged):
        what = "a linear head had not come to rest when its steps were used up"
        notices.append(Notice(where, what, "its accuracy may be a little low; use more scenes, or fewer names"))
    unseen = max(one.found.unseen for one in judged)
    if unseen > 0.02:
        what = f"up to {unseen:.0%} of the answers are about things that no scene to fit on showed in that rank or place"
        notices.append(Notice(where, what, f"use more scenes: {fitted} are fitted on, {chosen} choose the penalty, {rest} judge"))
    return notices
