"""Correspondence: whether a spot of a thing is known again when it is seen from another side."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from eyechart.findings.finding import Finding
from eyechart.metrics.intervals.mover import Estimate, difference_interval
from eyechart.notice import Notice, counted
from eyechart.probes.correspondence.exhibits import curve_exhibit, pair_exhibit, view_exhibit
from eyechart.probes.correspondence.keypoint_recall import Found
from eyechart.probes.correspondence.keypoints import Search, find_keypoints
from eyechart.probes.correspondence.metrics import METRICS
from eyechart.probes.correspondence.view_groups import ViewGroup, by_class, by_view
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, probe

CURVE = (5, 10, 15, 20, 25, 35, 50, 75, 100)  # pixels: the tolerances of the chart


@dataclass(frozen=True)
class Settings:
    """`pixels`: tolerances at which recall is reported, of a picture of `side` pixels; `judged`: the one that views are compared
    at. `box`: the tolerance of PCK, in longer sides of the thing's box. `degrees`: ends of the ranges of viewpoint change.
    `keep`: so many spots of a pair, the clearest matches. `within`: whether a spot is looked for in the whole "picture" or in the
    thing's "box". `least`: pairs that a range needs to be reported. `shown`: pairs shown."""

    pixels: tuple[int, ...] = (5, 10, 20, 25, 50)
    judged: int = 25
    box: float = 0.10
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
                raise ValueError(f"{name} is {values!r}; give whole numbers from 0 up, each above the one before")
        if self.judged not in self.pixels:
            raise ValueError(f"judged is {self.judged}, which is none of the pixels {self.pixels}")
        if self.within not in ("picture", "box"):
            raise ValueError(f"within is {self.within!r}; choose 'picture' or 'box'")
        if min(self.side, self.keep, self.least) < 1 or self.shown < 0 or not self.box > 0 or len(self.degrees) < 2:
            raise ValueError("side, keep and least are from 1 up, shown from 0 up, box is above 0, degrees are two at least")


@probe(version=1, needs=("patches", "pairs"), settings=Settings(), metrics=METRICS, headline=("keypoint_recall_25px", "pck10"))
def correspondence(inputs: ProbeInput[Settings]) -> Answer:
    """Is a spot known again when it is seen from another side?

    The token of a spot's patch in the first picture is looked for among the patches of the second: the nearest by cosine is the
    match, and its middle the place where the spot is found (El Banani et al., 2024).
    """
    settings: Settings = inputs.settings
    if inputs.dataset.pairs is None or inputs.dataset.pairs.num_rows == 0:
        raise NotApplicable("the dataset has no pair of which both pictures could be used")
    pairs = inputs.dataset.pairs.to_pylist()
    tolerances = tuple(sorted({*settings.pixels, *CURVE}))
    search = Search(settings.keep, settings.side, settings.within == "box", tolerances)
    spots = find_keypoints(inputs, pairs, search)
    number = dict(zip(inputs.dataset.ids(), inputs.clusters.tolist(), strict=True))
    ends = [np.array([number[pair[end]] for pair in pairs], np.int64) for end in ("id_a", "id_b")]
    found = Found(spots, pairs, *ends)
    views = [g for g in by_view(inputs.dataset, pairs, settings.degrees) if (g.members & found.seen).sum() >= settings.least]
    findings = [
        *_recall(found, settings, tolerances),
        *(f for group in views for f in _of_group(found, settings, group)),
        *_drops(found, settings, views),
        *_key_points(inputs, found, settings, views),
    ]
    exhibits = [
        *view_exhibit(findings, settings.pixels, views),
        curve_exhibit(found, views, tolerances, CURVE),
        *pair_exhibit(found, settings.judged, settings.shown),
    ]
    return Answer(findings, exhibits, _notices(inputs, found, settings, findings))


def _recall(found: Found, settings: Settings, tolerances: tuple[int, ...]) -> Iterator[Finding]:
    """Over all pairs, with what guessing would get and what the middles of patches allow at best."""
    spots = found.spots
    for pixels in settings.pixels:
        column = tolerances.index(pixels)
        yield found.share(f"keypoint_recall_{pixels}px", spots.off <= pixels)
        n = len(spots.pair)
        yield Finding(metric=f"keypoint_recall_{pixels}px_chance", value=float(spots.guessed[:, column].mean()), n=n)
        yield Finding(metric=f"keypoint_recall_{pixels}px_upper_bound", value=float(spots.best[:, column].mean()), n=n)


def _of_group(found: Found, settings: Settings, group: ViewGroup) -> Iterator[Finding]:
    for pixels in settings.pixels:
        yield found.share(f"keypoint_recall_{pixels}px", found.spots.off <= pixels, group.members, group.slice)


def _drops(found: Found, settings: Settings, views: list[ViewGroup]) -> Iterator[Finding]:
    """What is lost from the nearest views to each farther range. The ranges are of different pairs."""
    metric, hits = f"keypoint_recall_{settings.judged}px", found.spots.off <= settings.judged
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
            interval="recovered from two intervals over pairs, 95%",
            baseline=views[0].title,
        )


def _estimate(share: Finding) -> Estimate:
    return Estimate(share.value or 0.0, share.low or 0.0, share.high or 0.0)


def _key_points(inputs: ProbeInput[Settings], found: Found, settings: Settings, views: list[ViewGroup]) -> Iterator[Finding]:
    """PCK where boxes are known: over all, by view and by class."""
    boxed = np.array([pair.get("box_b") is not None for pair in found.pairs]) & found.seen
    if not boxed.any():
        return
    metric, hits = f"pck{round(100 * settings.box)}", found.spots.off_box <= settings.box
    yield found.share(metric, hits, boxed)
    for group in (*views, *by_class(inputs.dataset, found.pairs)):
        if (group.members & boxed).sum() >= settings.least:
            yield found.share(metric, hits, group.members & boxed, group.slice)


def _notices(inputs: ProbeInput[Settings], found: Found, settings: Settings, findings: list[Finding]) -> list[Notice]:
    where, spots, notices = inputs.dataset.name, found.spots, []
    value = {f.metric: f for f in findings if not f.slice}
    judged = f"keypoint_recall_{settings.judged}px"
    recall, chance = value[judged], value[f"{judged}_chance"]
    if spots.unseen:
        what = f"{counted(spots.unseen, 'point')} outside of the part of the pictures that {inputs.model} sees"
        notices.append(Notice(where, what, "they are left out; a model that crops pictures is asked about fewer"))
    if spots.patch > 2 * settings.judged:
        what = f"a patch of {inputs.model} is {spots.patch:.0f} px wide where a picture has {settings.side}: places are as coarse"
        notices.append(Notice(where, what, "compare with what is best possible, or judge at a larger tolerance"))
    if (recall.low or 0.0) <= (chance.value or 0.0):
        what = f"{inputs.model} finds spots again no better than by guessing: {recall.value:.1%} against {chance.value:.1%}"
        notices.append(Notice(where, what, "its patches say nothing of what they show here"))
    return notices
