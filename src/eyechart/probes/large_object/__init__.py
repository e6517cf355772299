"""Large objects: in a scene of several things, whether the largest drowns the rest (IOR and I2TOR of Abbasi et al., 2025)."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from eyechart.findings.finding import Finding
from eyechart.notice import Notice, counted
from eyechart.probes.large_object.exhibits import (
    crossed_exhibit,
    dose_exhibit,
    overlooked_exhibit,
    place_exhibit,
    size_exhibit,
)
from eyechart.probes.large_object.metrics import METRICS
from eyechart.probes.large_object.shares import Looked, look_among, odds_findings, share_findings
from eyechart.probes.large_object.size_doses import doses
from eyechart.probes.large_object.targets import NAMES, Targets, heard_names, name_targets, picture_targets
from eyechart.probes.probe import Answer, NotApplicable, ProbeInput, TextRequest, probe
from eyechart.probes.tasks.objects import Shown, shown

USUAL = 4  # things in the scenes of the paper's tables


@dataclass(frozen=True)
class Settings:
    """`pictures`: of each name, the mean of which is its target; 0 takes all, 1 is the paper's. `objects`: how many things the
    scenes have that the headline speaks of; 0 takes four, or the number with most kept scenes where four has fewer than `least`.
    `least`: scenes that a number of things or a ratio of sizes needs to be reported. `shown`: scenes on the page."""

    pictures: int = 0
    objects: int = 0
    least: int = 20
    shown: int = 12
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.pictures, self.objects, self.shown, self.seed) < 0 or self.least < 1:
            raise ValueError("pictures, objects, shown and seed are whole numbers from 0 up, least from 1 up")


def texts(request: TextRequest[Settings]) -> Sequence[str]:
    names = shown(request.dataset).names
    return heard_names(request.dataset, names, request.can_encode) if names else ()


@probe(
    version=2,
    needs=("images", "objects"),
    settings=Settings(),
    metrics=METRICS,
    texts=texts,
    compares=True,
    headline=("large_object_share", "large_object_share_conditional", "large_object_odds_ratio"),
    prompts=False,
)
def large_object(inputs: ProbeInput[Settings]) -> Answer:
    """Of several things in a picture, does the largest drown the others?

    The picture is compared with pictures of one thing each, or with names. Of the scenes whose n nearest are exactly their n
    things, and of all scenes, the share is counted whose nearest is the largest thing, the second largest, the leftmost, ….
    """
    settings: Settings = inputs.settings
    there = shown(inputs.dataset)
    few = tuple(scenes for scenes in there.scenes if len(scenes) >= settings.least)
    if not few:
        raise NotApplicable(
            f"it takes {settings.least} pictures at least that show equally many differently named things, two or more"
        )
    there = replace(there, scenes=few)
    targets = _targets(inputs, there)
    if not targets:
        raise NotApplicable(
            "there is nothing to look for things among: the model hears no names, and no dataset shows one thing in every "
            'picture; name one with --targets, or in a plan with role = "targets"'
        )
    notices, readings = _notices(inputs, targets), []
    for among in targets:
        looked, left_out = look_among(inputs, there, among)
        looked = [one for one in looked if len(one.scenes) >= settings.least]
        notices += _left_out(inputs, among, left_out)
        if looked:
            readings.append(looked)
    if not readings:
        raise NotApplicable("hardly any picture shows only things that are among the targets, so there is nothing to count")
    findings = [f for looked in readings for one in looked for f in share_findings(one)]
    odds = [f for looked in readings for f in odds_findings(looked)]
    by_dose = [list(doses(looked, least=settings.least)) for looked in readings]
    findings += odds
    findings += [f for found in by_dose for d in found for f in (d.largest, d.others, d.kept) if f is not None]
    count, metric = _leading(readings[0], settings)
    leading = next(one for one in readings[0] if one.scenes.count == count)
    exhibits = [
        size_exhibit(findings, metric, count),
        place_exhibit(findings, metric, count),
        crossed_exhibit(leading),
        *dose_exhibit(by_dose[0]),
        *overlooked_exhibit(leading, there.names, inputs.dataset.ids(), settings.shown),
    ]
    return Answer([*_headline(findings, odds, leading, metric), *findings], exhibits, notices)


def _targets(inputs: ProbeInput[Settings], there: Shown) -> list[Targets]:
    found = (
        picture_targets(inputs, there.names, inputs.settings.pictures, inputs.settings.seed),
        name_targets(inputs, there.names),
    )
    return [targets for targets in found if targets is not None]


def _leading(looked: Sequence[Looked], settings: Settings) -> tuple[int, str]:
    """The number of things that the headline and the page speak of, and whether of kept scenes or of all."""
    kept = {one.scenes.count: int(one.by_place.kept.sum()) for one in looked}
    best = max(kept, key=lambda count: kept[count])
    count = next((n for n in (settings.objects, USUAL) if kept.get(n, 0) >= settings.least), best)
    return count, "object_share_conditional" if kept[count] >= settings.least else "object_share"


def _headline(findings: Sequence[Finding], odds: Sequence[Finding], leading: Looked, metric: str) -> list[Finding]:
    """Of all scenes, and of kept ones where there are enough."""
    wanted, renamed = (
        {**leading.slice, "size_rank": 1},
        {"object_share": "large_object_share", "object_share_conditional": "large_object_share_conditional"},
    )
    if metric == "object_share":
        del renamed["object_share_conditional"]
    found = [
        replace(f, metric=renamed[f.metric], slice=leading.slice) for f in findings if f.metric in renamed and f.slice == wanted
    ]
    pull = [f for f in odds if f.metric == "odds_ratio_double_area" and f.slice == {"against": leading.targets.against}]
    return [*found, *(replace(f, metric="large_object_odds_ratio") for f in pull)]


def _notices(inputs: ProbeInput[Settings], targets: Sequence[Targets]) -> list[Notice]:
    where, notices = inputs.dataset.name, []
    for among in targets:
        if among.against != NAMES:
            each = f"{counted(among.pictures, 'picture')} of each at most"
            what = f"things are looked for among {counted(len(among.names), 'name')} with {each}, from {among.source}"
            notices.append(Notice(where, what, "name other pictures with --targets"))
    if all(among.against == NAMES for among in targets):
        what = "things are looked for among names only: no dataset shows one thing in every picture"
        notices.append(Notice(where, what, "name one with --targets"))
    return notices


def _left_out(inputs: ProbeInput[Settings], among: Targets, scenes: int) -> list[Notice]:
    if not scenes:
        return []
    what = f"{counted(scenes, 'scene')} left out, with a thing that is not among the {among.against} to look among"
    return [Notice(inputs.dataset.name, what, "add pictures of those things to the targets")]
