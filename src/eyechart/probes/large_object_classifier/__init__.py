"""Large objects by linear classifiers: accuracy for the largest and for smaller objects of a scene (IOC, Abbasi et al., 2025)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.metrics.classification.linear_heads import fold_rows
from eyechart.metrics.classification.slot_heads import SlotHits, validated_hits
from eyechart.metrics.intervals.clustered_shares import clustered_share
from eyechart.notice import Notice
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.large_object_classifier.exhibits import accuracy_exhibit
from eyechart.probes.large_object_classifier.metrics import METRICS
from eyechart.probes.tasks.objects import Scenes, object_scenes
from eyechart.probes.tasks.share_findings import difference_finding, named_share_finding

DEFAULT_OBJECTS = 4  # objects in the scenes of the paper's tables


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `large_object_classifier`.

    least: Scenes that a number of objects needs.
    objects: The number of objects of the headline; 0 takes four, or the number with the most scenes.
    folds: Parts of the cross-validation. Every scene is tested once, by classifiers fitted on other parts; a tenth of all scenes
        chooses the penalty.
    seed: The seed of the parts.
    """

    least: int = 150
    objects: int = 0
    folds: int = 5
    seed: int = 0

    def __post_init__(self) -> None:
        if self.least < 20 or self.objects < 0 or self.seed < 0 or not 2 <= self.folds <= 10:
            raise ValueError("least must be at least 20, objects and seed at least 0, and folds from 2 to 10")


@dataclass(frozen=True)
class ScoredScenes:
    """Linear classifiers on scenes with one number of objects.

    scenes: The scenes.
    key: What a classifier predicts: the object of a "size_rank", or at a "place" from the left.
    found: Which scenes each classifier gets right.
    clusters: Scenes of one number show one picture.
    """

    scenes: Scenes
    key: str
    found: SlotHits
    clusters: npt.NDArray[np.int64]

    @property
    def slice(self) -> dict[str, object]:
        return {"objects": self.scenes.count}


@probe(
    version=4,
    needs=("images", "objects"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("objects", "paper"),
    headline=("large_object_accuracy", "large_object_accuracy_lead"),
)
def large_object_classifier(inputs: ProbeInput[Settings]) -> Answer:
    """Is the largest object of a picture easier to classify from its vector than smaller ones?

    For every size rank and every place, a linear classifier predicts the object from the frozen unit vector: multinomial
    logistic regression, fitted to convergence. Accuracy is that of cross-validation: every scene is predicted by classifiers that
    were fitted on others.
    """
    settings: Settings = inputs.settings
    scene_set = object_scenes(inputs.dataset)
    few = [scenes for scenes in scene_set.scenes if len(np.unique(inputs.units[scenes.rows])) >= settings.least]
    if not few:
        raise NotApplicable(
            f"the linear classifiers need {settings.least} pictures with the same number of differently named objects, two or "
            "more; the setting large_object_classifier.least lowers this"
        )
    tested = [one for scenes in few for one in _tested(inputs, scenes, len(scene_set.names))]
    findings = [f for one in tested for f in _accuracies(one, len(scene_set.names))]
    leads = [lead(one) for one in tested if one.key == "size_rank"]
    counts = [scenes.count for scenes in few]
    most = max(few, key=len).count
    count = next((n for n in (settings.objects, DEFAULT_OBJECTS) if n in counts), most)
    ahead = next(f for f in leads if f.slice["objects"] == count)
    largest = next(f for f in findings if f.metric == "object_accuracy" and f.slice == {"objects": count, "size_rank": 1})
    headline = [
        replace(largest, metric="large_object_accuracy", slice={"objects": count}),
        replace(ahead, metric="large_object_accuracy_lead"),
    ]
    exhibits = [accuracy_exhibit(findings, key, count, len(scene_set.names)) for key in ("size_rank", "place")]
    return Answer([*headline, *findings, *leads], exhibits, _notices(inputs, tested))


def _tested(inputs: ProbeInput[Settings], scenes: Scenes, names: int) -> Iterator[ScoredScenes]:
    clusters = inputs.units[scenes.rows]
    splits = fold_rows(len(scenes), folds=inputs.settings.folds, seed=inputs.settings.seed, clusters=clusters)
    vectors = inputs.images[scenes.rows]
    by_size = np.take_along_axis(scenes.objects, scenes.by_size, axis=1)
    for key, objects in (("size_rank", by_size), ("place", scenes.objects)):
        yield ScoredScenes(scenes, key, validated_hits(vectors, objects, splits, classes=names), clusters)


def _accuracies(one: ScoredScenes, names: int) -> Iterator[Finding]:
    objects = one.scenes.objects
    for k, hits in enumerate(one.found.hits.T):
        yield named_share_finding("object_accuracy", hits, objects, {**one.slice, one.key: k + 1}, clusters=one.clusters)
    if one.key == "size_rank":
        yield Finding(metric="chance", value=1 / names, n=len(objects), slice=one.slice)


def lead(one: ScoredScenes) -> Finding:
    """Accuracy for the largest object minus the mean accuracy for the others, on the same scenes: 0 where size does not matter.

    The interval has a width even where every prediction is correct.
    """
    hits = one.found.hits
    scenes, others = hits.shape[0], hits.shape[1] - 1
    _, units = np.unique(one.clusters, return_inverse=True)
    first = clustered_share(hits[:, 0], units)
    rest = clustered_share(hits[:, 1:].ravel(), np.repeat(units, others), groups=np.tile(np.arange(others), scenes))
    return difference_finding("size_lead", first, rest, one.slice, n=scenes, baseline="smaller objects")


def _notices(inputs: ProbeInput[Settings], tested: Sequence[ScoredScenes]) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    if not all(one.found.converged for one in tested):
        what = "a linear classifier did not converge, so its accuracy may be slightly low"
        notices.append(Notice(where, what, "use more scenes or fewer object names"))
    unseen = max(one.found.unseen for one in tested)
    if unseen > 0.02:
        what = (
            f"up to {percent(unseen)} of the test scenes have an object that the training scenes do not show at that "
            "rank or place"
        )
        notices.append(Notice(where, what, "use more scenes"))
    return notices
