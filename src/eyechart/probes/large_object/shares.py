"""Object retrieval from scenes: how often the object of each size rank, and at each place, is the nearest target."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.scenes.conditional_logit import fit_choices
from eyechart.metrics.scenes.object_ranks import ObjectRanks, object_ranks
from eyechart.probes.contract import ProbeInput
from eyechart.probes.large_object.targets import Targets
from eyechart.probes.tasks.objects import ObjectScenes, Scenes
from eyechart.probes.tasks.share_findings import named_share_finding

ODDS = "sandwich over pictures and names, Student's t, 95%"


@dataclass(frozen=True)
class SceneRetrieval:
    """Scenes of equally many objects, and the ranks of their objects among the targets.

    targets: The targets.
    scenes: The scenes.
    by_place: Ranks of the objects, ordered from left to right.
    clusters: Scenes of one number show one picture.
    """

    targets: Targets
    scenes: Scenes
    by_place: ObjectRanks
    clusters: Indices

    @cached_property
    def by_size(self) -> ObjectRanks:
        """Ranks of the objects, ordered by size, the largest first."""
        return self.by_place.by(self.scenes.by_size)

    @property
    def slice(self) -> dict[str, object]:
        return {"against": self.targets.against, "objects": self.scenes.count}

    @property
    def hits(self) -> npt.NDArray[np.bool_]:
        """Scenes whose nearest target is one of their own objects, ties included."""
        hits: npt.NDArray[np.bool_] = self.by_place.top.sum(axis=1) > 0
        return hits

    def share(
        self, metric: str, values: npt.ArrayLike, slice: Mapping[str, object], subset: npt.NDArray[np.bool_] | None = None
    ) -> Finding:
        """The mean of the scenes' `values`, over a subset of the scenes. The interval holds for other scenes and objects."""
        some = np.ones(len(self.scenes), bool) if subset is None else subset
        hits, objects = np.asarray(values, np.float64)[some], self.scenes.objects[some]
        return named_share_finding(metric, hits, objects, {**self.slice, **slice}, clusters=self.clusters[some])


def retrieve_scenes(inputs: ProbeInput[Any], scene_set: ObjectScenes, targets: Targets) -> tuple[list[SceneRetrieval], int]:
    """Retrieve the objects of all scenes, by number of objects; and how many scenes have an object that is not a target."""
    number, found, left_out = targets.numbers(scene_set.names), [], 0
    for scenes in scene_set.scenes:
        known = np.asarray((number[scenes.objects] >= 0).all(axis=1))
        left_out += int((~known).sum())
        if known.any() and scenes.count < len(targets.names):
            few = scenes.subset(known)
            ranks = object_ranks(inputs.images[few.rows], targets.vectors, number[few.objects])
            found.append(SceneRetrieval(targets, few, ranks, inputs.units[few.rows]))
    return found, left_out


def share_findings(retrieved: SceneRetrieval) -> Iterator[Finding]:
    """Retrieval rates; the share of each size rank and each place; and the share of the largest object by its place."""
    kept = retrieved.by_place.kept
    yield retrieved.share("all_objects_retrieved", kept, {})
    yield retrieved.share("top_n_recall", retrieved.by_place.recall, {})
    yield retrieved.share("map", retrieved.by_place.precision, {})
    yield retrieved.share("ndcg", retrieved.by_place.ndcg, {})
    yield retrieved.share("other_object_share", 1 - retrieved.by_place.top.sum(axis=1), {})
    for key, ranks in (("size_rank", retrieved.by_size), ("place", retrieved.by_place)):
        for k in range(retrieved.scenes.count):
            yield retrieved.share("object_share", ranks.top[:, k], {key: k + 1})
            yield retrieved.share("own_object_share", ranks.own[:, k], {key: k + 1})
            if kept.any():
                yield retrieved.share("object_share_conditional", ranks.top[:, k], {key: k + 1}, subset=kept)
    place_of_largest = retrieved.scenes.by_size[:, 0]
    for place in range(retrieved.scenes.count):
        there = place_of_largest == place
        if there.any():
            yield retrieved.share("object_share", retrieved.by_size.top[:, 0], {"size_rank": 1, "place": place + 1}, subset=there)


def odds_findings(retrieved: Sequence[SceneRetrieval]) -> list[Finding]:
    """Odds ratios of being the nearest, by size and place together: a conditional logit over scenes of any number of objects.

    Scenes whose nearest target is not one of their objects are left out.
    """
    width = max(one.scenes.count for one in retrieved)
    features, chosen, there, names = (
        np.concatenate(parts) for parts in zip(*(_choices(one, width) for one in retrieved), strict=True)
    )
    clusters = np.concatenate([one.clusters[one.hits] for one in retrieved])
    n = len(chosen)
    middle = (features * there[..., None]).sum(axis=1, keepdims=True) / there.sum(axis=1)[:, None, None] if n else features
    varies = np.flatnonzero((np.abs(features - middle) * there[..., None]).max(axis=(0, 1), initial=0.0) > 1e-9)
    where = {"against": retrieved[0].targets.against}
    if n < 2 or 0 not in varies:
        return []
    weights = fit_choices(features[..., varies], chosen, there, clusters, names)
    findings = []
    for place, feature in enumerate(varies):
        value, (low, high) = weights.odds(place)
        bounded = weights.bounded and np.isfinite(low)
        findings.append(
            Finding(
                metric=_FEATURES[feature],
                value=value if weights.bounded else None,
                n=n,
                low=low if bounded else None,
                high=high if bounded else None,
                slice=where,
                interval=ODDS if bounded else None,
            )
        )
    return findings


# Odds ratios for twice the area, from the left end to the right end, and from either end to the center.
_FEATURES = ("odds_ratio_double_area", "odds_ratio_right", "odds_ratio_center")


def _choices(retrieved: SceneRetrieval, width: int) -> tuple[Doubles, Doubles, npt.NDArray[np.bool_], Indices]:
    """Features [N, width, 3], choices [N, width], which places exist, and the names there, for the scenes in `hits`."""
    hits, count = retrieved.hits, retrieved.scenes.count
    n = int(hits.sum())
    features, chosen, names = np.zeros((n, width, 3)), np.zeros((n, width)), np.zeros((n, width), np.int64)
    there = np.broadcast_to(np.arange(width) < count, (n, width))
    across = np.linspace(0, 1, count)
    features[:, :count, 0] = np.log2(retrieved.scenes.areas[hits])
    features[:, :count, 1] = across
    features[:, :count, 2] = 1 - np.abs(2 * across - 1)
    top = retrieved.by_place.top[hits].astype(np.float64)
    chosen[:, :count] = top / top.sum(axis=1, keepdims=True)
    names[:, :count] = retrieved.scenes.objects[hits]
    return features, chosen, there, names
