"""Large objects: whether the image vector of a scene is closest to its largest object (IOR and I2TOR, Abbasi et al., 2025)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from eyechart.findings.finding import Finding
from eyechart.notice import Notice, counted
from eyechart.probes.contract import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.large_object.exhibits import (
    place_exhibit,
    ratio_exhibit,
    size_and_place_exhibit,
    size_exhibit,
    small_winner_exhibit,
)
from eyechart.probes.large_object.metrics import METRICS
from eyechart.probes.large_object.shares import SceneRetrieval, odds_findings, retrieve_scenes, share_findings
from eyechart.probes.large_object.size_ratios import ratio_bins
from eyechart.probes.large_object.targets import NAMES, Targets, encodable_names, name_targets, picture_targets
from eyechart.probes.tasks.objects import ObjectScenes, object_scenes

DEFAULT_OBJECTS = 4  # objects in the scenes of the paper's tables


@dataclass(frozen=True)
class Settings:
    """Settings of the probe `large_object`.

    pictures: Pictures of each object name that are averaged to its target; 0 takes all, 1 is the paper's protocol.
    objects: The number of objects of the headline; 0 takes four, or the number with the most scenes where there are no scenes of
        four. It depends on the dataset alone, so that all models have the headline of the same scenes.
    least: Scenes that a number of objects, or a size ratio, needs to be reported.
    shown: Scenes on the page.
    seed: The seed of the choice of target pictures.
    """

    pictures: int = 0
    objects: int = 0
    least: int = 20
    shown: int = 12
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.pictures, self.objects, self.shown, self.seed) < 0 or self.least < 1:
            raise ValueError("pictures, objects, shown and seed must be at least 0, and least at least 1")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    names = object_scenes(request.dataset).names
    return encodable_names(request.dataset, names, request.can_encode) if names else ()


@probe(
    version=3,
    needs=("images", "objects"),
    settings=Settings(),
    metrics=METRICS,
    profiles=("objects", "paper"),
    texts=texts,
    compares=True,
    headline=("large_object_share", "large_object_share_conditional", "large_object_odds_ratio"),
    prompts=False,
)
def large_object(inputs: ProbeInput[Settings]) -> Answer:
    """Does the image encoder favor the largest object of a scene?

    The image vector of a scene is compared with vectors of single objects, from pictures or from names. The share of scenes is
    reported whose nearest target is the largest object, the second largest, the leftmost, …; for all scenes, and for scenes
    whose n nearest targets are exactly their n objects.
    """
    settings: Settings = inputs.settings
    scene_set = object_scenes(inputs.dataset)
    few = tuple(scenes for scenes in scene_set.scenes if len(scenes) >= settings.least)
    if not few:
        raise NotApplicable(f"it needs at least {settings.least} pictures with the same number of distinct objects, two or more")
    scene_set = replace(scene_set, scenes=few)
    targets = _targets(inputs, scene_set)
    if not targets:
        raise NotApplicable(
            "there are no targets: the model cannot encode the object names, and no dataset has single-object pictures; "
            'give one with --gallery, or in a plan with role = "gallery"'
        )
    notices, by_targets = [*_notices(inputs, targets), *_unmeasured(inputs, scene_set)], []
    for target in targets:
        retrieved, left_out = retrieve_scenes(inputs, scene_set, target)
        retrieved = [one for one in retrieved if len(one.scenes) >= settings.least]
        notices += _left_out(inputs, target, left_out)
        if retrieved:
            by_targets.append(retrieved)
    if not by_targets:
        raise NotApplicable("too few pictures show only objects that are among the targets; add targets with --gallery")
    findings = [f for retrieved in by_targets for one in retrieved for f in share_findings(one)]
    # Without areas there is no effect of twice the area, and no ratio.
    sized = by_targets if scene_set.measured else []
    odds = [f for retrieved in sized for f in odds_findings(retrieved)]
    by_ratio = [list(ratio_bins(retrieved, least=settings.least)) for retrieved in sized]
    findings += odds
    findings += [f for bins in by_ratio for b in bins for f in (b.largest, b.others, b.conditional) if f is not None]
    count, metric = _leading(by_targets[0], settings)
    leading = next(one for one in by_targets[0] if one.scenes.count == count)
    exhibits = [
        size_exhibit(findings, metric, count),
        place_exhibit(findings, metric, count),
        size_and_place_exhibit(leading),
    ]
    if scene_set.measured:
        exhibits += ratio_exhibit(by_ratio[0])
        exhibits += small_winner_exhibit(leading, scene_set.names, inputs.dataset.ids(), settings.shown)
    return Answer([*_headline(findings, odds, leading, metric), *findings], exhibits, notices)


def _targets(inputs: ProbeInput[Settings], scene_set: ObjectScenes) -> list[Targets]:
    found = (
        picture_targets(inputs, scene_set.names, inputs.settings.pictures, inputs.settings.seed),
        name_targets(inputs, scene_set.names),
    )
    return [targets for targets in found if targets is not None]


def _leading(retrieved: Sequence[SceneRetrieval], settings: Settings) -> tuple[int, str]:
    """The number of objects of the headline and the charts, and the metric: conditional where there are enough scenes.

    The number must not depend on the model: models would be compared on different scenes."""
    scenes = {one.scenes.count: one for one in retrieved}
    if settings.objects and settings.objects not in scenes:
        there = ", ".join(map(str, scenes))
        raise NotApplicable(
            f"large_object.objects is {settings.objects}, but fewer than {settings.least} scenes have as many ({there} do)"
        )
    most = max(scenes, key=lambda count: (len(scenes[count].scenes), -count))
    count = settings.objects or (DEFAULT_OBJECTS if DEFAULT_OBJECTS in scenes else most)
    enough = int(scenes[count].by_place.kept.sum()) >= settings.least
    return count, "object_share_conditional" if enough else "object_share"


def _headline(findings: Sequence[Finding], odds: Sequence[Finding], leading: SceneRetrieval, metric: str) -> list[Finding]:
    """The large-object share of all scenes, the conditional share where there are enough scenes, and the odds ratio of size."""
    wanted, renamed = (
        {**leading.slice, "size_rank": 1},
        {"object_share": "large_object_share", "object_share_conditional": "large_object_share_conditional"},
    )
    if metric == "object_share":
        del renamed["object_share_conditional"]
    found = [
        replace(f, metric=renamed[f.metric], slice=leading.slice) for f in findings if f.metric in renamed and f.slice == wanted
    ]
    size = [f for f in odds if f.metric == "odds_ratio_double_area" and f.slice == {"against": leading.targets.against}]
    return [*found, *(replace(f, metric="large_object_odds_ratio") for f in size)]


def _notices(inputs: ProbeInput[Settings], targets: Sequence[Targets]) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    for target in targets:
        if target.against != NAMES:
            each = f"at most {counted(target.pictures, 'picture')} each"
            what = f"targets are {counted(len(target.names), 'object')} from {target.source}, {each}"
            notices.append(Notice(where, what, "give other single-object pictures with --gallery"))
    if all(target.against == NAMES for target in targets):
        what = "targets are object names only, because no dataset has single-object pictures"
        notices.append(Notice(where, what, "give one with --gallery"))
    return notices


def _unmeasured(inputs: ProbeInput[Settings], scene_set: ObjectScenes) -> list[Notice]:
    if scene_set.measured:
        return []
    what = "it is known which object is large, but not how large objects are: no odds ratio and no size ratio are reported"
    return [Notice(inputs.dataset.name, what, "size ranks from 2 on are the small objects from left to right")]


def _left_out(inputs: ProbeInput[Settings], target: Targets, scenes: int) -> list[Notice]:
    if not scenes:
        return []
    what = f"{counted(scenes, 'scene')} left out because an object is not among the target {target.against}"
    return [Notice(inputs.dataset.name, what, "add these objects to the targets")]
