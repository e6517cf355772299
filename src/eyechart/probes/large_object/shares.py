"""Scenes of equally many things among targets: how often the thing of each size, and in each place, is the nearest."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from eyechart.arrays import Doubles, Indices
from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.shared_names import HOW, named_share
from eyechart.metrics.scenes.conditional_logit import fit_choices
from eyechart.metrics.scenes.object_ranks import ObjectRanks, object_ranks
from eyechart.probes.large_object.targets import Targets
from eyechart.probes.probe import ProbeInput
from eyechart.probes.tasks.objects import Scenes, Shown

ODDS = "sandwich over pictures and names, Student's t, 95%"


@dataclass(frozen=True)
class Looked:
    """`scenes` looked for among `targets`; slots of `by_place` are places from left to right. `clusters`: of the scenes."""

    targets: Targets
    scenes: Scenes
    by_place: ObjectRanks
    clusters: Indices

    @cached_property
    def by_size(self) -> ObjectRanks:
        """Slots are ranks of size, the largest first."""
        return self.by_place.by(self.scenes.by_size)

    @property
    def slice(self) -> dict[str, object]:
        return {"against": self.targets.against, "objects": self.scenes.count}

    @property
    def hits(self) -> npt.NDArray[np.bool_]:
        """Scenes whose nearest target is a thing of theirs, or shares that with others."""
        hits: npt.NDArray[np.bool_] = self.by_place.top.sum(axis=1) > 0
        return hits

    def share(
        self, metric: str, values: npt.ArrayLike, slice: Mapping[str, object], among: npt.NDArray[np.bool_] | None = None
    ) -> Finding:
        """The mean of the scenes' `values`, of those `among` some. What holds for other things of their kind too, as
        the interval must, varies with the things as well as with the scenes."""
        some = np.ones(len(self.scenes), bool) if among is None else among
        hits, objects = np.asarray(values, np.float64)[some], self.scenes.objects[some]
        value, (low, high) = named_share(hits, objects, clusters=self.clusters[some])
        return Finding(metric=metric, value=value, n=len(hits), low=low, high=high, slice={**self.slice, **slice}, interval=HOW)


def look_among(inputs: ProbeInput[Any], shown: Shown, targets: Targets) -> tuple[list[Looked], int]:
    """Every number of things by itself; and how many scenes were left out, since a thing of theirs is not among the targets."""
    number, found, left_out = targets.numbers(shown.names), [], 0
    for scenes in shown.scenes:
        known = np.asarray((number[scenes.objects] >= 0).all(axis=1))
        left_out += int((~known).sum())
        if known.any() and scenes.count < len(targets.names):
            few = scenes.subset(known)
            ranks = object_ranks(inputs.images[few.rows], targets.vectors, number[few.objects])
            found.append(Looked(targets, few, ranks, inputs.clusters[few.rows]))
    return found, left_out


def share_findings(looked: Looked) -> Iterator[Finding]:
    """How many scenes are kept, and of kept and of all scenes the share whose nearest target is the thing of each size rank, in
    each place, and (for the largest) of each place where it stands."""
    kept = looked.by_place.kept
    yield looked.share("all_objects_retrieved", kept, {})
    yield looked.share("top_n_recall", looked.by_place.recall, {})
    yield looked.share("other_object_share", 1 - looked.by_place.top.sum(axis=1), {})
    for key, ranks in _ways(looked):
        for k in range(looked.scenes.count):
            yield looked.share("object_share", ranks.top[:, k], {key: k + 1})
            if kept.any():
                yield looked.share("object_share_conditional", ranks.top[:, k], {key: k + 1}, among=kept)
    place_of_largest = looked.scenes.by_size[:, 0]
    for place in range(looked.scenes.count):
        there = place_of_largest == place
        if there.any():
            yield looked.share("object_share", looked.by_size.top[:, 0], {"size_rank": 1, "place": place + 1}, among=there)


def _ways(looked: Looked) -> tuple[tuple[str, ObjectRanks], ...]:
    return ("size_rank", looked.by_size), ("place", looked.by_place)


def odds_findings(looked: Sequence[Looked]) -> list[Finding]:
    """What size does when place is held still, and place when size is: factors of the odds of being nearest, from one fit over
    scenes of any number of things. Scenes whose nearest target is none of theirs have no part in it."""
    width = max(one.scenes.count for one in looked)
    features, chosen, there, names = (
        np.concatenate(parts) for parts in zip(*(_choices(one, width) for one in looked), strict=True)
    )
    clusters = np.concatenate([one.clusters[one.hits] for one in looked])
    n = len(chosen)
    middle = (features * there[..., None]).sum(axis=1, keepdims=True) / there.sum(axis=1)[:, None, None] if n else features
    varies = np.flatnonzero((np.abs(features - middle) * there[..., None]).max(axis=(0, 1), initial=0.0) > 1e-9)
    where = {"against": looked[0].targets.against}
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


# By how much the odds grow: for twice the area; from the left end of the row to the right; from either end to the middle.
_FEATURES = ("odds_ratio_double_area", "odds_ratio_right", "odds_ratio_center")


def _choices(looked: Looked, width: int) -> tuple[Doubles, Doubles, npt.NDArray[np.bool_], Indices]:
    """[N, width, 3] features, [N, width] choices, which of the places exist and the names there, of scenes that chose a thing of
    theirs."""
    hits, count = looked.hits, looked.scenes.count
    n = int(hits.sum())
    features, chosen, names = np.zeros((n, width, 3)), np.zeros((n, width)), np.zeros((n, width), np.int64)
    there = np.broadcast_to(np.arange(width) < count, (n, width))
    across = np.linspace(0, 1, count)
    features[:, :count, 0] = np.log2(looked.scenes.areas[hits])
    features[:, :count, 1] = across
    features[:, :count, 2] = 1 - np.abs(2 * across - 1)
    top = looked.by_place.top[hits].astype(np.float64)
    chosen[:, :count] = top / top.sum(axis=1, keepdims=True)
    names[:, :count] = looked.scenes.objects[hits]
    return features, chosen, there, names
