"""Correspondence: whether patch features match keypoints of an object across viewpoints (El Banani et al., 2024)."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from eyechart.arrays import Indices
from eyechart.data.pairs import SURFACES
from eyechart.findings.finding import Finding
from eyechart.findings.numbers import percent
from eyechart.metrics.intervals.mover import Estimate, difference_interval
from eyechart.notice import Notice, counted
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, probe
from eyechart.probes.correspondence.exhibits import curve_exhibit, pair_exhibit, view_exhibit
from eyechart.probes.correspondence.keypoint_recall import KeypointRecall
from eyechart.probes.correspondence.keypoints import KeypointMatches, Search, match_keypoints
from eyechart.probes.correspondence.metrics import METRICS
from eyechart.probes.correspondence.surfaces import match_surfaces
from eyechart.probes.correspondence.view_groups import ViewGroup, by_class, by_view

CURVE = (5, 10, 15, 20, 25, 35, 50, 75, 100)  # pixels: the tolerances of the chart


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `correspondence`.

    pixels: Tolerances of recall, in pixels of a picture of `side` pixels.
    judged: The tolerance at which viewpoints are compared.
    box: The tolerance of PCK, relative to the longer side of the object box.
    centimeters: Tolerances of dense matching in space, where surfaces are known.
    degrees: The limits of the ranges of viewpoint change.
    side: The side of the picture that tolerances refer to.
    keep: Keypoints of a pair that are used, the clearest matches first.
    within: Search the whole "picture", or the object "box".
    least: Pairs that a range of viewpoints needs to be reported.
    shown: Pairs on the page.
    """

    pixels: tuple[int, ...] = (5, 10, 20, 25, 50)
    judged: int = 25
    box: float = 0.10
    centimeters: tuple[int, ...] = (1, 2, 5)
    degrees: tuple[int, ...] = (0, 30, 60, 90, 120, 180)
    side: int = 512
    keep: int = 1000
    within: str = "picture"
    least: int = 5
    shown: int = 12

    def __post_init__(self) -> None:
        for name in ("pixels", "degrees"):
            values = getattr(self, name)
            if not values or any(type(v) is not int or v < 0 for v in values) or list(values) != sorted(set(values)):
                raise ValueError(f"{name} is {values!r}; give increasing whole numbers from 0 up")
        if any(type(v) is not int or v < 1 for v in self.centimeters) or list(self.centimeters) != sorted(set(self.centimeters)):
            raise ValueError(f"centimeters is {self.centimeters!r}; give increasing whole numbers from 1 up, or none")
        if self.judged not in self.pixels:
            raise ValueError(f"judged is {self.judged}; choose one of the pixels {self.pixels}")
        if self.within not in ("picture", "box"):
            raise ValueError(f"within is {self.within!r}; choose 'picture' or 'box'")
        if min(self.side, self.keep, self.least) < 1 or self.shown < 0 or not self.box > 0 or len(self.degrees) < 2:
            raise ValueError(
                "side, keep and least must be at least 1, shown at least 0, box above 0, and degrees at least two numbers"
            )


@probe(
    version=2,
    needs=("patches", "pairs"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("objects", "paper"),
    headline=("keypoint_recall_25px", "pck10"),
)
def correspondence(inputs: ProbeInput[Settings]) -> Answer:
    """Do patch features match keypoints across viewpoints?

    The feature at a keypoint of the first picture is compared with all patches of the second. The patch with the highest cosine
    is the match, and its center is the predicted position (El Banani et al., 2024).
    """
    settings: Settings = inputs.settings
    if inputs.dataset.pairs is None or inputs.dataset.pairs.num_rows == 0:
        raise NotApplicable("the dataset has no pair of two readable pictures")
    pairs = inputs.dataset.pairs.drop_columns([n for n in SURFACES if n in inputs.dataset.pairs.column_names]).to_pylist()
    tolerances = tuple(sorted({*settings.pixels, *CURVE}))
    search = Search(settings.keep, settings.side, settings.within == "box", tolerances)
    matches = match_keypoints(inputs, pairs, search)
    number = dict(zip(inputs.dataset.ids(), inputs.units.tolist(), strict=True))
    ends = [np.array([number[pair[end]] for pair in pairs], np.int64) for end in ("id_a", "id_b")]
    found = KeypointRecall(matches, pairs, *ends)
    views = [g for g in by_view(inputs.dataset, pairs, settings.degrees) if (g.members & found.usable).sum() >= settings.least]
    findings = [
        *_recall(found, settings, tolerances),
        *(f for group in views for f in _of_group(found, settings, group)),
        *_drops(found, settings, views),
        *_pck(inputs, found, settings, views),
        *_dense(inputs, settings, views, pairs, ends),
    ]
    exhibits = [
        *view_exhibit(findings, settings.pixels, views),
        curve_exhibit(found, views, tolerances, CURVE),
        *pair_exhibit(inputs, found, settings.judged, settings.shown),
    ]
    return Answer(findings, exhibits, _notices(inputs, found, settings, findings))


def _recall(found: KeypointRecall[KeypointMatches], settings: Settings, tolerances: tuple[int, ...]) -> Iterator[Finding]:
    """Recall over all pairs, with chance and the upper bound of the patch grid."""
    matches = found.matches
    for pixels in settings.pixels:
        column = tolerances.index(pixels)
        yield found.share(f"keypoint_recall_{pixels}px", matches.error <= pixels)
        n = len(matches.pair)
        yield Finding(metric=f"keypoint_recall_{pixels}px_chance", value=float(matches.chance[:, column].mean()), n=n)
        yield Finding(metric=f"keypoint_recall_{pixels}px_upper_bound", value=float(matches.reachable[:, column].mean()), n=n)


def _of_group(found: KeypointRecall[KeypointMatches], settings: Settings, group: ViewGroup) -> Iterator[Finding]:
    for pixels in settings.pixels:
        yield found.share(f"keypoint_recall_{pixels}px", found.matches.error <= pixels, group.members, group.slice)


def _drops(found: KeypointRecall[KeypointMatches], settings: Settings, views: list[ViewGroup]) -> Iterator[Finding]:
    """Recall of the smallest viewpoint change minus that of each larger one. The ranges have different pairs."""
    metric, hits = f"keypoint_recall_{settings.judged}px", found.matches.error <= settings.judged
    shares = [found.share(metric, hits, group.members) for group in views]
    for group, farther in zip(views[1:], shares[1:], strict=True):
        near, far = _estimate(shares[0]), _estimate(farther)
        low, high = difference_interval(near, far)
        yield Finding(
            metric=f"{metric}_drop",
            value=near.value - far.value,
            n=shares[0].n + farther.n,
            low=low,
            high=high,
            slice=group.slice,
            interval="MOVER from two intervals over pairs, 95%",
            baseline=views[0].title,
        )


def _estimate(share: Finding) -> Estimate:
    return Estimate(share.value or 0.0, share.low or 0.0, share.high or 0.0)


def _pck(
    inputs: ProbeInput[Settings], found: KeypointRecall[KeypointMatches], settings: Settings, views: list[ViewGroup]
) -> Iterator[Finding]:
    """PCK of pairs with object boxes: over all, by viewpoint and by class."""
    boxed = np.array([pair.get("box_b") is not None for pair in found.pairs]) & found.usable
    if not boxed.any():
        return
    metric, hits = f"pck{round(100 * settings.box)}", found.matches.box_error <= settings.box
    yield found.share(metric, hits, boxed)
    for group in (*views, *by_class(inputs.dataset, found.pairs)):
        if (group.members & boxed).sum() >= settings.least:
            yield found.share(metric, hits, group.members & boxed, group.slice)


def _dense(
    inputs: ProbeInput[Settings], settings: Settings, views: list[ViewGroup], pairs: list[dict[str, Any]], ends: list[Indices]
) -> Iterator[Finding]:
    """Recall in space of pairs with surfaces: over all, with chance and upper bound, and by viewpoint."""
    assert inputs.dataset.pairs is not None
    matches = match_surfaces(inputs, inputs.dataset.pairs, settings.keep, settings.centimeters)
    if matches is None:
        return
    found, n = KeypointRecall(matches, pairs, *ends), len(matches.pair)
    for column, tolerance in enumerate(settings.centimeters):
        metric, hits = f"dense_recall_{tolerance}cm", matches.error <= tolerance
        yield found.share(metric, hits)
        yield Finding(metric=f"{metric}_chance", value=float(matches.chance[:, column].mean()), n=n)
        yield Finding(metric=f"{metric}_upper_bound", value=float(matches.reachable[:, column].mean()), n=n)
        for group in views:
            if (group.members & found.usable).sum() >= settings.least:
                yield found.share(metric, hits, group.members, group.slice)


def _notices(
    inputs: ProbeInput[Settings], found: KeypointRecall[KeypointMatches], settings: Settings, findings: list[Finding]
) -> list[Notice]:
    where, matches, notices = inputs.dataset.name, found.matches, []
    value = {f.metric: f for f in findings if not f.slice}
    judged = f"keypoint_recall_{settings.judged}px"
    recall, chance = value[judged], value[f"{judged}_chance"]
    if matches.outside:
        what = f"{counted(matches.outside, 'keypoint')} left out because they are outside the crop of {inputs.model}"
        notices.append(Notice(where, what, "compare only models with the same crop, or use square pictures"))
    if matches.patch > 2 * settings.judged:
        what = f"a patch of {inputs.model} is {matches.patch:.0f} px wide at a picture side of {settings.side} px"
        notices.append(Notice(where, what, "compare recall with its upper bound, or use a larger tolerance"))
    if (recall.low or 0.0) <= (chance.value or 0.0):
        what = f"keypoint recall of {inputs.model} is not above chance: {percent(recall.value)}, chance {percent(chance.value)}"
        notices.append(Notice(where, what, "its patch features do not describe these objects"))
    return notices
