"""Attention: how much of the class token's attention lies on the largest thing of a scene, and whether that is just its area."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from scipy.special import stdtrit

from eyechart.findings.finding import Finding
from eyechart.metrics.paired_differences import PAIRED, mean_difference
from eyechart.metrics.shared_names import HOW, named_mean, named_share
from eyechart.notice import Notice, counted
from eyechart.probes._attended import Attended, attend, has_masks
from eyechart.probes._attention_exhibits import density_exhibit, head_exhibit, overlay_exhibit, share_exhibit
from eyechart.probes._scene_objects import Scenes, shown
from eyechart.probes.probe import Answer, Given, NotApplicable, probe

USUAL = 3  # things in the scenes of the paper's figure
RATIO_HOW = "jackknife over names on the log scale, Student's t, 95%"


@dataclass(frozen=True)
class Settings:
    """`pictures`: so many scenes of each number of things, drawn at random; 0 takes all. `heads`: report every head by itself.
    `objects`: the number of things that the headline and the page speak of; 0 takes three, or the most frequent number. `least`:
    scenes that a number of things needs. `shown`: maps on the page."""

    pictures: int = 120
    heads: bool = False
    objects: int = 0
    least: int = 20
    shown: int = 8
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.pictures, self.objects, self.shown, self.seed) < 0 or self.least < 2:
            raise ValueError("pictures, objects, shown and seed are whole numbers from 0 up, least from 2 up")


@probe(
    version=1,
    needs=("images", "objects", "attention"),
    settings=Settings(),
    headline=("largest_attention", "largest_density_lead"),
)
def attention(given: Given) -> Answer:
    """How much of the attention goes to the largest thing, and is it more than its area?

    Weights of the last block from the class token to the patches, spread evenly over each patch, are summed within the things'
    exact masks. The sum grows with the area by construction; divided by the area, 1 is what an average spot gets.
    """
    settings: Settings = given.settings
    if given.windows is None:
        raise NotApplicable("the model does not say which part of a picture it sees, so its attention cannot be laid over masks")
    if not has_masks(given):
        raise NotApplicable("the objects of the dataset have no masks")
    there = shown(given.dataset)
    few = [_sample(scenes, settings) for scenes in there.scenes if len(scenes) >= settings.least]
    looked = [attend(given, scenes, there.names) for scenes in few]
    seen = [one for one in looked if len(one.scenes) >= settings.least]
    if not seen:
        raise NotApplicable(f"fewer than {settings.least} pictures show equally many things of which the network sees something")
    findings = [f for one in seen for f in (*_shares(one), *_densities(one), density_lead(one))]
    if settings.heads:
        findings += [density_lead(one, head) for one in seen for head in range(one.shares.shape[1])]
    counts = {one.scenes.count: one for one in seen}
    most = max(seen, key=lambda one: len(one.scenes)).scenes.count
    count = next((n for n in (settings.objects, USUAL) if n in counts), most)
    exhibits = [
        share_exhibit(findings, count),
        density_exhibit(findings, count),
        *head_exhibit(findings, count),
        *overlay_exhibit(given, counts[count], there.names, settings.shown),
    ]
    return Answer([*_headline(findings, count), *findings], exhibits, _notices(given, looked))


def _sample(scenes: Scenes, settings: Settings) -> Scenes:
    if not settings.pictures or len(scenes) <= settings.pictures:
        return scenes
    chosen = np.zeros(len(scenes), np.bool_)
    chosen[np.random.default_rng([settings.seed, scenes.count]).permutation(len(scenes))[: settings.pictures]] = True
    return scenes.among(chosen)


def _shares(one: Attended) -> Iterator[Finding]:
    """Of attention and of area, by size; of attention, by place; and what is left for the ground."""
    where, names, shares = {"objects": one.scenes.count}, one.scenes.objects, one.mean_shares
    by_size, by_place = one.by_size(shares), shares
    columns = [("attention", {"size_rank": k + 1}, by_size[:, k]) for k in range(one.scenes.count)]
    columns += [("area", {"size_rank": k + 1}, one.by_size(one.areas)[:, k]) for k in range(one.scenes.count)]
    columns += [("attention", {"place": k + 1}, by_place[:, k]) for k in range(one.scenes.count)]
    columns += [("attention_of_ground", {}, 1 - shares.sum(axis=1))]
    for metric, key, values in columns:
        value, (low, high) = named_share(values, names, clusters=one.clusters)
        yield Finding(metric, value, len(values), low, high, {**where, **key}, higher_is_better=None, interval=HOW)


def _densities(one: Attended) -> Iterator[Finding]:
    """Σ attention / Σ area of the things of each rank of size."""
    shares, areas = one.by_size(one.mean_shares), one.by_size(one.areas)
    for k in range(one.scenes.count):
        value, variance, names = named_mean(shares[:, k], one.scenes.objects, sizes=areas[:, k], clusters=one.clusters)
        half = float(stdtrit(max(names - 1, 1), 0.975)) * np.sqrt(variance) / value
        where = {"objects": one.scenes.count, "size_rank": k + 1}
        low, high = value * np.exp([-half, half])
        yield Finding(
            "density", value, len(shares), float(low), float(high), where, "number", higher_is_better=None, interval=RATIO_HOW
        )


def density_lead(one: Attended, head: int | None = None) -> Finding:
    """The geometric mean over scenes of (attention per area of the largest) / (the same of all others together)."""
    shares = one.mean_shares if head is None else one.shares[:, head]
    mine, areas = one.by_size(shares), one.by_size(one.areas)
    largest, others = mine[:, 0] / areas[:, 0], mine[:, 1:].sum(axis=1) / areas[:, 1:].sum(axis=1)
    value, interval = mean_difference(np.log(largest), np.log(others), one.clusters)
    low, high = np.exp(interval)
    where = {"objects": one.scenes.count, **({} if head is None else {"head": head + 1})}
    return Finding(
        "density_lead", float(np.exp(value)), len(mine), float(low), float(high), where, "number", None, PAIRED, "smaller things"
    )


def _headline(findings: Sequence[Finding], count: int) -> list[Finding]:
    where = {"objects": count}
    share = next(f for f in findings if f.metric == "attention" and f.slice == {**where, "size_rank": 1})
    lead = next(f for f in findings if f.metric == "density_lead" and f.slice == where)
    return [replace(share, metric="largest_attention", slice=where), replace(lead, metric="largest_density_lead")]


def _notices(given: Given, looked: Sequence[Attended]) -> list[Notice]:
    cropped = sum(one.cropped for one in looked)
    if not cropped:
        return []
    what = f"{counted(cropped, 'scene')} left out, as the network's crop shows nothing of one of its things"
    return [Notice(given.dataset.name, what, "give square pictures to see them whole")]
